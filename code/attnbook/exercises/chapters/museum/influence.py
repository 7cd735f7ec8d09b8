"""Find the leak · medium · 12 min

Hints
1. Compute the outputs once. For each j copy v, change row j alone, and compute them again.
2. Column j holds, for each query i, whether any feature of output i differs.
3. NaN != NaN is True, so an entry has not moved if its output is NaN both before and after.

Why
Change one value, look at every output, and put the value back: column j is what value j moves. For
a causal attention everything above the diagonal must be False. A weight of exactly 0 moves nothing,
so the comparison needs no tolerance.

Notice
Exhibits 1, 3, 5 and 7 leak, and 1, 5, 7, 8 and 9 lose keys. In 10, with a causal mask, only the
padded query sees the padding, at (3, 3). The other three look right here: in 2 and 4 a NaN does not
move, and 6 needs the sums of its rows.
"""

import numpy as np

from attnbook.exercises.chapters.museum._ten import WEIGHTS, Attend
from attnbook.exercises.engine import case, stress, write


def influence(attend, v):
    """True where a change of value j moves output i."""
    before = attend(v)
    moved = np.zeros((len(before), len(v)), dtype=bool)
    for j in range(len(v)):
        changed = v.copy()
        changed[j] += 1
        after = attend(changed)
        same = (after == before) | (np.isnan(after) & np.isnan(before))
        moved[:, j] = np.any(~same, axis=-1)
    return moved


def by_weights(attend, v):
    """Unit vectors as values show the weights: what is neither 0 nor NaN moves its output."""
    weights = attend(np.eye(len(v)))
    return (weights != 0) & ~np.isnan(weights)


V = np.array([[0.0, 1.0], [4.0, 0.0], [8.0, 2.0], [2.0, 5.0]])

CASES = (
    case(attend=Attend("right"), v=V, gives=np.tri(4, dtype=bool)),
    *(case(attend=Attend(name), v=V) for name in WEIGHTS if name.startswith("exhibit")),
    case(attend=Attend("exhibit 9"), v=np.zeros((4, 1))),
    case(attend=Attend("right"), v=V + np.array([1e20, 0])),
    stress(attend=Attend("faint"), v=V),
)

MISTAKES = """
the result is transposed: rows are queries, columns are the keys whose value changes.
    return moved → return moved.T
True should say that the output moves; here it says that it stays.
    return moved → return ~moved
    ~same → after == before
the changes pile up: start each time from the values as they were given.
    changed = v.copy() → changed = changed if j else v.copy() || changed = v
    changed = v.copy() → changed = v ; ~same → after != before
all values change at once: change one alone, or nobody knows which one moved.
    changed[j] += 1 → changed += 1
    changed[j] += 1 → changed += 1 ; ~same → after != before
everything moves here, as by a NaN, for 0 times NaN is NaN: add a finite number.
    = np.ones((len(v), len(v)), dtype=bool)
0 times NaN is NaN, and so is 0 times infinity: every output moves, whatever the weight. Add a
finite number.
    changed[j] += 1 → changed[j] = np.nan
a very small movement counts too: add 1 or more, and compare without np.isclose.
    (after == before) → np.isclose(after, before)
NaN differs from itself, so a row of NaN seems to move: NaN before and after is no movement.
    ~same → after != before
only the future is reported: the past and the diagonal belong into the matrix too.
    return moved → return np.triu(moved, 1)
to set to 0, to double or to turn the sign leaves a 0 as it is: add a number.
    changed[j] += 1 → changed[j] *= 0
"""

exercise = write(influence, CASES, MISTAKES, oracle=by_weights)
