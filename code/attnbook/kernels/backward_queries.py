"""FlashAttention's gradient of the queries: one program for each block of queries of each head.

The weights are computed again, one block of keys after the other, from L:

    A = exp(S - L),    grad_S = A ∘ (grad_O vᵀ - delta) ∘ ∂S/∂x,    grad_q = scale · grad_S k

Source: Dao et al. (2022), appendix B.4, algorithm 4, with the loops exchanged.
"""

from attnbook.kernels.delta import Queries, padded_len
from attnbook.kernels.hidden import has_nonfinite, nan_rows, product
from attnbook.kernels.order import SIZES, block_and_head
from attnbook.kernels.scores import Scoring, scores_of
from attnbook.kernels.tiles import Tile, head_of, rows_of, start_of, store_rows
from attnbook.kernels.visible import INTERVALS, NONE, Mask, in_table, key_ranges, sees, valid_keys

import triton
import triton.language as tl


@triton.jit
def accumulate(
    grad_q, begin, end, first_row, queries, k, v, scoring, mask, MASK: tl.constexpr,
    MASKED: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Add what a block of queries gets from the keys from begin to end."""
    rows = first_row + tl.arange(0, TILE.ROWS)[:, None]
    for first in tl.range(begin, end, TILE.KEYS, num_stages=TILE.STAGES):
        keys = first + tl.arange(0, TILE.KEYS)[None, :]
        k_block = rows_of(k, first, TILE.KEYS, TILE, MASKED)
        products = tl.dot(queries.q, k_block.T, input_precision=TILE.PRECISION)
        scores, unit, slope = scores_of(products, rows, keys, scoring, mask)
        weights = tl.exp2(scores * unit - queries.shift[:, None])
        visible = True
        if MASKED:
            visible = sees(rows, keys, mask, MASK)
            weights = tl.where(visible, weights, 0.0)
        v_block = rows_of(v, first, TILE.KEYS, TILE, MASKED)
        grad_weights = tl.dot(queries.grad_out, v_block.T, input_precision=TILE.PRECISION)
        grad_scores = weights * (grad_weights - queries.delta[:, None]) * slope
        grad_q = product(grad_scores, k_block, grad_q, visible, TILE)
    return grad_q


@triton.jit
def block_of(queries, index, first_row, n_q, TILE: tl.constexpr):
    """One block of the queries of one head; shift and delta are those of all heads."""
    at = index.to(tl.int64) * padded_len(n_q) + first_row + tl.arange(0, TILE.ROWS)
    return Queries(
        q=rows_of(queries.q, first_row, TILE.ROWS, TILE, True),
        grad_out=rows_of(queries.grad_out, first_row, TILE.ROWS, TILE, True),
        shift=tl.load(queries.shift + at),
        delta=tl.load(queries.delta + at),
    )


@triton.jit(do_not_specialize=SIZES)
def flash_backward_queries(
    q, k, v, bias, valid_lens, intervals, grad_out, shift, delta, grad_q, q_strides, k_strides,
    v_strides, bias_strides, grad_strides, n_batch, n_heads, group, heads_per_wave, n_q, n_k,
    scale, softcap, window, MASK: tl.constexpr, PADDED: tl.constexpr, D: tl.constexpr,
    ROWS: tl.constexpr, KEYS: tl.constexpr, TMA: tl.constexpr, STAGES: tl.constexpr,
    NAN_SAFE: tl.constexpr, COLUMNS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """grad_q of one block of queries of one head."""
    TILE: tl.constexpr = Tile(ROWS=ROWS, KEYS=KEYS, D=D, TMA=TMA, STAGES=STAGES, NAN_SAFE=NAN_SAFE,
                              PRECISION=PRECISION)  # fmt: skip
    n_blocks, n_all_heads = tl.cdiv(n_q, ROWS), n_batch * n_heads
    block, index = block_and_head(n_blocks, n_all_heads, heads_per_wave, MASK != NONE)
    batch, head, first_row = index // n_heads, index % n_heads, block * ROWS
    if NAN_SAFE and not has_nonfinite(grad_q, index, first_row, n_q, ROWS, D, COLUMNS):
        return
    n_valid = valid_keys(valid_lens, batch, n_k)
    if MASK == INTERVALS:
        intervals = in_table(intervals, batch, n_q, n_k, KEYS)
    mask = Mask(n_q=n_q, n_k=n_k, n_valid=n_valid, window=window, intervals=intervals)
    if bias is not None:
        bias = start_of(bias, bias_strides, batch, head)
    scoring = Scoring(scale=scale, softcap=softcap, bias=bias, bias_strides=bias_strides)
    q = head_of(q, q_strides, batch, head, n_q, ROWS, TILE)
    grad_out = head_of(grad_out, grad_strides, batch, head, n_q, ROWS, TILE)
    k = head_of(k, k_strides, batch, head // group, n_valid, KEYS, TILE)
    v = head_of(v, v_strides, batch, head // group, n_valid, KEYS, TILE)
    queries = Queries(q=q, grad_out=grad_out, shift=shift, delta=delta)
    queries = block_of(queries, index, first_row, n_q, TILE)
    ends = key_ranges(first_row, mask, MASK, TILE)
    LEFT: tl.constexpr = window is not None or MASK == INTERVALS
    ends = (ends[0], ends[0], ends[3], ends[3]) if NAN_SAFE else ends
    result = tl.zeros([ROWS, D], tl.float32)
    for phase in tl.static_range(3):  # masked blocks at the left, full blocks, masked blocks
        if phase == 1 or ((LEFT, True, MASK != NONE or PADDED)[phase] and not NAN_SAFE):
            result = accumulate(
                result, ends[phase], ends[phase + 1], first_row, queries, k, v, scoring, mask,
                MASK, phase != 1 or NAN_SAFE, TILE,
            )  # fmt: skip
    result = nan_rows(result * scale, MASK != NONE and not NAN_SAFE)
    store_rows(grad_q, index, first_row, n_q, result, ROWS, D)
