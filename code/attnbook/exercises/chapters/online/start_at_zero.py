r"""2. A maximum that starts at 0 · easy · 5 min

Hints
1. Which number is m at the end, if every score is negative?
2. Below about -745 the exponential is 0 in a float64. What is then l, and its logarithm?
3. One score is enough.

Why
The start is a score that nobody has: every real score below it is shifted by 0, not by its own
maximum. $e^{-1000}$ is 0 in a float, so $\ell = 0$ and $L = -\infty$, as if nothing were visible.
Only −∞ is below every score, and then the first factor $e^{-\infty - m}$ is 0, which forgets the
start.

Notice
A start of −5e4 has the same flaw, further down: that is the bug of the chapter.
"""

import numpy as np

from attnbook import reference
from attnbook.exercises.engine.module import break_it
from attnbook.operation import describe


def start_at_zero():
    """Below a maximum of 0 the exponential of -1000 is 0 in a float."""
    return np.array([-1000.0])


def running_from_zero(scores):
    m, l = 0.0, 0.0
    for s in scores:
        new = max(m, s)
        m, l = new, l * np.exp(m - new) + np.exp(s - new)
    return m + np.log(l)


def logsumexp_of_row(scores):
    return reference.logsumexp(np.asarray(scores, dtype=float))


def is_row(scores):
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu" or scores.ndim != 1:
        return f"scores is {describe(scores)}; the check wants a list of numbers, [1, 2, 3]."
    if not 1 <= scores.size <= 8:
        return f"there are {scores.size} scores; the check wants 1 to 8."
    if not np.isfinite(scores).all():
        return "scores holds infinity or NaN; the check wants finite numbers."
    return None


MISTAKES = """
the largest score is 0 or more, so the maximum is right in the end: stay below.
    [0.0, 1000.0]
    if np.max(scores) >= 0
the shift is wrong here, and harmless: the exponential of the largest score is still far above the
smallest float.
    [-1.0, -3.0]
    if np.max(scores) > -30
the largest score still has an exponential above 0: let all lie further down.
    [-100.0, -900.0]
    if True
"""

exercise = break_it(
    start_at_zero,
    MISTAKES,
    broken=running_from_zero,
    right=logsumexp_of_row,
    allowed=is_row,
    stated=(-1000, -np.inf),
)
