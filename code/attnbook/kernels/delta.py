"""What the backward pass needs of each query, made once: two numbers, shift and delta.

    delta_i = Σ_l grad_O_il O_il - grad_L_i

which is Σ_j A_ij grad_A_ij, less the gradient of the log-sum-exp; and the shift of its scores
is L in powers of two, 0 where nothing is visible. Each head is padded to a multiple of 128 queries,
with zeros for those that are not there: so they are loaded four at a time, with nothing to check.

Source: Dao et al. (2022), appendix B.2, equation 4.
"""

from typing import NamedTuple

from attnbook.kernels.scores import LOG2_E

import triton
import triton.language as tl

PAD_TO = tl.constexpr(128)


class Queries(NamedTuple):
    """What the backward pass reads of the queries of all heads, of one head, or of one block."""

    q: tl.tensor
    grad_out: tl.tensor
    shift: tl.tensor
    delta: tl.tensor


@triton.jit
def padded_len(n_q):
    """How many numbers a head has."""
    return tl.cdiv(n_q, PAD_TO) * PAD_TO


@triton.jit(do_not_specialize=["n_heads", "n_q"])
def row_deltas(
    grad_out, out, lse, grad_lse, shift, delta, grad_strides, n_heads, n_q,
    D: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """shift = L log2(e) and delta, of one block of queries of one head."""
    n_blocks = padded_len(n_q) // ROWS
    index = (tl.program_id(0) // n_blocks).to(tl.int64)
    rows = tl.program_id(0) % n_blocks * ROWS + tl.arange(0, ROWS)
    exists, columns = rows < n_q, tl.arange(0, D)[None, :]
    at = index * n_q + rows
    grad_out += index // n_heads * grad_strides[0] + index % n_heads * grad_strides[1]
    grad_at = grad_out + rows.to(tl.int64)[:, None] * grad_strides[2] + columns
    grad = tl.load(grad_at, mask=exists[:, None], other=0.0).to(tl.float32)
    result = tl.load(out + at[:, None] * D + columns, mask=exists[:, None], other=0.0)
    total = tl.sum(grad * result.to(tl.float32), 1)
    if grad_lse is not None:
        total -= tl.load(grad_lse + at, mask=exists, other=0.0)
    log_sum = tl.load(lse + at, mask=exists, other=0.0)
    log_sum = tl.where(log_sum == -float("inf"), 0.0, log_sum)
    tl.store(shift + index * padded_len(n_q) + rows, log_sum * LOG2_E)
    tl.store(delta + index * padded_len(n_q) + rows, total)
