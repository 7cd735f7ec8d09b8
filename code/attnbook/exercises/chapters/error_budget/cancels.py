"""What is left of a sum · medium · 6 min

Hints
1. From 2048 on the step of float16 is 2. What becomes of a 1 that is added to 2048?
2. The large number has to go away again, so that the sum is small.
3. A tie goes to the neighbour whose last digit is 0.

Why
2048 + 1 lies halfway between 2048 and 2050, and the tie goes to 2048. Then 2048 is subtracted, and 0
is left, where the sum is 1. The sizes add up to 4097, so the bound 3 u · 4097 allows an error of 6.

Notice
Where terms cancel, the error is small beside what was added, and as large as what is left. This is
why a bound has the sum of the sizes in it, and why a tolerance needs an absolute part.
"""

import functools

import numpy as np
import torch

from attnbook.exercises.engine import a_row, break_it


def cancels():
    """A one that is lost beside 2048."""
    return ([2048.0, 1.0, -2048.0],)


def sum_in_float16(numbers):
    """The sum of a tensor of float16, from left to right."""
    total = torch.tensor(0.0, dtype=torch.float16)
    for number in numbers:
        total = total + number
    return total


def sum_in_float64(numbers):
    """The same sum in float64, where such numbers are added exactly."""
    return numbers.double().sum()


def of_float16(function):
    """The function of a tensor of float16, as a function of numbers."""

    @functools.wraps(function)
    def call(numbers):
        return function(torch.from_numpy(numbers).half()).double().numpy()

    return call


def are_whole_and_cancel(numbers):
    if refusal := a_row(3, 6, -4096, 4096, numbers=numbers):
        return refusal
    for number in numbers:
        if number != np.round(number) or np.float16(number) != number:
            return f"numbers holds {number:g}; the check wants whole numbers that float16 holds."
    total = abs(numbers.sum())
    if not 1 <= total <= 8:
        return f"the sum is {total:g} in size; the check wants one from 1 to 8."
    return None


def partial(numbers):
    return np.cumsum(numbers)


MISTAKES = """
no partial sum lies beyond 2048, and up to there float16 has every whole number.
    [2048.0, -2048.0, 1.0]
    if np.abs(partial(numbers)).max() <= 2048
every partial sum is itself a float16 here, so that nothing is rounded.
    [2048.0, 2.0, -2048.0]
    if np.array_equal(np.float16(partial(numbers)), partial(numbers))
some additions are rounded here, and their errors cancel.
    [2048.0, 3.0, 1.0, -2048.0]
    if not np.array_equal(np.float16(partial(numbers)), partial(numbers))
"""

exercise = break_it(
    cancels,
    MISTAKES,
    broken=sum_in_float16,
    right=sum_in_float64,
    through=of_float16,
    allowed=are_whole_and_cancel,
    stated=(1, 0),
)
