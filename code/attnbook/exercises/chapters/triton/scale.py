"""A masked scale · easy · 8 min

Hints
1. Three lines: which numbers i are this program's, load them, store what they become.
2. i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), as in the sum of the chapter.
3. Both tl.load and tl.store take mask=i < n.

Why
It is the sum of the chapter with a number in the place of a vector: a number is an argument like
any other, and comes without a pointer.

Notice
Sixteen lanes work in each program; in the last some of them have nothing to do.
"""

import numpy as np
import torch

import attnbook.kernels  # before Triton
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.gpu_compile import refused_by_a_gpu
from attnbook.exercises.engine.launch import on_kernels

import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, factor * x, mask=i < n)


def scale(x, factor):
    """factor · x, by programs of 16 numbers each."""
    out = torch.empty_like(x)
    grid = (triton.cdiv(len(x), 16),)
    scale_kernel[grid](x, out, factor, len(x), BLOCK=16)
    return out


def in_numpy(x, factor):
    with np.errstate(over="ignore"):
        return x * np.float32(factor)


def up_to(n):
    return np.arange(1, n + 1, dtype=np.float32)


CASES = (
    case(x=up_to(3), factor=2.0, gives=np.float32([2, 4, 6])),
    case(x=up_to(1), factor=-0.5),
    case(x=up_to(16), factor=3.0),
    case(x=up_to(17), factor=2.0),
    case(x=up_to(40) / 3, factor=0.25),
    case(x=up_to(64), factor=1.5),
    stress(x=np.float32([np.inf, -1.0, np.nan, 0.0]), factor=2.0),
    stress(x=np.float32([1e38, -1e38, 1.0, 2.0]), factor=10.0),
)

MISTAKES = r"""
the places of a program are tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), a block for each.
    tl.program_id(0) * BLOCK + →
    tl.program_id(0) * BLOCK + tl.arange(0, BLOCK) → tl.program_id(0) + tl.zeros((BLOCK,), tl.int32)
    tl.program_id(0) * BLOCK → tl.program_id(0)
the last number is left out: the mask is i < n.
    i < n ⇒ i < n - 1
the result is stored into x: store it into out.
    tl.store(out_ptr → tl.store(x_ptr
the result depends on what out held before: store there, whatever it holds.
    factor * x → tl.load(out_ptr + i, mask=i < n) + factor * x
a pointer has no [i]: tl.load(x_ptr + i), and tl.store(out_ptr + i, …).
    tl.load(x_ptr + i, mask=i < n) → x_ptr[i]
    tl.store(out_ptr + i, factor * x, mask=i < n) → out_ptr[i] = factor * x
x_ptr + i are addresses: tl.load brings the numbers.
    tl.load(x_ptr + i, mask=i < n) → x_ptr + i
factor is a number already, and no pointer: no tl.load.
    factor * x → tl.load(factor) * x
tl.arange takes constants: tl.program_id(0) * BLOCK + tl.arange(0, BLOCK).
    i = tl.program_id(0) * BLOCK + tl.arange(0, → start = tl.program_id(0) * BLOCK\n    i = tl.arange(start, start +
places count numbers, not bytes: x_ptr + i is the address of number i.
    _ptr + i ⇒ _ptr + 4 * i
    tl.program_id(0) * BLOCK + tl.arange(0, BLOCK) → 4 * (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
factor is added: it should multiply.
    factor * x → factor + x
"""

exercise = write(
    scale,
    CASES,
    MISTAKES,
    written=scale_kernel,
    through=on_kernels,
    refused=refused_by_a_gpu,
    oracle=in_numpy,
)
