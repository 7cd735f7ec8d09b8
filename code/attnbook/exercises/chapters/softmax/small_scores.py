"""Small scores in float16 · medium · 5 min

Hints
1. The largest float16 is 65504. Which numbers of naive_softmax must stay below it?
2. No exponential can exceed e^11 = 59874. What about their sum?
3. How many scores of 11 does it take?

Why
$e^{11} = 59874$ is below 65504, the largest float16, but the sum of two of them is not: it
overflows, and 59874/∞ = 0 for both keys, without any NaN. Eight scores of 9 do not overflow, eight
of 9.1 do. The sum reaches its limit before any score does.

Notice
No NaN appears: zeros look like weights, and rows that do not sum to 1 give it away.
"""

import numpy as np

from attnbook import reference
from attnbook.exercises.engine import a_row, break_it


def small_scores():
    """Each exponential is 59874; their sum is more than 65504."""
    return np.array([11.0, 11.0])


def naive_softmax(scores):
    exp = np.exp(np.asarray(scores, dtype=np.float16))
    return exp / np.sum(exp)


def stable_softmax(scores):
    return reference.softmax(np.asarray(scores, dtype=np.float16))


MISTAKES = """
one exponential is at most e^11 = 59874, and 65504 is not reached: take more scores.
    [11.0]
    if scores.size == 1
no exponential is above 1, so nothing comes near 65504: look among positive scores.
    [-11.0, -11.0, -11.0]
    if np.max(scores) <= 0
the exponentials sum to less than 65504, the largest float16: make the sum larger.
    [11.0, 0.0, -11.0]
    if True
"""

exercise = break_it(
    small_scores,
    MISTAKES,
    broken=naive_softmax,
    right=stable_softmax,
    allowed=lambda scores: a_row(1, 8, -11, 11, scores=scores),
    stated=([0.5, 0.5], [0, 0]),
)
