"""A mask that seems idle · medium · 8 min

Hints
1. How many keys does it take for a block of four to have keys past its end?
2. The score of such a key is 0, and its weight is exp(0 - L). What is the weight multiplied by then?
3. What is infinity times 0? How low must L be for exp(-L) to overflow in float32?

Why
A key of zeros has the score 0 and the weight $e^{0 - L}$, and what comes of it is multiplied by a
row of zeros in the end. With real numbers that gives 0. If $L$ lies below about −88.7, $e^{-L}$ overflows in float32,
and infinity times 0 is NaN.

Notice
What is multiplied by zero must be finite first: keep the mask.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it

BLOCK = 4


def idle_mask():
    """One score so low that a key of zeros, whose score is 0, has an infinite weight beside it."""
    return np.array([-100.0])


def _in_blocks(scores):
    """Keys and values in float32 with zeros past the end, and L and the row sum of one query."""
    n = scores.size
    k, v = np.zeros((2, -(-n // BLOCK) * BLOCK), np.float32)
    k[:n], v[:n] = scores, np.arange(n)
    weights = np.exp(k[:n] - k[:n].max())
    lse = k[:n].max() + np.log(weights.sum())
    return k, v, lse, np.sum(weights / weights.sum() * v[:n])


@np.errstate(over="ignore", invalid="ignore")
def without_a_mask(scores):
    k, v, lse, delta = _in_blocks(scores)  # zeros past the end
    weights = np.exp(k - lse)
    return np.sum(weights * (v - delta) * k)


@np.errstate(over="ignore", invalid="ignore")
def with_a_mask(scores):
    k, v, lse, delta = _in_blocks(scores)
    weights = np.where(np.arange(k.size) < scores.size, np.exp(k - lse), np.float32(0))
    return np.sum(weights * (v - delta) * k)


MISTAKES = """
four or eight keys fill their blocks: no key stands past the end.
    [-100.0, -100.0, -100.0, -100.0]
    if scores.size % BLOCK == 0
L is 0 or more, so exp(-L), the weight of a key of zeros, is at most 1.
    [100.0]
    if scores.max() >= 0
exp(-L) is finite here, and a finite number times 0 is 0: find scores with a lower L.
    [-50.0]
    if True
"""

exercise = break_it(
    idle_mask,
    MISTAKES,
    broken=without_a_mask,
    right=with_a_mask,
    allowed=lambda scores: a_row(1, 8, -1e4, 1e4, scores=scores),
    stated=(0, np.nan),
)
