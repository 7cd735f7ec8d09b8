"""The scores of one block of queries and keys, in powers of two."""

from typing import NamedTuple

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


class Scoring(NamedTuple):
    """How scores are made of products q kᵀ; a soft cap or a bias that is None is left out."""

    scale: tl.tensor
    softcap: "tl.tensor | None"
    bias: "tl.tensor | None"  # where those of one head begin
    bias_strides: "tl.tuple | None"


@triton.jit
def tanh(x):
    """(1 - e^-2|x|) / (1 + e^-2|x|), with the sign of x: no exponential overflows.

    Near 0 the difference loses the digits of x; there it is x + x³ P(x²). This P leaves a relative
    error of 1.3e-8 at most, below that of float32, and more terms would take registers.
    """
    small = tl.exp2(tl.abs(x) * (-2 * LOG2_E))
    size = (1 - small) / (1 + small)
    square = x * x
    near = ((-0.05036624 * square + 0.13314832) * square - 0.33333061) * square * x + x
    return tl.where(tl.abs(x) < 0.3, near, tl.where(x < 0, -size, size))


@triton.jit
def scores_of(products, rows, keys, scoring, mask):
    """The scores S of a block of products q kᵀ, the unit u for which 2^(u S) is exp S, and ∂S/∂x.

    With neither a soft cap nor a bias, S are the bare products, with the scale in u: the GPU then
    multiplies by u and subtracts the maximum in one instruction. x is the scaled product: S = x,
    and ∂S/∂x = 1, or S = c tanh(x / c), and ∂S/∂x = 1 - (S / c)².
    """
    scores, unit, slope = products, scoring.scale * LOG2_E, 1.0
    if scoring.softcap is not None:
        capped = tanh(products * (scoring.scale / scoring.softcap))
        scores, unit, slope = scoring.softcap * capped, LOG2_E, 1 - capped * capped
    if scoring.bias is not None:
        strides = scoring.bias_strides
        at = scoring.bias + rows.to(tl.int64) * strides[2] + keys.to(tl.int64) * strides[3]
        added = tl.load(at, mask=(rows < mask.n_q) & (keys < mask.n_k), other=0.0).to(tl.float32)
        scores = (products * scoring.scale if scoring.softcap is None else scores) + added
        unit = LOG2_E
    return scores, unit, slope
