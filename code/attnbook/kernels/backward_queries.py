"""FlashAttention's gradient of the queries: one program for each block of queries of each head.

The weights are computed again, one block of keys after the other, from L:

    A = exp(S - L),    grad_S = A ∘ (grad_O vᵀ - delta) ∘ ∂S/∂x,    grad_q = scale · grad_S k

Source: Dao et al. (2022), appendix B.4, algorithm 4, with the loops exchanged.
"""

from attnbook.kernels.delta import room
from attnbook.kernels.hidden import has_mark, marked, product
from attnbook.kernels.order import SIZES, block_and_head
from attnbook.kernels.scores import scores_of
from attnbook.kernels.tiles import head_of, rows_of, store_rows
from attnbook.kernels.visible import RUNS, in_table, key_ranges, sees, valid_keys

import triton
import triton.language as tl


@triton.jit
def gather(
    grad_q, begin, end, q, grad_out, k, v, shift, delta, k_strides, v_strides, first_row, sizes,
    scale, softcap, window, bias, bias_strides, CUT: tl.constexpr, CAUSAL: tl.constexpr,
    ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr, TMA: tl.constexpr,
    STAGES: tl.constexpr, CAREFUL: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Add what a block of queries gets from the keys from begin to end."""
    rows = first_row + tl.arange(0, ROWS)[:, None]
    for first in tl.range(begin, end, KEYS, num_stages=STAGES):
        keys = first + tl.arange(0, KEYS)[None, :]
        k_block = rows_of(k, k_strides, first, sizes[2], KEYS, D, TMA, CUT)
        products = tl.dot(q, k_block.T, input_precision=PRECISION)
        scores, unit, slope = scores_of(
            products, rows, keys, sizes, scale, softcap, bias, bias_strides
        )
        weights = tl.exp2(scores * unit - shift[:, None])
        visible = True
        if CUT:
            visible = sees(rows, keys, sizes, window, CAUSAL)
            weights = tl.where(visible, weights, 0.0)
        v_block = rows_of(v, v_strides, first, sizes[2], KEYS, D, TMA, CUT)
        grad_weights = tl.dot(grad_out, v_block.T, input_precision=PRECISION)
        grad_scores = weights * (grad_weights - delta[:, None]) * slope
        grad_q = product(grad_scores, k_block, grad_q, visible, CAREFUL, PRECISION)
    return grad_q


@triton.jit(do_not_specialize=SIZES)
def flash_backward_queries(
    q, k, v, bias, valid_lens, grad_out, shift, delta, grad_q, q_strides, k_strides, v_strides,
    bias_strides, grad_strides, n_batch, n_heads, group, together, n_q, n_k, scale, softcap,
    window, CAUSAL: tl.constexpr, RAGGED: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr,
    KEYS: tl.constexpr, TMA: tl.constexpr, STAGES: tl.constexpr, CAREFUL: tl.constexpr,
    COLUMNS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """grad_q of one block of queries of one head."""
    block, place = block_and_head(tl.cdiv(n_q, ROWS), n_batch * n_heads, together, CAUSAL)
    batch, head, first_row = place // n_heads, place % n_heads, block * ROWS
    if CAREFUL and not has_mark(grad_q, place, first_row, n_q, ROWS, D, COLUMNS):
        return
    n_visible = valid_keys(valid_lens, batch, n_k)
    sizes = (n_q, n_k, n_visible)
    if CAUSAL >= RUNS:
        window = in_table(window, batch, n_q, n_k, KEYS)
    q = head_of(q, q_strides, batch, head, n_q, ROWS, D, TMA)
    grad_out = head_of(grad_out, grad_strides, batch, head, n_q, ROWS, D, TMA)
    k = head_of(k, k_strides, batch, head // group, n_visible, KEYS, D, TMA)
    v = head_of(v, v_strides, batch, head // group, n_visible, KEYS, D, TMA)
    if bias is not None:
        bias += batch.to(tl.int64) * bias_strides[0] + head.to(tl.int64) * bias_strides[1]
    q_block = rows_of(q, q_strides, first_row, n_q, ROWS, D, TMA, True)
    grad_block = rows_of(grad_out, grad_strides, first_row, n_q, ROWS, D, TMA, True)
    at = place.to(tl.int64) * room(n_q) + first_row + tl.arange(0, ROWS)
    shift, delta = tl.load(shift + at), tl.load(delta + at)
    ends = key_ranges(first_row, sizes, window, CAUSAL, ROWS, KEYS)
    if CAREFUL:
        ends = (ends[0], ends[0], ends[3], ends[3])
    result = tl.zeros([ROWS, D], tl.float32)
    for phase in tl.static_range(3):  # cut blocks at the left, full blocks, cut blocks
        if phase == 1 or ((window is not None, True, CAUSAL or RAGGED)[phase] and not CAREFUL):
            result = gather(
                result, ends[phase], ends[phase + 1], q_block, grad_block, k, v, shift, delta,
                k_strides, v_strides, first_row, sizes, scale, softcap, window, bias,
                bias_strides, phase != 1 or CAREFUL, CAUSAL, ROWS, KEYS, D, TMA, STAGES, CAREFUL,
                PRECISION,
            )  # fmt: skip
    result = marked(result * scale, CAUSAL and not CAREFUL)
    store_rows(grad_q, place, first_row, n_q, result, ROWS, D)
