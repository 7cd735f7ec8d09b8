"""A mask that ends where the matrix ends, and an offset in 32 bits."""

import numpy as np
import torch

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.engine.launch import on_kernels
from attnbook.exercises.solutions import triton as solutions
from attnbook.kernels import tl, triton
from attnbook.operation import describe


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


def _matrix(scores):
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu" or scores.ndim != 2:
        return f"scores is {describe(scores)}; the check wants rows of numbers, [[1, 2], [3, 4]]."
    if not (1 <= scores.shape[0] <= 2 and 1 <= scores.shape[1] <= 8):
        return f"scores has the shape {scores.shape}; the check wants 1 or 2 rows of at most 8."
    if not np.isfinite(scores).all():
        return "scores holds infinity or NaN; the check wants finite numbers."
    return None


def _is_power(scores):
    n = scores.shape[1]
    return n & (n - 1) == 0


next_row = Break(
    name="triton.next_row",
    title="A mask for the whole matrix",
    level="easy",
    minutes=5,
    solution_of=solutions.next_row,
    wrong=leaking_softmax,
    right=tight_softmax,
    written=leaking,
    through=on_kernels,
    allowed=_matrix,
    hints=(
        "With three columns a program has four lanes. Which number does the fourth of row 0 read?",
        "It reads the first number of the next row: is that masked by i < size?",
        "The last row has no next one, and a width of 1, 2, 4 or 8 has no lane to spare.",
    ),
    explanation=(
        "`i < size` keeps a program inside the matrix, and that is not enough: the spare lane of "
        "row 0 reads the first number of row 1, whose exponential enters the sum. Only the last "
        "row is right. The mask belongs to the row: `j < n`."
    ),
    misconceptions=(
        Miss(
            ([[0.0, 1.0, 2.0]],), lambda scores: len(scores) == 1, "there is no next row to read."
        ),
        Miss(
            ([[0.0, 1.0], [2.0, 3.0]],),
            _is_power,
            "the width is a power of two: no lane is left over that could read too far.",
        ),
        Miss(
            ([[0.0, 0.0, 0.0], [-999.0, 0.0, 0.0]],),
            lambda scores: True,
            "a lane does read the next row, and finds a score so low that it weighs nothing.",
        ),
    ),
    notice="No address was outside the array, so no tool that looks for such would have told.",
)


def last_offset(batch, heads, n):
    """The place of the last number of an array (batch, heads, n, 128)."""
    return batch * heads * n * 128 - 1


def last_offset_in_32_bits(batch, heads, n):
    """The same place, computed as a kernel does by default."""
    return (batch * heads * n * 128 - 1 + 2**31) % 2**32 - 2**31


def on_whole_numbers(function):
    return lambda *sizes: function(*map(int, sizes))


def _fits(batch, heads, n):
    for name, value in {"batch": batch, "heads": heads, "n": n}.items():
        if type(value) is float and value.is_integer():
            continue
        if type(value) is not int:
            return f"{name} is {describe(value)}; the check wants a whole number."
    if min(batch, heads, n) < 1:
        return "the check wants numbers of 1 or more."
    size = 2 * 128 * int(batch) * int(heads) * int(n)
    if size > 80 * 2**30:
        little = f"{size - 80 * 2**30} bytes more than 80 GiB"
        much = f"{min(size, 2**60) >> 30} GiB"
        return f"the array takes {little if size < 81 * 2**30 else much}, and the GPU has 80 GiB."
    return None


offset = Break(
    name="triton.offset",
    title="An offset in 32 bits",
    level="medium",
    minutes=5,
    solution_of=solutions.offset,
    wrong=last_offset_in_32_bits,
    right=last_offset,
    through=on_whole_numbers,
    allowed=_fits,
    hints=(
        "The largest integer of 32 bits, one of which is the sign, is 2³¹ − 1.",
        "How many numbers are more than that? In float16, how many GiB are they?",
        "batch · heads · n must exceed 2³¹/128 = 2²⁴.",
    ),
    explanation=(
        "Offsets count numbers, not bytes. $2^{31}$ numbers in float16 are 4 GiB, a twentieth of "
        "the memory of an H100; the first offset beyond wraps around to $-2^{31}$, and the kernel "
        "reads 4 GiB in front of the array. `tl.program_id(1).to(tl.int64)` makes the product one "
        "of 64 bits."
    ),
    misconceptions=(
        Miss(
            (16, 16, 65536),
            lambda batch, heads, n: batch * heads * n * 128 == 2**31,
            "2³¹ numbers have the offsets 0 to 2³¹ − 1, and that fits: one row more does not.",
        ),
        Miss(
            (8, 16, 65536),
            lambda batch, heads, n: batch * heads * n * 128 * 2 >= 2**31,
            "an offset counts numbers, not bytes: these are 2³¹ bytes or more, and fewer numbers.",
        ),
        Miss(
            (2, 8, 1024),
            lambda batch, heads, n: True,
            "the last offset is below 2³¹, and fits: take more.",
        ),
    ),
    notice="A kernel that nobody runs on 4 GiB passes every test, and then reads elsewhere.",
)
