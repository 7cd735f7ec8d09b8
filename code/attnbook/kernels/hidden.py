"""What a query may not see has no influence on it, not even NaN: how the kernels keep that.

The weight of a hidden key is 0, but 0 · NaN is NaN, and so is 0 · ∞: in a block of which a query
sees a part, a product of matrices carries such a number to queries that may not see it. There it
cannot hide, since whatever is added to NaN is NaN. So the kernels multiply as if all numbers were
finite, and then make a second, NaN-safe pass: a program whose block came out finite has nothing to
do, and any other computes it again, with products that leave out what is hidden. Where registers
are left for it, the first number of a row that is not finite is made NaN, and is then all that the
second pass reads.
"""

import triton
import triton.language as tl


@triton.jit
def product(weights, x, sums, visible, TILE: tl.constexpr):
    """sums + weights x; if NAN_SAFE over what is visible alone, and NaN for what is not finite."""
    if TILE.NAN_SAFE:
        finite = x - x == 0
        met = tl.dot(visible.to(x.dtype), tl.where(finite, 0.0, 1.0).to(x.dtype))
        sums = tl.where(met > 0, float("nan"), sums)
        x = tl.where(finite, x, 0.0).to(x.dtype)
        weights = tl.where(visible, weights, 0.0)
    return tl.dot(weights.to(x.dtype), x, sums, input_precision=TILE.PRECISION)


@triton.jit
def nan_rows(rows, SPREAD: tl.constexpr):
    """The same rows; if SPREAD, NaN alone where a number of a row is not finite."""
    if SPREAD:
        rows += tl.sum(rows - rows, 1)[:, None]
    return rows


@triton.jit
def has_nonfinite(x, index, first, n, SIZE: tl.constexpr, D: tl.constexpr, COLUMNS: tl.constexpr):
    """Whether one of a head's rows first to first + SIZE is not finite in its first COLUMNS."""
    rows = (first + tl.arange(0, SIZE))[:, None]
    at = (index.to(tl.int64) * n + rows) * D + tl.arange(0, COLUMNS)[None, :]
    numbers = tl.load(x + at, mask=rows < n, other=0.0).to(tl.float32)
    return tl.sum(tl.sum(numbers - numbers, 1), 0) != 0  # 0; or NaN, which is not
