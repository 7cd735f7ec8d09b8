"""A mask for the whole matrix · easy · 5 min

Hints
1. With three columns a program has four lanes. Which number does the fourth of row 0 read?
2. It reads the first number of the next row: is that masked by i < size?
3. The last row has no next one, and a width of 1, 2, 4 or 8 has no lane to spare.

Why
`i < size` keeps a program inside the matrix, and that is not enough: the spare lane of row 0 reads
the first number of row 1, whose exponential enters the sum. Only the last row is right. The mask
belongs to the row: `j < n`.

Notice
No address was outside the array, so a tool that looks for such addresses would have found nothing.
"""

import numpy as np
import torch

import attnbook.kernels  # before Triton
from attnbook.exercises.engine import break_it, finite_arrays
from attnbook.exercises.engine.launch import on_kernels

import triton
import triton.language as tl


def next_row():
    """A matrix of which a softmax reads beyond the end of a row."""
    return np.zeros((2, 3))


@triton.jit
def leaking(x_ptr, out_ptr, n, size, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    i = tl.program_id(0) * n + j
    s = tl.load(x_ptr + i, mask=i < size, other=-float("inf"))
    p = tl.exp(s - tl.max(s, 0))
    tl.store(out_ptr + i, p / tl.sum(p, 0), mask=j < n)


@triton.jit
def tight(x_ptr, out_ptr, n, size, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    i = tl.program_id(0) * n + j
    s = tl.load(x_ptr + i, mask=j < n, other=-float("inf"))
    p = tl.exp(s - tl.max(s, 0))
    tl.store(out_ptr + i, p / tl.sum(p, 0), mask=j < n)


def softmax_by(kernel, scores):
    scores, (rows, n) = scores.double(), scores.shape
    out = torch.empty_like(scores)
    kernel[(rows,)](scores, out, n, rows * n, BLOCK=triton.next_power_of_2(n))
    return out


def leaking_softmax(scores):
    return softmax_by(leaking, scores)


def tight_softmax(scores):
    return softmax_by(tight, scores)


def is_small_matrix(scores):
    if refusal := finite_arrays(2, "rows of numbers, [[1, 2], [3, 4]]", scores=scores):
        return refusal
    if scores.shape[0] > 2 or scores.shape[1] > 8:
        return f"scores has the shape {scores.shape}; the check wants 1 or 2 rows of at most 8."
    return None


MISTAKES = """
there is no next row to read.
    [[0.0, 1.0, 2.0]]
    if len(scores) == 1
the width is a power of two: no lane is left over that could read too far.
    [[0.0, 1.0], [2.0, 3.0]]
    if scores.shape[1] in (1, 2, 4, 8)
a lane does read the next row, and finds a score so low that it weighs nothing.
    [[0.0, 0.0, 0.0], [-999.0, 0.0, 0.0]]
    if True
"""

exercise = break_it(
    next_row,
    MISTAKES,
    broken=leaking_softmax,
    right=tight_softmax,
    written=leaking,
    through=on_kernels,
    allowed=is_small_matrix,
    stated=([[1 / 3] * 3] * 2, [[1 / 4] * 3, [1 / 3] * 3]),
)
