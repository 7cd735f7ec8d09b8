"""What the backward pass needs of each query, made once: two numbers, shift and delta.

    delta_i = Σ_l grad_O_il O_il - grad_L_i

which is Σ_j A_ij grad_A_ij, less the gradient of the log-sum-exp; and the shift of its scores
is L in powers of two, 0 where nothing is visible. Each head has room for a multiple of 128 queries,
with zeros for those that are not there: so they are loaded four at a time, with nothing to check.

Source: Dao et al. (2022), appendix B.2, equation 4.
"""

from attnbook.kernels.scores import LOG2_E

import triton
import triton.language as tl

WHOLE = tl.constexpr(128)


@triton.jit
def room(n_q):
    """How many numbers a head has."""
    return tl.cdiv(n_q, WHOLE) * WHOLE


@triton.jit(do_not_specialize=["n_heads", "n_q"])
def row_deltas(
    grad_out, out, lse, grad_lse, shift, delta, grad_strides, n_heads, n_q,
    D: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """shift = L log2(e) and delta, of one block of queries of one head."""
    n_blocks = room(n_q) // ROWS
    place = (tl.program_id(0) // n_blocks).to(tl.int64)
    rows = tl.program_id(0) % n_blocks * ROWS + tl.arange(0, ROWS)
    exists, columns = rows < n_q, tl.arange(0, D)[None, :]
    at = place * n_q + rows
    grad_out += place // n_heads * grad_strides[0] + place % n_heads * grad_strides[1]
    grad_at = grad_out + rows.to(tl.int64)[:, None] * grad_strides[2] + columns
    grad = tl.load(grad_at, mask=exists[:, None], other=0.0).to(tl.float32)
    result = tl.load(out + at[:, None] * D + columns, mask=exists[:, None], other=0.0)
    total = tl.sum(grad * result.to(tl.float32), 1)
    if grad_lse is not None:
        total -= tl.load(grad_lse + at, mask=exists, other=0.0)
    log_sum = tl.load(lse + at, mask=exists, other=0.0)
    log_sum = tl.where(log_sum == -float("inf"), 0.0, log_sum)
    tl.store(shift + place * room(n_q) + rows, log_sum * LOG2_E)
    tl.store(delta + place * room(n_q) + rows, total)
