"""A version of attention that reshapes the keys where it should transpose them."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.families.matrices import allowed, spread, values_tie
from attnbook.exercises.solutions import dot_product as solutions
from attnbook.reference import scaled_dot_product_attention, softmax


def attention(q, k, v):
    """The right version, from the package."""
    return scaled_dot_product_attention(q, k, v)


def attention_with_reshaped_keys(q, k, v):
    """The wrong version that the exercise shows."""
    n_k, d_k = k.shape
    return softmax(q @ k.reshape(d_k, n_k) / d_k**0.5) @ v


def _both_spreads(q, k):
    return np.array([spread(q, k.T), spread(q, k.reshape(k.T.shape))])


reshaped = Break(
    name="dot_product.reshaped",
    title="A transpose that fits",
    level="easy",
    minutes=6,
    wrong=attention_with_reshaped_keys,
    right=attention,
    allowed=allowed,
    solution_of=solutions.reshaped,
    hints=(
        "`reshape` keeps the numbers in the order in which they are read, row by row. Write down "
        "`k.T` and `k.reshape(d_k, n_k)` for two keys of width 2.",
        "A square matrix keeps its shape, so here `reshape` does nothing. Which square matrices "
        "does the transpose change?",
        "The difference must reach the output: a query that sees it, and two different values.",
    ),
    explanation=(
        "`k.reshape(2, 2)` is k itself. The query (1, 0) reads the first entry of each key, 0 and "
        "1, so the second key's weight is 1 / (1 + exp(−1/√2)) = 0.67. The wrong version reads "
        "the entries of the first key, 0 and 0, and weighs both keys alike."
    ),
    misconceptions=(
        Miss(
            (np.ones((2, 3)), np.ones((1, 3)), np.ones((1, 4))),
            lambda q, k, v: len(k) == 1,
            "with one key its weight is 1 whatever the score.",
        ),
        Miss(
            (np.ones((2, 1)), np.array([[1.0], [2.0]]), np.eye(2)),
            lambda q, k, v: k.shape[1] == 1,
            "keys of width 1 are one column, and reshaped or transposed it is the same row.",
        ),
        Miss(
            (np.eye(2), np.eye(2), np.eye(2)),
            lambda q, k, v: np.array_equal(k.reshape(k.T.shape), k.T),
            "these keys, reshaped, are their own transpose, as every symmetric matrix is.",
        ),
        Miss(
            (np.eye(2), np.array([[0.0, 1.0], [2.0, 3.0]]), np.ones((2, 3))),
            values_tie,
            "all values are equal, or nearly: their average is the same whatever the weights.",
        ),
        Miss(
            (np.zeros((1, 2)), np.array([[0.0, 1.0], [2.0, 3.0]]), np.eye(2)),
            lambda q, k, v: (_both_spreads(q, k) < 1e-6).all(),
            "each query scores all keys alike in both versions: take a query that tells them "
            "apart.",
        ),
        Miss(
            (np.eye(2), np.array([[0.0, 1e4], [2e4, 3e4]]), np.eye(2)),
            lambda q, k, v: (_both_spreads(q, k) > 20).any(),
            "scores lie so far apart that one key is taken alone, in both versions the same one.",
        ),
    ),
    notice=(
        "Both are arrays of the right shape, and on symmetric keys even the same. The unequal "
        "numbers of a test must show the order, as its unequal sizes show the shape."
    ),
)
