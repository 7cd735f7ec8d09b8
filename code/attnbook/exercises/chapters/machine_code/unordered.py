"""The order of the atomics · easy · 4 min

Hints
1. Two numbers never do it, because a + b = b + a, even when it is rounded.
2. Between which floats does 1 vanish? Those near 1e8 are 8 apart.
3. Let two large numbers cancel, and put a small one before or behind them.

Why
A float32 near $10^8$ is a multiple of 8, so $1 + (-10^8)$ is $-10^8$, and adding $10^8$ leaves 0.
In the order of the list the large numbers cancel first, and 1 is left. Gradients do not cancel so
completely, but their last digits are lost in the same way.

Notice
Which program comes first may differ from run to run, and so may the last digits.
"""

import math

import numpy as np

from attnbook.exercises.engine import a_row, break_it


def unordered():
    """1 is lost beside 1e8, unless both large numbers have cancelled before it comes."""
    return np.array([1e8, -1e8, 1.0])


def added_as_they_come(numbers):
    total = np.float32(0)
    for x in numbers[::-1].astype(np.float32):
        total += x
    return total


def added_in_order(numbers):
    total = np.float32(0)
    for x in numbers.astype(np.float32):
        total += x
    return total


MISTAKES = """
there are fewer than three numbers, and a + b and b + a are the same, even when they are rounded.
    [1e8, 1.0]
    if numbers.size < 3
the list reads the same from both ends, so both orders are the same.
    [1e8, 1.0, 1e8]
    if np.array_equal(numbers, numbers[::-1])
whole numbers below 2²⁴ are added exactly: nothing is rounded, in any order.
    [1.0, 2.0, 3.0]
    if np.all(numbers == np.round(numbers)) and np.abs(numbers).sum() < 2**24
nothing is lost, in either order: take sizes further apart.
    [0.5, 0.25, 0.125]
    if float(added_in_order(numbers)) == math.fsum(numbers)
the same is lost from both ends: at one end let the large ones cancel first.
    [1e8, 1.0, -1e8]
    if np.array_equal(np.abs(numbers), np.abs(numbers[::-1]))
these happen to round alike: take sizes further apart, and let the large ones cancel.
    [1e8, 1e8, 1.0]
    if True
"""

exercise = break_it(
    unordered,
    MISTAKES,
    broken=added_as_they_come,
    right=added_in_order,
    allowed=lambda numbers: a_row(1, 8, -1e30, 1e30, numbers=numbers),
    to_the_bit=True,
    stated=(1, 0),
)
