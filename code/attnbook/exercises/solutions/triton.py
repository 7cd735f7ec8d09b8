"""Solutions of the chapter on Triton."""

import numpy as np
import torch

from attnbook.kernels import tl, triton


def programs():
    """Programs and idle lanes of a softmax by rows, then programs and idle rows of attention."""
    batch, heads, n_q, n_k = 2, 4, 300, 900
    lanes, blocks = triton.next_power_of_2(n_k), triton.cdiv(n_q, 128)
    return [
        batch * heads * n_q,
        lanes - n_k,
        batch * heads * blocks,
        blocks * 128 - n_q,
    ]


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


def next_row():
    """A matrix of which a softmax reads beyond the end of a row."""
    return np.zeros((2, 3))


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


def registers():
    """Numbers of o and of s for each thread of 4 warps, and of both for each of 8 warps."""
    o, s = 128 * 128, 128 * 64
    return [o / (4 * 32), s / (4 * 32), (o + s) / (8 * 32)]


def phases(start, B, n_q, n_k):
    """The end of the keys that need no mask, and of all that a block of queries sees."""
    last = min(start + B, n_q) - 1
    full = (start + n_k - n_q + 1) // B * B
    return max(full, 0), max(last + n_k - n_q + 1, 0)


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


def offset():
    """Sizes of an array that fits into a GPU, and whose last offset does not fit into 32 bits."""
    return 16, 32, 65536
