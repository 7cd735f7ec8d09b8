"""A transpose that fits · easy · 6 min

Hints
1. `reshape` keeps the numbers in the order in which they are read, row by row. Write down `k.T` and
   `k.reshape(d_k, n_k)` for two keys of width 2.
2. A square matrix keeps its shape, so here `reshape` does nothing. Which square matrices does the
   transpose change?
3. The difference must reach the output: a query that sees it, and two different values.

Why
`k.reshape(2, 2)` is k itself. The query (1, 0) reads the first entry of each key, 0 and 1, so the
second key's weight is 1 / (1 + exp(−1/√2)) = 0.67. The wrong version reads the entries of the first
key, 0 and 0, and weighs both keys alike.

Notice
Both are arrays of the right shape, and on symmetric keys even the same. The unequal numbers of a
test must show the order, as its unequal sizes show the shape.
"""

import numpy as np

from attnbook.exercises.engine import break_it
from attnbook.exercises.families.matrices import allowed, spread, values_tie
from attnbook.reference import scaled_dot_product_attention, softmax


def reshaped():
    """Reshaped keys pair the query's 1 with the first key's 0s alone, and the weights are even."""
    q = np.array([[1.0, 0.0]])
    k = np.array([[0.0, 0.0], [1.0, 0.0]])
    v = np.array([[0.0], [1.0]])
    return q, k, v


def attention_with_reshaped_keys(q, k, v):
    n_k, d_k = k.shape
    return softmax(q @ k.reshape(d_k, n_k) / d_k**0.5) @ v


def attention(q, k, v):
    return scaled_dot_product_attention(q, k, v)


def spreads(q, k):
    """How far the scores lie apart, of keys that are transposed and of keys that are reshaped."""
    return np.array([spread(q, k.T), spread(q, k.reshape(k.T.shape))])


MISTAKES = """
with one key its weight is 1 whatever the score.
    np.ones((2, 3)), np.ones((1, 3)), np.ones((1, 4))
    if len(k) == 1
keys of width 1 are one column, and reshaped or transposed it is the same row.
    np.ones((2, 1)), np.array([[1.0], [2.0]]), np.eye(2)
    if k.shape[1] == 1
these keys, reshaped, are their own transpose, as every symmetric matrix is.
    np.eye(2), np.eye(2), np.eye(2)
    if np.array_equal(k.reshape(k.T.shape), k.T)
all values are equal, or nearly: their average is the same whatever the weights.
    np.eye(2), np.array([[0.0, 1.0], [2.0, 3.0]]), np.ones((2, 3))
    if values_tie(q, k, v)
each query scores all keys alike in both versions: take a query that tells them apart.
    np.zeros((1, 2)), np.array([[0.0, 1.0], [2.0, 3.0]]), np.eye(2)
    if (spreads(q, k) < 1e-6).all()
scores lie so far apart that one key is taken alone, in both versions the same one.
    np.eye(2), np.array([[0.0, 1e4], [2e4, 3e4]]), np.eye(2)
    if (spreads(q, k) > 20).any()
"""

exercise = break_it(
    reshaped,
    MISTAKES,
    broken=attention_with_reshaped_keys,
    right=attention,
    allowed=allowed,
    stated=([[0.6698]], [[0.5]]),
)
