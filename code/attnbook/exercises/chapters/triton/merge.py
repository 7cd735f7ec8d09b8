"""A merge in a kernel · hard · 15 min

Hints
1. Each program has one row: two numbers L, and two rows of D numbers from i * D on.
2. L is a natural logarithm. shift = tl.maximum(a, b), and the shares are tl.exp(a - shift) and
   tl.exp(b - shift).
3. Two guards, as in the chapter on online softmax: where both L are −∞ shift by 0, and divide by 1.

Why
It is `merge` of the chapter on online softmax, one row to a program. On a GPU it is the second
kernel of split-KV decoding: the first leaves an output and L for each piece of the cache, and no
two programs ever write to one cell.

Notice
No row meets another, so no two programs write to one cell: no race, no atomics.
"""

import numpy as np
import torch

import attnbook.kernels  # before Triton
from attnbook import online
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.gpu_compile import refused_by_a_gpu
from attnbook.exercises.engine.launch import on_kernels

import triton
import triton.language as tl


@triton.jit
def merge_kernel(out_a, lse_a, out_b, lse_b, out, lse, D: tl.constexpr):
    i = tl.program_id(0)
    f = tl.arange(0, D)
    a = tl.load(lse_a + i)
    b = tl.load(lse_b + i)
    top = tl.maximum(a, b)
    shift = tl.where(top == -float("inf"), 0.0, top)
    share_a = tl.exp(a - shift)
    share_b = tl.exp(b - shift)
    total = share_a + share_b
    o = share_a * tl.load(out_a + i * D + f) + share_b * tl.load(out_b + i * D + f)
    some = tl.where(total == 0, 1.0, total)
    tl.store(out + i * D + f, o / some)
    tl.store(lse + i, tl.where(total == 0, top, shift + tl.log(some)))


def merge(out_a, lse_a, out_b, lse_b):
    """The output and L of two blocks of keys together."""
    out, lse = torch.empty_like(out_a), torch.empty_like(lse_a)
    arrays = out_a, lse_a, out_b, lse_b, out, lse
    merge_kernel[(lse.numel(),)](*arrays, D=out.shape[-1])
    return out, lse


def pair(out_a, sum_a, out_b, sum_b):
    """Two blocks from their outputs, and from their sums of exponentials."""
    with np.errstate(divide="ignore"):
        lse_a, lse_b = np.log(np.float32(sum_a)), np.log(np.float32(sum_b))
    return dict(out_a=np.float32(out_a), lse_a=lse_a, out_b=np.float32(out_b), lse_b=lse_b)


rng = np.random.default_rng(22)


def random(*shape, shift=0.0, both=0.0):
    draw = [rng.standard_normal(s).astype(np.float32) for s in (shape, shape[:-1]) * 2]
    out_a, lse_a, out_b, lse_b = draw
    lse_a, lse_b = lse_a + np.float32(shift + both), 2 * lse_b + np.float32(both)
    return dict(out_a=out_a, lse_a=lse_a, out_b=out_b, lse_b=lse_b)


EQUAL_SUMS = np.float32([[5.5, 1.0]]), np.log(np.float32([8.0]))
ONES = [[1.0, 2.0], [3.0, 4.0]]

CASES = (
    case(**pair([[3.0, 1.0]], [4.0], [[8.0, 1.0]], [4.0]), gives=EQUAL_SUMS),
    case(**pair(ONES, [3.0, 1.0], [[8.0, 8.0], [8.0, 8.0]], [1.0, 3.0])),
    case(**random(4, 4)),
    case(**random(2, 3, 8)),
    case(**pair(ONES, [2.0, 1.0], [[0.0, 0.0], [5.0, 6.0]], [0.0, 1.0])),
    case(**pair([[0.0, 0.0]], [0.0], [[5.0, 6.0]], [2.0])),
    case(**pair([[0.0, 0.0]] * 2, [0.0, 0.0], [[0.0, 0.0], [1.0, 2.0]], [0.0, 1.0])),
    stress(**random(2, 4, shift=200.0)),
    stress(**random(2, 4, shift=-200.0)),
    stress(**random(2, 4, both=200.0)),
    stress(**random(2, 4, both=-200.0)),
)

MISTAKES = r"""
L is a natural logarithm, and these are powers or logarithms of base 2: tl.exp and tl.log, or L ·
log₂ e before and L · ln 2 after.
    tl.exp( ⇒ tl.exp2(
    tl.log( → tl.log2(
    tl.exp( ⇒ tl.exp2( ; tl.log( → tl.log2(
    tl.exp( ⇒ tl.exp2( ; shift + tl.log(some) → 0.6931471805599453 * (shift + tl.log2(some))
shift by the larger L, below 0 too: with another shift, or without one, exponentials overflow or
vanish.
    tl.where(top == -float("inf"), 0.0, top) → tl.maximum(top, 0.0)
    tl.where(top == -float("inf"), 0.0, top) → tl.maximum(top, 0.0) ; tl.where(total == 0, top, shift + tl.log(some)) → shift + tl.log(total)
    tl.where(top == -float("inf"), 0.0, top) → 0.0
    tl.where(top == -float("inf"), 0.0, top) → 0.0 ; tl.where(total == 0, top, shift + tl.log(some)) → tl.log(total)
    tl.where(top == -float("inf"), 0.0, top) → a
    tl.maximum(a, b) → a || b
    tl.maximum( → tl.minimum(
both L are loaded from lse_a.
    lse_b + i → lse_a + i
the shares are exchanged: the larger L weighs more.
    share_a = tl.exp(a - shift)\n    share_b → share_b = tl.exp(a - shift)\n    share_a
a block counts by its sum of exponentials, exp(L): not by L, and not once, as in a plain mean or
sum.
    tl.exp(a - shift) → 1.0 + 0.0 * a ; tl.exp(b - shift) → 1.0 + 0.0 * b
    o / some → (tl.load(out_a + i * D + f) + tl.load(out_b + i * D + f)) / 2
    o / some → tl.load(out_a + i * D + f) + tl.load(out_b + i * D + f)
    tl.exp(a - shift) → a ; tl.exp(b - shift) → b
    tl.exp(a - shift) → a ; tl.exp(b - shift) → b ; tl.where(total == 0, top, shift + tl.log(some)) → shift + tl.log(total)
the blocks are weighted by L, and the L are added: it is their sums of exponentials, exp(L), that
weigh and that add up.
    tl.exp(a - shift) → a ; tl.exp(b - shift) → b ; tl.where(total == 0, top, shift + tl.log(some)) → total
    tl.exp(a - shift) → a ; tl.exp(b - shift) → b ; tl.where(total == 0, top, shift + tl.log(some)) → total ; o / some → o / total
    tl.exp(a - shift) → a ; tl.exp(b - shift) → b ; tl.where(total == 0, top, shift + tl.log(some)) → tl.log(total) ; o / some → o / total
where both blocks are empty shift by 0 and divide by 1, and L is −∞: log of the total, before 1.
    tl.where(top == -float("inf"), 0.0, top) → top
    o / some → o / total
    tl.where(total == 0, top, shift + tl.log(some)) → shift + tl.log(some)
L of both is the logarithm of the sum of both: shift + log(total).
    shift + tl.log(some) → shift + some
    tl.where(total == 0, top, shift + tl.log(some)) → shift + some || total || tl.exp(a) + tl.exp(b)
    shift + tl.log(some) → shift
    tl.where(total == 0, top, shift + tl.log(some)) → shift
    shift + tl.log(some) → tl.log(some)
    tl.where(total == 0, top, shift + tl.log(some)) → a + b
L of the merged row is not stored.
    tl.store(lse + i, tl.where(total == 0, top, shift + tl.log(some))) →
the sum of both is not divided by the total.
    o / some → o
row i begins at i * D, in each array of rows: rows are D apart.
    out + i * D → out
    out_a + i * D → out_a ; out_b + i * D → out_b
    i * D + f ⇒ f || i + f
"""

exercise = write(
    merge,
    CASES,
    MISTAKES,
    written=merge_kernel,
    through=on_kernels,
    refused=refused_by_a_gpu,
    results=("out", "lse"),
    oracle=online.merge,
)
