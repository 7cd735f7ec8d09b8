r"""How long must a block be · medium · 6 min

Hints
1. The rule says 12000 positions, whatever the heads. For which heads is that right?
2. Shared heads make fewer bytes, and as many operations. Does a block need to be longer?
3. Let four query heads share one key-value head, and take a length between 3000 and 12000.

Why
The operations are counted with the query heads, the bytes with the key-value heads.
With 32 and 8 of them a block brings a quarter of the bytes for the same operations, and so a
quarter of the positions is enough: $n/w \ge \frac{h_{kv}}{h} \cdot 12000 = 3000$. The rule asks for
12000.

Notice
Shared heads were made for the cache, and a ring profits from them, too.
"""

from attnbook.exercises.engine import break_it, whole_numbers

FLOPS, BANDWIDTH, ITEMSIZE = 6e14, 5e10, 2


def shared_heads():
    """4000 positions suffice where four query heads share one key-value head."""
    return 4000, 32, 8


def hidden_by_queries(positions, n_heads, n_kv_heads):
    """Whether the next block arrives in time, by a rule for n_kv_heads = n_heads."""
    return positions >= ITEMSIZE * FLOPS / (2 * BANDWIDTH)


def hidden(positions, n_heads, n_kv_heads):
    """Whether the next block of keys and values arrives before this one is done."""
    compute = 4 * n_heads * positions**2 * 128 / FLOPS
    return 2 * n_kv_heads * positions * 128 * ITEMSIZE / BANDWIDTH <= compute


def are_sizes(positions, n_heads, n_kv_heads):
    given = {"positions": positions, "n_heads": n_heads, "n_kv_heads": n_kv_heads}
    if refusal := whole_numbers(1, 10**6, **given):
        return refusal
    if n_heads % n_kv_heads:
        return f"n_kv_heads is {n_kv_heads}; the check wants a divisor of n_heads = {n_heads}."
    return None


MISTAKES = """
with as many key-value heads as query heads the rule is right: let several heads share one.
    8000, 32, 32
    if n_heads == n_kv_heads
a block of this length hides the travel by either rule: take a shorter one.
    20000, 32, 8
    if positions >= 12000
a block of this length hides the travel by neither rule: take a longer one.
    1000, 32, 8
    if True
"""

exercise = break_it(
    shared_heads,
    MISTAKES,
    broken=hidden_by_queries,
    right=hidden,
    allowed=are_sizes,
    stated=(True, False),
)
