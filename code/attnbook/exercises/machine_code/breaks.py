"""Numbers added in two orders, and a mask that seems idle."""

import math

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import machine_code as solutions
from attnbook.operation import describe


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


def _is_exact(numbers):
    return float(added_in_order(numbers)) == math.fsum(numbers)


def _row(name, largest):
    def allowed(values):
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiu":
            return f"{name} is {describe(values)}; the check wants a list of numbers, [1, 2, 3]."
        if values.ndim != 1 or not 1 <= values.size <= 8:
            return f"{name} has the shape {values.shape}; the check wants a list of 1 to 8 numbers."
        if (beyond := ~(np.abs(values) <= largest)).any():
            found, limit = f"{values[beyond][0]:g}", f"{largest:g}"
            return f"{name} holds {found}; the check wants numbers from -{limit} to {limit}."
        return None

    return allowed


unordered = Break(
    name="machine_code.unordered",
    title="The order of the atomics",
    level="easy",
    minutes=4,
    solution_of=solutions.unordered,
    wrong=added_as_they_come,
    right=added_in_order,
    allowed=_row("numbers", 1e30),
    to_the_bit=True,
    explanation=(
        "A float32 near $10^8$ is a multiple of 8, so $1 + (-10^8)$ is $-10^8$, and adding $10^8$ "
        "leaves 0. In order the large numbers cancel first, and 1 is left. Gradients do not cancel "
        "so wholly, but their last digits go the same way."
    ),
    hints=(
        "Two numbers never do it: a + b = b + a, rounded too.",
        "Between which floats does 1 vanish? Those near 1e8 are 8 apart.",
        "Let two large numbers cancel, and a small one come before or after.",
    ),
    misconceptions=(
        Miss(
            ([1e8, 1.0],),
            lambda numbers: numbers.size < 3,
            "fewer than three numbers: a + b and b + a are the same, rounded too.",
        ),
        Miss(
            ([1e8, 1.0, 1e8],),
            lambda numbers: np.array_equal(numbers, numbers[::-1]),
            "it reads the same from both ends, so both orders are one.",
        ),
        Miss(
            ([1.0, 2.0, 3.0],),
            lambda numbers: (
                bool(np.all(numbers == np.round(numbers))) and np.abs(numbers).sum() < 2**24
            ),
            "whole numbers below 2²⁴ are added exactly: nothing is rounded, in any order.",
        ),
        Miss(
            ([0.5, 0.25, 0.125],),
            _is_exact,
            "nothing is lost, in either order: take sizes further apart.",
        ),
        Miss(
            ([1e8, 1.0, -1e8],),
            lambda numbers: np.array_equal(np.abs(numbers), np.abs(numbers[::-1])),
            "the same is lost from both ends: at one end let the large ones cancel first.",
        ),
        Miss(
            ([1e8, 1e8, 1.0],),
            lambda numbers: True,
            "these happen to round alike: take sizes further apart, and let the large ones cancel.",
        ),
    ),
    notice="Which program comes first differs from run to run, and so do the last digits.",
)

BLOCK = 4


def _in_blocks(scores):
    """Keys and values in float32 with zeros past the end, and L and the row sum of one query."""
    n = scores.size
    k, v = np.zeros((2, -(-n // BLOCK) * BLOCK), np.float32)
    k[:n], v[:n] = scores, np.arange(n)
    weights = np.exp(k[:n] - k[:n].max())
    lse = k[:n].max() + np.log(weights.sum())
    return k, v, lse, np.sum(weights / weights.sum() * v[:n])


@np.errstate(over="ignore", invalid="ignore")
def without_a_mask(scores):
    k, v, lse, along = _in_blocks(scores)  # zeros past the end
    weights = np.exp(k - lse)
    return np.sum(weights * (v - along) * k)


@np.errstate(over="ignore", invalid="ignore")
def with_a_mask(scores):
    k, v, lse, along = _in_blocks(scores)
    weights = np.where(np.arange(k.size) < scores.size, np.exp(k - lse), np.float32(0))
    return np.sum(weights * (v - along) * k)


idle_mask = Break(
    name="machine_code.idle_mask",
    title="A mask that seems idle",
    level="medium",
    minutes=8,
    solution_of=solutions.idle_mask,
    wrong=without_a_mask,
    right=with_a_mask,
    allowed=_row("scores", 1e4),
    explanation=(
        "A key of zeros has the score 0 and the weight $e^{0 - L}$, which is multiplied by a row "
        "of zeros in the end. In real numbers that is 0. If $L$ lies below about −88.7, $e^{-L}$ "
        "overflows in float32, and infinity times 0 is NaN."
    ),
    hints=(
        "How many keys does it take for a block of four to have keys past its end?",
        "The score of such a key is 0, its weight exp(0 - L). By what is it multiplied then?",
        "What is infinity times 0? How low must L be for exp(-L) to overflow in float32?",
    ),
    misconceptions=(
        Miss(
            ([-100.0, -100.0, -100.0, -100.0],),
            lambda scores: scores.size % BLOCK == 0,
            "four or eight keys fill their blocks: no key stands past the end.",
        ),
        Miss(
            ([100.0],),
            lambda scores: scores.max() >= 0,
            "L is 0 or more, so exp(-L), the weight of a key of zeros, is at most 1.",
        ),
        Miss(
            ([-50.0],),
            lambda scores: True,
            "exp(-L) is finite here, and a finite number times 0 is 0: let L be lower.",
        ),
    ),
    notice="What is multiplied by zero must be finite first: keep the mask.",
)
