"""Project, step 1: two loops for a causal mask · hard · 12 min

Hints
1. Query i stands at key i + n_k − n_q: it sees that key and all before it.
2. Keys that need no mask are seen by every query of the block: by the first of them, too.
3. full is rounded down to whole blocks of B keys; neither number is ever below 0.
4. The last query of the block is start + B − 1, or n_q − 1 if the queries end before.

Why
The first query of the block sees the fewest keys, start + n_k − n_q + 1 of them; whole blocks among
these are seen by all. The last query sees the most. With more queries than keys the first ones see
nothing, so both numbers stop at 0.

Notice
In a long text most blocks are full, and the mask costs something in only one block of a row, or in two.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.masks import causal_mask


def phases(start, B, n_q, n_k):
    """The end of the keys that need no mask, and of all that a block of queries sees."""
    last = min(start + B, n_q) - 1
    full = (start + n_k - n_q + 1) // B * B
    return max(full, 0), max(last + n_k - n_q + 1, 0)


def counted_in_the_mask(start, B, n_q, n_k):
    block = causal_mask(n_q, n_k)[start : start + B]
    seen_by_all, seen = block.all(axis=0).sum(), block.any(axis=0).sum()
    return seen_by_all - seen_by_all % B, seen


CASES = (
    case(start=0, B=4, n_q=8, n_k=8, gives=(0, 4)),
    case(start=4, B=4, n_q=8, n_k=8, gives=(4, 8)),
    case(start=6, B=3, n_q=12, n_k=12),
    case(start=0, B=4, n_q=4, n_k=10),
    case(start=0, B=4, n_q=6, n_k=9),
    case(start=4, B=4, n_q=8, n_k=6),
    case(start=0, B=4, n_q=12, n_k=2),
    case(start=8, B=4, n_q=12, n_k=2),
    case(start=8, B=4, n_q=40, n_k=40),
    case(start=96, B=16, n_q=100, n_k=228),
    case(start=0, B=16, n_q=1, n_k=1000),
    stress(start=0, B=1, n_q=5, n_k=5),
    stress(start=3, B=1, n_q=5, n_k=4),
    stress(start=0, B=128, n_q=1, n_k=1),
)

MISTAKES = """
blocks have B queries and B keys, whatever B is: 16 is one of them.
    // B * B → // 16 * 16
    min(start + B, n_q) → min(start + 16, n_q)
    min(start + B, n_q) → min(start + 16, n_q) ; // B * B → // 16 * 16
query 0 stands at key n_k − n_q, not at key 0, for full as for end: the last query sees the last
key.
    + n_k - n_q ⇒
    = ((start + 1) // B * B, min(start + B, n_k))
    (start + n_k - n_q → (start
    last + n_k - n_q → last
    n_k - n_q ⇒ n_q - n_k
the last block of queries is shorter: its last query is n_q − 1.
    min(start + B, n_q) → (start + B)
full is rounded down to whole blocks of B keys, for any B: // B * B.
    // B * B →
    (start + n_k - n_q + 1) // B * B → start + n_k - n_q || -(-(start + n_k - n_q + 1) // B) * B
    (start + n_k - n_q + 1) // B * B → max(start + n_k - n_q + 1, 0) & ~(B - 1)
with more queries than keys the numbers would fall below 0: stop at 0.
    max(full, 0), max(last + n_k - n_q + 1, 0) → full, last + n_k - n_q + 1
    max(full, 0) → full
    max(full, 0) → full ; (start + n_k - n_q + 1) // B → int((start + n_k - n_q + 1) / B)
    max(last + n_k - n_q + 1, 0) → last + n_k - n_q + 1
the two numbers are exchanged: first full, then end.
    max(full, 0), max(last + n_k - n_q + 1, 0) → max(last + n_k - n_q + 1, 0), max(full, 0)
these count blocks, and the question asks for keys.
    max(full, 0), max(last + n_k - n_q + 1, 0) → max(full, 0) // B, -(-max(last + n_k - n_q + 1, 0) // B)
    max(full, 0) → max(full, 0) // B
no block is full here: those that every query sees need no mask.
    max(full, 0) → 0
a query sees its own key: + 1, once, in full as in end.
    last + n_k - n_q + 1 → last + n_k - n_q
    start + n_k - n_q + 1 → start + n_k - n_q
    n_k - n_q + 1 ⇒ n_k - n_q
    max(last + n_k - n_q + 1, 0) → max(last + n_k - n_q + 1, 0) + 1
end is the number of keys that the last query of the block sees, not rounded up and not all keys.
    max(last + n_k - n_q + 1, 0) → max(full, 0) + B || min(max(full, 0) + B, n_k)
    max(last + → max(start +
    max(last + n_k - n_q + 1, 0) → -(-max(last + n_k - n_q + 1, 0) // B) * B
    max(last + n_k - n_q + 1, 0) → min(-(-max(last + n_k - n_q + 1, 0) // B) * B, n_k) || n_k
full goes by the last query of the block; the first sees fewer keys, and decides.
    (start + n_k → (last + n_k
"""

exercise = write(phases, CASES, MISTAKES, results=("full", "end"), oracle=counted_in_the_mask)
