"""A rule for consecutive pieces under a zigzag, and a bound that counts the wrong heads."""

from numbers import Integral

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import many_gpus as solutions
from attnbook.masks import causal_mask
from attnbook.operation import describe

FLOPS, BANDWIDTH, ITEMSIZE = 6e14, 5e10, 2


def computes(rank, step):
    """Whether a rank of four computes at a step: not on the keys of a later rank."""
    source = (rank - step) % 4
    return source <= rank


def has_to_compute(rank, step):
    """Whether a zigzag of 16 positions shows a rank of four anything at a step."""
    kept, source = solutions.zigzag(16, 4), (rank - step) % 4
    return bool(causal_mask(16, 16)[kept[rank]][:, kept[source]].any())


def _of_four(rank, step):
    for name, value in {"rank": rank, "step": step}.items():
        if isinstance(value, bool) or not isinstance(value, Integral):
            return f"{name} is {describe(value)}; the check wants an integer."
        if not 0 <= value < 4:
            return f"{name} is {value}; there are four ranks and four steps, 0 to 3."
    return None


skipped = Break(
    name="many_gpus.skipped",
    title="Later ranks are skipped",
    level="easy",
    minutes=5,
    solution_of=solutions.skipped,
    wrong=computes,
    right=has_to_compute,
    allowed=_of_four,
    explanation=(
        "Under a zigzag a later rank is no later part of the text: rank 3 keeps the two middle "
        "pieces, 3 and 4, and rank 0 the pieces 0 and 7. The queries of piece 7 see them. At step "
        "1 rank 0 has the keys of rank 3, and the rule skips them."
    ),
    hints=(
        "At step s rank r holds the keys of rank (r - s) mod 4. When is that a later rank?",
        "Rank 0 keeps the last piece of the text as well as the first.",
        "Any step but 0, for rank 0.",
    ),
    misconceptions=(
        Miss(
            (2, 0),
            lambda rank, step: step == 0,
            "at step 0 a rank has its own keys, which the rule lets it compute.",
        ),
        Miss(
            (3, 2),
            lambda rank, step: rank == 3,
            "rank 3 is the last: no rank is later, and nothing is skipped.",
        ),
        Miss(
            (2, 1),
            lambda rank, step: step <= rank,
            "at this step the keys are those of an earlier rank, which the rule does not skip: go "
            "on until the ring has come round.",
        ),
    ),
    notice=(
        "Of the 136 pairs that a causal mask of 16 positions shows, 48 would be left out: no "
        "error, only other numbers."
    ),
)


def hidden_by_queries(positions, n_heads, n_kv_heads):
    """Whether the next block arrives in time, by a rule for n_kv_heads = n_heads."""
    return positions >= ITEMSIZE * FLOPS / (2 * BANDWIDTH)


def hidden(positions, n_heads, n_kv_heads):
    """Whether the next block of keys and values arrives before this one is done."""
    compute = 4 * n_heads * positions**2 * 128 / FLOPS
    return 2 * n_kv_heads * positions * 128 * ITEMSIZE / BANDWIDTH <= compute


def _sizes(positions, n_heads, n_kv_heads):
    given = {"positions": positions, "n_heads": n_heads, "n_kv_heads": n_kv_heads}
    for name, value in given.items():
        whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole:
            return f"{name} is {describe(value)}; the check wants an integer."
        if not 1 <= value <= 10**6:
            return f"{name} is {value}; the check wants 1 to a million."
    if n_heads % n_kv_heads:
        return f"n_kv_heads is {n_kv_heads}; the check wants a divisor of n_heads = {n_heads}."
    return None


shared_heads = Break(
    name="many_gpus.shared_heads",
    title="How long must a block be",
    level="medium",
    minutes=6,
    solution_of=solutions.shared_heads,
    wrong=hidden_by_queries,
    right=hidden,
    allowed=_sizes,
    explanation=(
        "The operations are counted with the heads of the queries, the bytes with those of keys "
        "and values. With 32 and 8 of them a block brings a quarter of the bytes for the same "
        "operations, so that a quarter of the positions suffices: "
        "$n/w \\ge \\frac{h_{kv}}{h} \\cdot 12000 = 3000$. The rule asks for 12000."
    ),
    hints=(
        "The rule says 12000 positions, whatever the heads. For which heads is that right?",
        "Shared heads make fewer bytes, and as many operations. Does a block need to be longer?",
        "Let four heads of queries share one, and take a length between 3000 and 12000.",
    ),
    misconceptions=(
        Miss(
            (8000, 32, 32),
            lambda positions, n_heads, n_kv_heads: n_heads == n_kv_heads,
            "with as many heads of keys as of queries the rule is right: let some share.",
        ),
        Miss(
            (20000, 32, 8),
            lambda positions, n_heads, n_kv_heads: positions >= 12000,
            "so long a block hides its traffic by either rule: take a shorter one.",
        ),
        Miss(
            (1000, 32, 8),
            lambda positions, n_heads, n_kv_heads: True,
            "so short a block hides its traffic by neither rule: take a longer one.",
        ),
    ),
    notice="Shared heads were made for the cache; a ring has the profit too.",
)
