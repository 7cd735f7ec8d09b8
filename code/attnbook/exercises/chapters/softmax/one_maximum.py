"""One maximum for all · easy · 5 min

Hints
1. How many maxima does np.max(scores) return, and how many rows are there?
2. In one row all exponentials should become 0. Below which number is exp 0 in float64?
3. Let one row lie 1000 below the other.

Why
`np.max(scores)` is the largest score of the whole array. A row that lies 1000 below it is shifted
to −1000, all its exponentials underflow to 0, and 0/0 is NaN. The row that holds the maximum is
right, and so is any test with rows of similar height.

Notice
Whatever a row subtracts must come from that row: rows are separate queries.
"""

import numpy as np

from attnbook import reference
from attnbook.exercises.engine import break_it, finite_arrays


def one_maximum():
    """The first row lies 1000 below the second."""
    return np.array([[0.0, 1.0], [1000.0, 1001.0]])


def one_maximum_softmax(scores):
    exp = np.exp(scores - np.max(scores))
    return exp / np.sum(exp, axis=-1, keepdims=True)


def softmax_of_rows(scores):
    return reference.softmax(scores)


def is_table(scores):
    if refusal := finite_arrays(2, "rows of numbers, [[1, 2], [3, 4]]", scores=scores):
        return refusal
    if not np.all(np.abs(scores) <= 1e6):
        return "scores should lie between -1,000,000 and 1,000,000."
    return None


MISTAKES = """
with one row the maximum of the array is that of the row: take two rows.
    [[0.0, 1000.0]]
    if len(scores) == 1
the rows have the same maximum, so one serves both: let one row lie far below.
    [[0.0, 1000.0], [1000.0, 0.0]]
    if np.ptp(scores.max(axis=-1)) == 0
every row still has a score whose exponential is above 0: move one row further down.
    [[0.0, 1.0], [100.0, 101.0]]
    if True
"""

exercise = break_it(
    one_maximum,
    MISTAKES,
    broken=one_maximum_softmax,
    right=softmax_of_rows,
    allowed=is_table,
    stated=([[0.2689, 0.7311], [0.2689, 0.7311]], [[np.nan, np.nan], [0.2689, 0.7311]]),
)
