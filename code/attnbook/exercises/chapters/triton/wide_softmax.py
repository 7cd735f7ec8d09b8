"""The softmax of a wide row · medium · 20 min

Hints
1. Two loops over the same blocks: the first carries m and l, the second stores weights.
2. other=-float('inf') for lanes past the end: they raise no maximum and add e^−∞ = 0.
3. new = tl.maximum(m, tl.max(s, 0)), then l = tl.exp(m - new) * l + tl.sum(…).
4. Where new is −∞ shift by 0, and where l is 0 divide by 1.

Why
The first pass is the online softmax of an earlier chapter, without values; what it cannot give are
the weights, since m and l are known only at the end. So the row is read twice and written once.

Notice
Read twice, written once: the price of weights. Attention needs none, and one pass.
"""

import numpy as np
import torch

import attnbook.kernels  # before Triton
from attnbook import reference
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.gpu_compile import refused_by_a_gpu
from attnbook.exercises.engine.launch import on_kernels

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    m = -float("inf")
    l = 0.0
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
        new = tl.maximum(m, tl.max(s, 0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        l = tl.exp(m - shift) * l + tl.sum(tl.exp(s - shift), 0)
        m = new
    shift = tl.where(m == -float("inf"), 0.0, m)
    l = tl.where(l == 0, 1.0, l)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
        tl.store(out_ptr + row + j, tl.exp(s - shift) / l, mask=j < n)


def wide_softmax(x):
    """The softmax of each row, four numbers at a time."""
    out = torch.empty_like(x)
    softmax_kernel[(x[..., 0].numel(),)](x, out, x.shape[-1], BLOCK=4)
    return out


rng = np.random.default_rng(21)


def rows(*shape):
    return (3 * rng.standard_normal(shape)).astype(np.float32)


def ln(*exponentials):
    with np.errstate(divide="ignore"):
        return np.log(np.float32(exponentials))


CASES = (
    case(x=ln(1, 3, 4), gives=np.float32([1 / 8, 3 / 8, 4 / 8])),
    case(x=ln(2, 1, 1, 4)),
    case(x=ln(1, 1, 1, 1, 4), gives=np.float32([1 / 8, 1 / 8, 1 / 8, 1 / 8, 4 / 8])),
    case(x=ln(1, 2, 1, 4, 8, 4, 2, 2)),
    case(x=ln(8, 4, 2, 1, 1)),
    case(x=-5 + rows(2, 9)),
    case(x=rows(2, 2, 6)),
    case(x=ln([0, 0, 0, 0, 1, 3], [1, 0, 0, 0, 0, 0])),
    case(x=ln([0] * 6, [1] * 6)),
    case(x=ln([3], [5]), gives=np.float32([[1], [1]])),
    stress(x=np.float32([[1000.0, 1001.0, 999.0, 0.0, 1000.0]])),
    stress(x=np.float32([[300.0, 1.0, 2.0, 3.0, 0.0, 1.0]])),
    stress(x=np.float32([[-1000.0, -1001.0, -999.0, -1000.0, -1000.0]])),
    stress(x=np.float32([[0.0, 1.0, 2.0, 0.0, 200.0, 199.0]])),
    stress(x=np.float32([[-1e10, -1e12, -1e12, -1e12]])),
    stress(x=np.float32([[-1e10, -1e12, -1e12, -1e12, -1e12]])),
)

MISTAKES = r"""
lanes past the end are read as a number, whose exponential enters the sum: other=-float('inf').
    other=-float("inf") ⇒ other=0.0 || other=-1e4
without `other` a lane past the end may hold anything, and in the check NaN: other=-float('inf').
    other=-float("inf") ⇒
l is carried on: exp(m − new) times what it was, and then the new sum; m = new comes behind both.
    tl.exp(m - shift) * l → l
    tl.exp(m - shift) * l + →
    m = new → m = m ; tl.where(m == -float("inf"), 0.0, m) → tl.where(new == -float("inf"), 0.0, new)
m stays −∞: at the end of each block it takes the new maximum, m = new.
    m = new → m = m
the new exponentials are shifted by the old m: they and l need one shift, the new maximum.
    tl.exp(s - shift), 0) → tl.exp(s - m), 0)
    tl.exp(s - shift), 0) → tl.exp(s - tl.where(m == -float("inf"), 0.0, m)), 0)
j begins at 0 again in each block: its lanes are start + tl.arange(0, BLOCK).
    start + tl.arange ⇒ tl.arange
    start + tl.arange(0, BLOCK)\n        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))\n        new → tl.arange(0, BLOCK)\n        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))\n        new
    start + tl.arange(0, BLOCK)\n        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))\n        tl → tl.arange(0, BLOCK)\n        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))\n        tl
the second pass has the scores of the last block only: load each block once more.
    s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))\n        tl.store → tl.store
the weights are stored into x: store them into out.
    tl.store(out_ptr → tl.store(x_ptr
all is NaN: is each weight stored, and is c = exp(m − new)? Turned round it is ∞.
    tl.exp(m - shift) → tl.exp(shift - m)
a part of the row is left out, all but the first block or a last one that is not full: loop from 0
to n.
    range(0, n, BLOCK) ⇒ range(0, n // BLOCK * BLOCK, BLOCK) || range(0, BLOCK, BLOCK)
both passes have to subtract m: else large scores overflow, and the weights do not fit l.
    tl.exp(s - shift) / l → tl.exp(s) / l
    tl.exp(m - shift) * l → l ; s - shift ⇒ s
m is the maximum of one block, the first or the last: take the larger of m and each block's.
    tl.maximum(m, tl.max(s, 0)) → tl.where(start == 0, tl.max(s, 0), tl.where(m == -float("inf"), 0.0, m))
    tl.maximum(m, tl.max(s, 0)) → tl.max(s, 0)
m starts at a number, and a row may lie below it: start at -float('inf').
    m = -float("inf") → m = 0.0 || m = -10000.0
where nothing is visible m is −∞ and l is 0: shift by 0 there, since −∞ − (−∞) is NaN, and divide by
1.
    tl.where(new == -float("inf"), 0.0, new) → new ; tl.where(m == -float("inf"), 0.0, m) → m
    tl.where(l == 0, 1.0, l) → l
the weights are not divided by l.
    tl.exp(s - shift) / l → tl.exp(s - shift)
these are logarithms of the weights.
    tl.exp(s - shift) / l → s - shift - tl.log(l)
row r begins at tl.program_id(0) * n, in x and in out: rows are n numbers apart.
    x_ptr + row ⇒ x_ptr
    out_ptr + row → out_ptr
    tl.program_id(0) * n → 0 || tl.program_id(0) * BLOCK || tl.program_id(0)
m and l belong to the whole row: they still change until its last block has been seen.
    = torch.cat([wide_softmax(x[..., : i + 4].contiguous())[..., i:] for i in range(0, x.shape[-1], 4)], dim=-1)
    = torch.cat([wide_softmax(block.contiguous()) for block in x.split(4, dim=-1)], dim=-1)
    m = new → m = new\n        tl.store(out_ptr + row + j, tl.exp(s - shift) / l, mask=j < n) ; n, BLOCK):\n        j = start + tl.arange(0, BLOCK)\n        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))\n        tl → 0, BLOCK):\n        j = start + tl.arange(0, BLOCK)\n        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))\n        tl
2^x is not e^x: tl.exp2 wants scores times log2(e), or take tl.exp.
    tl.exp( ⇒ tl.exp2(
"""

exercise = write(
    wide_softmax,
    CASES,
    MISTAKES,
    written=softmax_kernel,
    through=on_kernels,
    refused=refused_by_a_gpu,
    exact_zeros=True,
    oracle=reference.softmax,
)
