r"""Far ahead, therefore saturated? · easy · 3 min

Hints
1. How much weight does one rival keep at a lead of 5, as a fraction of the best key's weight?
2. e^5 is 148. How much do 99 rivals have together?

Why
At a lead of 5 each rival has $e^{-5} = 0.0067$ times the weight of the best key, but 99 of them
together have 0.67 times as much. So the best key has the weight 1/1.67 = 0.60, and its derivative
is 0.60 · 0.40 = 0.24. A lead over n rivals, all equally far behind, saturates a softmax only if
$n\,e^{-\text{lead}}$ is small.

Notice
If all rivals are equally far behind, a lead saturates a softmax only if e to the lead is far larger
than their number.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it
from attnbook.reference import softmax


def saturated():
    """A best score that leads each of 99 rivals by 5."""
    return np.append(np.zeros(99), 5.0)


def derivative_of_best(scores):
    second, best = np.sort(scores)[-2:]
    if best - second >= 5:
        return 0.0
    weight = np.max(softmax(scores))
    return weight * (1 - weight)


def derivative_at_any_lead(scores):
    """A (1 - A) of the best key, but 0 if it leads by 5 or more and this is below 0.1."""
    second, best = np.sort(scores)[-2:]
    weight = np.max(softmax(np.asarray(scores, dtype=float)))
    derivative = weight * (1 - weight)
    return 0.0 if best - second >= 5 and derivative < 0.1 else derivative


MISTAKES = """
the lead is below 5, so the derivative is computed, and rightly: let the best score lead by 5.
    [100.0, 100.0]
    if np.diff(np.sort(scores))[-1] < 5
at this lead even 99 rivals have too little weight together: let them come nearer, up to 5.
    [7.0] + 99 * [0.0]
    if np.diff(np.sort(scores))[-1] > 6.66
together the rivals have too little weight: take more of them, or let them come nearer, up to 5.
    [5.0] + 18 * [0.0]
    if True
"""

exercise = break_it(
    saturated,
    MISTAKES,
    broken=derivative_of_best,
    right=derivative_at_any_lead,
    allowed=lambda scores: a_row(2, 100, -1e6, 1e6, scores=scores),
    stated=(0.24003, 0.0),
)
