"""Scores that are large and not saturated, and a temperature that comes too late."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import temperature as solutions
from attnbook.operation import describe
from attnbook.reference import softmax


def zero_jacobian(scores):
    """Scores of 100 and more saturate, somebody says, so nothing has to be computed."""
    return np.zeros((len(scores), len(scores)))


def jacobian_of_row(scores):
    return solutions.jacobian(np.asarray(scores, dtype=float))


def powers_of_weights(scores, T):
    powers = softmax(scores) ** (1 / T)
    return powers / np.sum(powers)


def softmax_at(scores, T):
    return softmax(scores / T)


def _row(scores):
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu" or scores.ndim != 1:
        return f"scores is {describe(scores)}; the check wants a list of numbers, [1, 2, 3]."
    if not 1 <= scores.size <= 8:
        return f"there are {scores.size} scores; the check wants 1 to 8."
    if not np.all(np.abs(scores.astype(float)) <= 1e6):
        return "scores should be finite numbers between -1,000,000 and 1,000,000."
    return None


def _large_row(scores):
    if refusal := _row(scores):
        return refusal
    return None if np.all(scores >= 100) else "every score should be 100 or more."


def _row_and_temperature(scores, T):
    if not isinstance(T, (int, float)) or not 0.01 <= T <= 1000:
        return "T should be one number from 0.01 to 1000."
    return _row(scores)


def _tie_below(scores):
    return np.sum(scores == scores.max()) == 1 and np.unique(scores).size < scores.size


def _none_vanishes(scores, T):
    return np.min(softmax(scores.astype(float))) > 0


saturated = Break(
    name="temperature.saturated",
    title="Large, therefore saturated?",
    level="easy",
    minutes=3,
    solution_of=solutions.saturated,
    wrong=zero_jacobian,
    right=jacobian_of_row,
    allowed=_large_row,
    explanation=(
        "A number added to all scores cancels, so the scores 100 and 100 have the weights 1/2 and "
        "1/2 of the scores 0 and 0, and the largest Jacobian that two keys can have. Saturation "
        "comes from the distance between the best score and the next, not from their size."
    ),
    hints=(
        "What happens to the weights if 100 is subtracted from every score?",
        "When is an entry of J as large as it can be? Give two keys the weight 1/2.",
    ),
    misconceptions=(
        Miss(
            ([100.0],),
            lambda scores: scores.size == 1,
            "a single key always has the weight 1, so nothing can move: take two keys.",
        ),
        Miss(
            ([100.0, 100.0, 200.0],),
            _tie_below,
            "two scores tie, but a third leads by far and has all the weight: let the best tie.",
        ),
        Miss(
            ([100.0, 200.0],),
            lambda scores: True,
            "the best score leads by so much that it has all the weight: bring another near it.",
        ),
    ),
    notice="Not the size of the scores saturates a softmax, but the lead of the best one.",
)

powers = Break(
    name="temperature.powers",
    title="Heated too late",
    level="medium",
    minutes=5,
    solution_of=solutions.powers,
    wrong=powers_of_weights,
    right=softmax_at,
    allowed=_row_and_temperature,
    explanation=(
        "In exact arithmetic $A_j^{1/T}$ is $e^{s_j / T}$ times a factor that cancels, so both "
        "agree. But the weight of the score −1000 beside 0 is too small for a float and is 0, and "
        "a power of 0 is 0. The scores still knew: divided by 1000 they are 0 and −1, with the "
        "weights 0.73 and 0.27."
    ),
    hints=(
        "On paper both are the same. What do floats do to a very small weight?",
        "Which scores give a weight of exactly 0, and what is 0 to any power?",
        "Two scores, 1000 apart, and a temperature high enough to bring them together.",
    ),
    misconceptions=(
        Miss(
            ([0.0, 1.0], 10.0),
            _none_vanishes,
            "no weight is too small for a float here, and the powers are right: move scores apart.",
        ),
        Miss(
            ([0.0, -1000.0], 0.5),
            lambda scores, T: T <= 1,
            "at 1 and below a weight of 0 becomes no larger, so both give 0: the temperature "
            "should rise.",
        ),
        Miss(
            ([0.0, -100_000.0], 2.0),
            lambda scores, T: True,
            "at this temperature the small weight is still 0: raise T, or bring the scores nearer.",
        ),
    ),
    notice="What has underflowed stays lost: temperature divides scores, never weights.",
)
