"""A gradient on its way · hard · 15 min

Hints
1. Whose block does rank r hold at step s? The exercise "Whose keys are here" has found that.
2. Which ranks has this block visited before? It was at home at step 0.
3. Follow the ring. Begin with zeros, carry, and at each step add parts[r, (r - s) % w] to carry[r];
   between two steps np.roll(carry, 1, axis=0) sends all the sums on.

Why
At step s rank r has the block of rank b = (r − s) mod w. It set out from b, and has been with b, b
+ 1, …, r: each has added its part to the gradient that travels with it. After the last step, s = w
− 1, that is all of them, and one sending more brings it home.

Notice
At the last step rank r holds the whole gradient of rank r + 1: one more sending takes it home.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def in_hand(parts, step):
    """The block that has come s places brings the parts of all ranks that it has visited."""
    n_ranks = len(parts)
    home = (np.arange(n_ranks) - step) % n_ranks
    visited = [parts[(home + t) % n_ranks, home] for t in range(step + 1)]
    return np.sum(visited, axis=0)


def followed(parts, step):
    """All sums go on to the next rank, and each rank adds its part to the one that arrives."""
    ranks, carry = np.arange(len(parts)), np.zeros_like(parts[:, 0])
    for s in range(step + 1):
        carry = np.roll(carry, 1, axis=0) + parts[ranks, (ranks - s) % len(parts)]
    return carry


rng = np.random.default_rng(11)
TWO = np.array([[1.0, 2.0], [30.0, 40.0]])
POWERS = 10.0 ** np.arange(3)[:, None] + np.zeros(3)  # the part of rank r is 10^r, to any block


def drawn(n_ranks, *shape):
    return rng.standard_normal((n_ranks, n_ranks, *shape))


CASES = (
    case(parts=TWO, step=0, gives=np.array([1.0, 40.0])),
    case(parts=TWO, step=1, gives=np.array([42.0, 31.0])),
    case(parts=POWERS, step=1, gives=np.array([101.0, 11.0, 110.0])),
    case(parts=POWERS, step=2, gives=np.array([111.0, 111.0, 111.0])),
    case(parts=drawn(1, 2), step=0),
    case(parts=drawn(4, 3, 2), step=1),
    case(parts=drawn(4, 2), step=2),
    case(parts=drawn(4, 4, 4), step=3),
    case(parts=drawn(4, 3).astype(np.float32), step=2),
    stress(parts=1e8 * drawn(16, 2), step=9),
)

MISTAKES = r"""
that is only the rank's own part: the parts of the ranks before have come with the block.
    np.sum(visited, axis=0) → visited[-1]
sums go with their blocks, and the ring turns one way: each comes from the rank before.
    carry, 1 → carry, -1
    - step → + step ; home + t → home - t
    np.roll(carry, 1, axis=0) → carry
from the block's home to here s + 1 ranks have added their part, and none after this one.
    = np.sum(parts, axis=0)
    t in range(step + 1) → t in range(n_ranks) || t in range(step + 2) || t in range(-1, step + 1)
    home + t → home + step + t
row r is what rank r holds at this step: not its own block, but the block of rank (r - s) mod w.
    (np.arange(n_ranks) - step) % n_ranks → np.arange(n_ranks)
    (np.arange(n_ranks) - step) % n_ranks → np.arange(n_ranks) ; home + t → home - t
the rank's own part is missing: it has added it before it sends the block on.
    t in range(step + 1) → t in range(step) || t in range(step or 1)
    np.sum(visited, axis=0) → np.sum(visited, axis=0) - visited[-1]
the part of the rank at home is missing: it added its own at step 0.
    t in range(step + 1) → t in range(1, step + 1) || t in range(min(1, step), step + 1)
    np.sum(visited, axis=0) → np.sum(visited, axis=0) - visited[0]
that is a step too early: at step 0 each rank has added its part already, so `range(step + 1)`.
    s in range(step + 1) → s in range(step)
those are the parts of ranks 0 to s: take those of the ranks that the block has visited, from its
home on.
    = np.sum(parts[: step + 1], axis=0)
    (home + t) % n_ranks → t
a sum is read after it has been overwritten: make a new array for each step.
    carry = np.roll(carry, 1, axis=0) + parts[ranks, (ranks - s) % len(parts)] → for rank in ranks:\n            carry[rank] = carry[rank - 1] + parts[rank, (rank - s) % len(parts)]
each rank holds the sum for one block, that of rank (r - s) mod w, with a part from each rank that
the block has visited.
    = np.sum(parts, axis=1)
    , home] → , (home + t) % n_ranks]
after the last rank comes rank 0: a block may have passed from the last to the first, and then a
slice from its home to here is empty.
    np.sum(visited, axis=0) → np.stack([parts[h : r + 1, h].sum(axis=0) for r, h in enumerate(home)])
np.roll without an axis moves single numbers, and not whole blocks: axis=0.
    carry, 1, axis=0 → carry, 1
the axes are exchanged: parts[r, b] is what rank r gives to block b.
    (home + t) % n_ranks, home → home, (home + t) % n_ranks
that is what each rank holds after the sending: return what it holds before.
    np.sum(visited, axis=0) → np.roll(np.sum(visited, axis=0), 1, axis=0)
"""

exercise = write(in_hand, CASES, MISTAKES, drafts=(followed,), oracle=followed)
