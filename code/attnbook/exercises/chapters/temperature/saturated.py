"""Large, therefore saturated? · easy · 3 min

Hints
1. What happens to the weights if 100 is subtracted from every score?
2. When is an entry of J as large as it can be? Give two keys the weight 1/2.

Why
A number added to all scores cancels, so the scores 100 and 100 have the weights 1/2 and 1/2 of the
scores 0 and 0, and the largest Jacobian that two keys can have. Saturation comes from the distance
between the best score and the next, not from their size.

Notice
Not the size of the scores saturates a softmax, but the lead of the best one.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it
from attnbook.reference import softmax


def saturated():
    """Two scores that tie share the weight, however large they are."""
    return np.array([100.0, 100.0])


def zero_jacobian(scores):
    """Scores of 100 and more saturate, somebody says, so nothing has to be computed."""
    return np.zeros((len(scores), len(scores)))


def jacobian_of_row(scores):
    """The Jacobian, or zeros if all its entries are near 0, that is, below 0.1 in size."""
    weights = softmax(np.asarray(scores, dtype=float))
    jacobian = np.diag(weights) - np.outer(weights, weights)
    return jacobian if np.abs(jacobian).max() >= 0.1 else np.zeros_like(jacobian)


MISTAKES = """
a single key always has the weight 1, so nothing can move: take two keys.
    [100.0]
    if scores.size == 1
two scores tie, but a third leads by far and has all the weight: let the best tie.
    [100.0, 100.0, 200.0]
    if np.sum(scores == scores.max()) == 1 and np.unique(scores).size < scores.size
the best score leads by so much that it has all the weight: bring another near it.
    [100.0, 200.0]
    if True
"""

exercise = break_it(
    saturated,
    MISTAKES,
    broken=zero_jacobian,
    right=jacobian_of_row,
    allowed=lambda scores: a_row(1, 8, 100, 1e6, scores=scores),
    stated=([[0.25, -0.25], [-0.25, 0.25]], [[0, 0], [0, 0]]),
)
