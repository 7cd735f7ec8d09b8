"""A scale from the wrong width · medium · 10 min

Hints
1. The two versions differ in one number: 1/√d_v for 1/√d_k. For which shapes are they equal?
2. A scale changes nothing where all scores of a row are equal. Give the query two keys that it
   scores differently.
3. The weights must matter in the output: give the two keys different values.

Why
Three things have to come together: d_v ≠ d_k, so that the scales differ; unequal scores, so that
the weights differ; unequal values, so that the outputs differ. Here the weight of the second key is
1 / (1 + exp(−1)) = 0.73, and 1 / (1 + exp(−1/2)) = 0.62 in the wrong version.

Notice
In a model with d_v = d_k this mistake can live for years. A test of attention needs sizes that all
differ.
"""

import numpy as np

from attnbook.exercises.engine import break_it
from attnbook.exercises.families.matrices import allowed, spread, values_tie
from attnbook.reference import scaled_dot_product_attention


def value_width():
    """Two keys, wide values: 1/√d_v is half of 1/√d_k, and the weights are too even."""
    q = np.array([[1.0]])
    k = np.array([[0.0], [1.0]])
    v = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    return q, k, v


def attention_scaled_by_the_values(q, k, v):
    return scaled_dot_product_attention(q, k, v, scale=v.shape[-1] ** -0.5)


def attention(q, k, v):
    return scaled_dot_product_attention(q, k, v)


MISTAKES = """
here d_v = d_k, so both versions have the same scale.
    np.eye(2), np.eye(2), np.eye(2)
    if v.shape[1] == k.shape[1]
with one key its weight is 1 whatever the score.
    np.ones((2, 1)), np.ones((1, 1)), np.ones((1, 4))
    if len(k) == 1
each query scores all keys alike, or nearly: equal weights stay equal under any scale.
    np.ones((1, 2)), np.ones((3, 2)), np.arange(12.0).reshape(3, 4)
    if spread(q, k.T) < 1e-6
all values are equal, or nearly: their average is the same whatever the weights.
    np.ones((1, 1)), np.array([[0.0], [1.0]]), np.ones((2, 4))
    if values_tie(q, k, v)
a query whose scores lie this far apart takes one key alone, at either scale.
    np.ones((1, 1)), np.array([[0.0], [1e4]]), np.eye(2, 4)
    if not spread(q, k.T) < 20
"""

exercise = break_it(
    value_width,
    MISTAKES,
    broken=attention_scaled_by_the_values,
    right=attention,
    allowed=allowed,
    stated=([[0.7311, 0, 0, 0]], [[0.6225, 0, 0, 0]]),
)
