"""The scores of one block of queries and keys, in powers of two."""

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def tanh(x):
    """(1 - e^-2|x|) / (1 + e^-2|x|), with the sign of x: no exponential overflows."""
    small = tl.exp2(tl.abs(x) * (-2 * LOG2_E))
    size = (1 - small) / (1 + small)
    return tl.where(x < 0, -size, size)


@triton.jit
def scores_of(q, k, rows, keys, sizes, scale, softcap, bias, bias_strides, PRECISION: tl.constexpr):
    """The scores S of one block, and the unit u for which 2^(u S) is their exponential.

    With neither a soft cap nor a bias, S are the bare products and the scale is in u: the GPU then
    multiplies by u and subtracts the maximum in one instruction.
    """
    scores = tl.dot(q, k.T, input_precision=PRECISION)
    unit = scale * LOG2_E
    if softcap is not None:
        scores = softcap * tanh(scores * (scale / softcap))
        unit = LOG2_E
    if bias is not None:
        at = bias + rows.to(tl.int64) * bias_strides[2] + keys.to(tl.int64) * bias_strides[3]
        added = tl.load(at, mask=(rows < sizes[0]) & (keys < sizes[1]), other=0.0).to(tl.float32)
        scores = (scores * scale if softcap is None else scores) + added
        unit = LOG2_E
    return scores, unit
