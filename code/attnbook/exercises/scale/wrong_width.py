"""A version of attention whose scale comes from the width of the values."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.families.matrices import allowed, spread, values_tie
from attnbook.exercises.solutions import scale as solutions
from attnbook.reference import scaled_dot_product_attention


def attention(q, k, v):
    """The right version, from the package."""
    return scaled_dot_product_attention(q, k, v)


def attention_scaled_by_the_values(q, k, v):
    """The wrong version that the exercise shows."""
    return scaled_dot_product_attention(q, k, v, scale=v.shape[-1] ** -0.5)


value_width = Break(
    name="scale.value_width",
    title="A scale from the wrong width",
    level="medium",
    minutes=10,
    wrong=attention_scaled_by_the_values,
    right=attention,
    allowed=allowed,
    solution_of=solutions.value_width,
    hints=(
        "The two versions differ in one number: 1/√d_v for 1/√d_k. For which shapes are they "
        "equal?",
        "A scale changes nothing where all scores of a row are equal. Give the query two keys that "
        "it scores differently.",
        "The weights must matter in the output: give the two keys different values.",
    ),
    explanation=(
        "Three things have to come together: d_v ≠ d_k, so that the scales differ; unequal "
        "scores, so that the weights differ; unequal values, so that the outputs differ. Here "
        "the weight of the second key is 1 / (1 + exp(−1)) = 0.73, and 1 / (1 + exp(−1/2)) = "
        "0.62 in the wrong version."
    ),
    misconceptions=(
        Miss(
            (np.eye(2), np.eye(2), np.eye(2)),
            lambda q, k, v: v.shape[1] == k.shape[1],
            "here d_v = d_k, so both versions have the same scale.",
        ),
        Miss(
            (np.ones((2, 1)), np.ones((1, 1)), np.ones((1, 4))),
            lambda q, k, v: len(k) == 1,
            "with one key its weight is 1 whatever the score.",
        ),
        Miss(
            (np.ones((1, 2)), np.ones((3, 2)), np.arange(12.0).reshape(3, 4)),
            lambda q, k, v: spread(q, k.T) < 1e-6,
            "each query scores all keys alike, or nearly: even weights stay even under any scale.",
        ),
        Miss(
            (np.ones((1, 1)), np.array([[0.0], [1.0]]), np.ones((2, 4))),
            values_tie,
            "all values are equal, or nearly: their average is the same whatever the weights.",
        ),
        Miss(
            (np.ones((1, 1)), np.array([[0.0], [1e4]]), np.eye(2, 4)),
            lambda q, k, v: not spread(q, k.T) < 20,
            "a query whose scores lie this far apart takes one key alone, at either scale.",
        ),
    ),
    notice=(
        "Most models choose d_v = d_k, and there this mistake can live for years. A test of "
        "attention needs sizes that all differ."
    ),
)
