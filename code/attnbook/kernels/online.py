"""Softmax in one pass over the keys, for a block of queries: a step for each block of keys.

The loop is that of `attnbook.online.attention_blockwise`. What a program has seen of the keys is
three things for each query: `m`, the largest score; `l`, the sum of exponentials below it; `acc`,
the sum of values weighted by them. A block of keys may raise m: what was summed below the old one
is then rescaled. At the end acc is divided by l, once.

Source: Dao (2023), algorithm 1.
"""

import triton
import triton.language as tl

LN_2 = tl.constexpr(0.6931471805599453)


@triton.jit
def begun(ROWS: tl.constexpr, D: tl.constexpr):
    """acc, m and l before the first block."""
    m = tl.full([ROWS], -float("inf"), tl.float32)
    return tl.zeros([ROWS, D], tl.float32), m, tl.zeros([ROWS], tl.float32)


@triton.jit
def online_step(m, l, scores, unit, HIDDEN: tl.constexpr):
    """m and l with one block more, its weights, and the factor that rescales what was summed.

    `unit` is that of `scores_of`. HIDDEN says whether a query may have seen no score but -inf.
    """
    m_new = tl.maximum(m, tl.max(scores, 1) * unit)
    shift = m_new
    if HIDDEN:  # -inf - (-inf) would be NaN
        shift = tl.where(m_new == -float("inf"), 0.0, m_new)
    weights = tl.exp2(scores * unit - shift[:, None])
    rescale = tl.exp2(m - shift)
    return m_new, l * rescale + tl.sum(weights, 1), weights, rescale


@triton.jit
def divisor(l):
    """l, or 1 where nothing is visible: there the output is 0 / 1, and L is -inf + 0."""
    return tl.where(l == 0, 1.0, l)


@triton.jit
def log_sum(m, l):
    """L, in natural logarithms."""
    return (m + tl.log2(l)) * LN_2
