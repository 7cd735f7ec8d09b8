"""A mean in float16, whose sum leaves the range."""

import functools

import numpy as np
import torch

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import precision as solutions


def mean_in_float16(values):
    """The mean of a tensor of float16."""
    total = torch.tensor(0.0, dtype=torch.float16)
    for value in values:
        total = total + value
    return total / len(values)


def mean_rounded_once(values):
    """The same mean, computed in float32."""
    return values.float().mean().half()


def in_float16(function):
    """The function of a tensor of float16, as a function of numbers."""

    @functools.wraps(function)
    def call(values):
        return function(torch.from_numpy(values).half()).numpy()

    return call


def _allowed(values):
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "if" or values.ndim != 1:
        return "values is a list of numbers, such as [1.0, 2.0]."
    if not 2 <= len(values) <= 8:
        return f"the list has {len(values)} numbers; between 2 and 8 are enough."
    if not np.all((values >= 0) & (values <= 65504)):
        return "each number lies between 0 and 65504, the largest float16."
    return None


half_mean = Break(
    name="precision.half_mean",
    title="A mean that leaves the range",
    level="easy",
    minutes=5,
    solution_of=solutions.half_mean,
    wrong=mean_in_float16,
    right=mean_rounded_once,
    through=in_float16,
    allowed=_allowed,
    explanation=(
        "A mean lies between its numbers, but its sum need not: 40000 + 40000 is above 65504, the "
        "largest float16, so the sum is ∞, and ∞ / 2 too. In float32 the sum is 80000, and the "
        "mean, 40000, fits into float16 again."
    ),
    hints=(
        "Which number does the function hold before it divides?",
        "What is the largest float16, and what comes after it?",
    ),
    misconceptions=(
        Miss(
            ([65504.0, 0.0],),
            lambda values: values.max() >= 60000 and values.sum() <= 65504,
            "one large number alone is a float16; it is the sum that has to leave the range.",
        ),
        Miss(
            ([65504.0, 10.0],),
            lambda values: values.sum() > 65504,
            "the sum is beyond 65504 by less than half a step, and is rounded back: go further.",
        ),
        Miss(
            ([30000.0, 30000.0],),
            lambda values: values.max() < 60000 and 20000 <= values.sum() <= 65504,
            "the sum is still a float16: it has to pass 65504.",
        ),
        Miss(
            ([0.001, 0.002],),
            lambda values: values.max() < 1,
            "small numbers lose digits at most: it is the other end of the range that is near.",
        ),
        Miss(
            ([2048.0, 1.0, 1.0, 1.0],),
            lambda values: values.max() < 60000 and values.sum() <= 65504,
            "the sum is rounded at most, by less than a thousandth a step; it has to overflow.",
        ),
    ),
    notice="A mean, a norm, a variance: each holds a sum on the way that its result does not show.",
)
