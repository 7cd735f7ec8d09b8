"""A mean that leaves the range · easy · 5 min

Hints
1. Which number does the function hold before it divides?
2. What is the largest float16, and what comes after it?

Why
A mean lies between its numbers, but its sum need not: 40000 + 40000 is above 65504, the largest
float16, so the sum is ∞, and ∞ / 2 too. In float32 the sum is 80000, and the mean, 40000, fits into
float16 again.

Notice
A mean, a norm, a variance: each holds a sum on the way that its result does not show.
"""

import functools

import numpy as np
import torch

from attnbook.exercises.engine import a_row, break_it


def half_mean():
    """Two numbers whose sum is beyond 65504."""
    return ([40000.0, 40000.0],)


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


MISTAKES = """
one large number alone is a float16; it is the sum that has to leave the range.
    [65504.0, 0.0]
    if values.max() >= 60000 and values.sum() <= 65504
the sum is beyond 65504 by less than half a step, and is rounded back: go further.
    [65504.0, 10.0]
    if values.sum() > 65504
the sum is still a float16: it has to pass 65504.
    [30000.0, 30000.0]
    if values.max() < 60000 and 20000 <= values.sum() <= 65504
small numbers lose a few digits at most; it is the other end of the range that is near.
    [0.001, 0.002]
    if values.max() < 1
this sum is only rounded, each time by less than a thousandth of itself; it has to overflow.
    [2048.0, 1.0, 1.0, 1.0]
    if values.max() < 60000 and values.sum() <= 65504
"""

exercise = break_it(
    half_mean,
    MISTAKES,
    broken=mean_in_float16,
    right=mean_rounded_once,
    through=in_float16,
    allowed=lambda values: a_row(2, 8, 0, 65504, values=values),
    stated=(40000, np.inf),
)
