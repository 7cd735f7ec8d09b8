"""Heated too late · medium · 5 min

Hints
1. On paper both are the same. What do floats do to a very small weight?
2. Which scores give a weight of exactly 0, and what is 0 to any power?
3. Two scores, 1000 apart, and a temperature high enough to bring them together.

Why
In exact arithmetic $A_j^{1/T}$ is $e^{s_j / T}$ times a factor that cancels, so both agree. But the
weight of the score −1000 beside 0 is too small for a float and is 0, and a power of 0 is 0. The
scores still knew: divided by 1000 they are 0 and −1, with the weights 0.73 and 0.27.

Notice
What has underflowed stays lost: temperature divides scores, never weights.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it, real_numbers
from attnbook.reference import softmax


def powers():
    """The second weight is 0 in a float64, but not at T = 1000."""
    return np.array([0.0, -1000.0]), 1000.0


def powers_of_weights(scores, T):
    powers = softmax(scores) ** (1 / T)
    return powers / np.sum(powers)


def softmax_at(scores, T):
    return softmax(scores / T)


def are_row_and_temperature(scores, T):
    return real_numbers(0.01, 1000, T=T) or a_row(1, 8, -1e6, 1e6, scores=scores)


MISTAKES = """
no weight is too small for a float here, and the powers are right: move scores apart.
    [0.0, 1.0], 10.0
    if np.min(softmax(scores.astype(float))) > 0
at 1 and below a weight of 0 becomes no larger, so both give 0: the temperature should rise.
    [0.0, -1000.0], 0.5
    if T <= 1
at this temperature the small weight is still 0: raise T, or bring the scores nearer.
    [0.0, -100_000.0], 2.0
    if True
"""

exercise = break_it(
    powers,
    MISTAKES,
    broken=powers_of_weights,
    right=softmax_at,
    allowed=are_row_and_temperature,
    stated=([0.7311, 0.2689], [1, 0]),
)
