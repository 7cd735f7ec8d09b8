"""The clocks of each unit · medium · 8 min

Hints
1. Multiply by the warps, and divide by what the unit does in a clock.
2. Which of the four counts are instructions in which each of the 32 threads wants something?
3. counts has its four numbers in the last axis, so an array of four numbers fits any shape.

Why
All warps share the units. One instruction of a warp is 32 exponentials, sums or products, one for
each thread, but to the schedulers it is one instruction. The operations of matrix products are
counted for the warp as a whole. Each of the four is divided by the rate of its unit.

Notice
The largest of the four is the fewest clocks that an iteration can take.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def clocks(counts, warps):
    """What all warps ask of each unit, over what it does in a clock."""
    threads = np.array([1, 32, 32, 1])
    return counts * (warps * threads / np.array([4096, 16, 128, 4]))


def one_by_one(counts, warps):
    """Each count by itself: a clock does 4096 operations, and 1/2, 4 and 4 instructions of warps."""
    rows, rates = counts.reshape(-1, 4).tolist(), (4096, 1 / 2, 4, 4)
    each = [warps * x / rate for row in rows for x, rate in zip(row, rates, strict=True)]
    return np.array(each).reshape(counts.shape)


rng = np.random.default_rng(22)


def loops(*batch):
    return np.floor(np.array([1 << 19, 70, 300, 900]) * (0.5 + rng.random((*batch, 4))))


CASES = (
    case(counts=np.array([6144.0, 1.0, 6.0, 6.0]), warps=1, gives=np.array([1.5, 2, 1.5, 1.5])),
    case(counts=np.array([4096.0, 1.0, 4.0, 4.0]), warps=4, gives=np.array([4.0, 8, 4, 4])),
    case(counts=loops(3), warps=8),
    case(counts=loops(2, 3), warps=4),
    case(counts=np.array([[524288, 66, 429, 867], [6144, 1, 6, 7]]), warps=2),
    stress(counts=np.array([2**28, 70, 300, 900], np.int32), warps=8),
    stress(counts=np.array([2.0**25 + 1, 2.0**25 + 3, 2.0**25 + 5, 2.0**25 + 7]), warps=4),
    stress(counts=np.array([[1.0, 0, 0, 1], [1, 0, 0, 1]]), warps=4),
)

MISTAKES = r"""
counts of 32 bits overflow if they are multiplied as they are: go to float64 first.
    (warps * threads / np.array([4096, 16, 128, 4])) → warps * threads / np.array([4096, 16, 128, 4])
all warps share the units, and bring operations and instructions: multiply every count.
    warps * →
    warps * → np.array([1, warps, warps, warps]) * || np.array([warps, warps, warps, 1]) *
do not round: what is left of a clock goes to the next iteration.
    = np.floor(clocks(counts, warps)) || np.ceil(clocks(counts, warps))
    = np.round(clocks(counts, warps))
the counts are of operations: a multiplication and an addition are two of them already.
    4096 → 2048 || 8192
128 floats are served in a clock; 64 is the number for comparisons.
    128 → 64
exponentials and sums or products are counted for each of the 32 threads; operations and
instructions are those of the whole warp already.
    32, 32 → 1, 1 || 1, 32 || 32, 1
    1]) → 32])
    [1, → [32,
    np.array([1, 32, 32, 1]) → 32
four instructions are issued in a clock; 128 is the number of their threads.
    4])) → 128]))
these are the rates of a quarter of a multiprocessor: all four work at once.
    [4096, 16, 128, 4] → [1024, 4, 32, 1]
clocks are what all warps ask of a unit, divided by what it does in a clock.
    warps * threads → threads / warps
    = 1 / clocks(counts, warps)
    threads / → threads *
these two rates are exchanged: a clock does 16 exponentials, and 128 sums or products.
    16, 128 → 128, 16
"""

exercise = write(clocks, CASES, MISTAKES, oracle=one_by_one)
