"""FlashAttention's forward pass: one program for each block of queries of each head.

The loop is the one that `online` explains, over those blocks of keys that its queries see.

Source: Dao (2023), algorithm 1.
"""

from attnbook.kernels.hidden import has_nonfinite, nan_rows, product
from attnbook.kernels.online import begun, divisor, log_sum, online_step
from attnbook.kernels.order import SIZES, block_and_head
from attnbook.kernels.scores import Scoring, scores_of
from attnbook.kernels.tiles import Tile, head_of, rows_of, start_of, store_rows
from attnbook.kernels.visible import INTERVALS, NONE, Mask, in_table, key_ranges, sees, valid_keys

import triton
import triton.language as tl


@triton.jit
def attend(
    state, begin, end, first_row, q, k, v, scoring, mask, MASK: tl.constexpr,
    MASKED: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Let a block of queries attend to the keys from begin to end, one block after the other."""
    acc, m, l = state
    rows = first_row + tl.arange(0, TILE.ROWS)[:, None]
    STAGES: tl.constexpr = TILE.STAGES
    for first in tl.range(begin, end, TILE.KEYS, num_stages=STAGES):
        keys = first + tl.arange(0, TILE.KEYS)[None, :]
        k_block = rows_of(k, first, TILE.KEYS, TILE, MASKED)
        products = tl.dot(q, k_block.T, input_precision=TILE.PRECISION)
        scores, unit, _ = scores_of(products, rows, keys, scoring, mask)
        visible = True
        if MASKED:
            visible = sees(rows, keys, mask, MASK)
            scores = tl.where(visible, scores, -float("inf"))
        m, l, weights, rescale = online_step(m, l, scores, unit, MASKED or scoring.bias is not None)
        v_block = rows_of(v, first, TILE.KEYS, TILE, MASKED)
        acc = product(weights, v_block, acc * rescale[:, None], visible, TILE)
    return acc, m, l


@triton.jit
def write(state, out, lse, index, first_row, n_q, SPREAD: tl.constexpr, TILE: tl.constexpr):
    """Write the output and L of the queries that there are."""
    acc, m, l = state
    rows = first_row + tl.arange(0, TILE.ROWS)
    l = divisor(l)
    result = nan_rows(acc / l[:, None], SPREAD)
    store_rows(out, index, first_row, n_q, result, TILE.ROWS, TILE.D)
    tl.store(lse + index.to(tl.int64) * n_q + rows, log_sum(m, l), mask=rows < n_q)


@triton.jit(do_not_specialize=SIZES)
def flash_forward(
    q, k, v, bias, valid_lens, intervals, out, lse, q_strides, k_strides, v_strides, bias_strides,
    n_batch, n_heads, group, heads_per_wave, n_q, n_k, scale, softcap, window, MASK: tl.constexpr,
    PADDED: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
    TMA: tl.constexpr, STAGES: tl.constexpr, NAN_SAFE: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """out = softmax(S) v and L = log Σ exp S, of one block of queries of one head."""
    TILE: tl.constexpr = Tile(ROWS=ROWS, KEYS=KEYS, D=D, TMA=TMA, STAGES=STAGES, NAN_SAFE=NAN_SAFE,
                              PRECISION=PRECISION)  # fmt: skip
    n_blocks, n_all_heads = tl.cdiv(n_q, ROWS), n_batch * n_heads
    block, index = block_and_head(n_blocks, n_all_heads, heads_per_wave, MASK != NONE)
    batch, head, first_row = index // n_heads, index % n_heads, block * ROWS
    if NAN_SAFE and not has_nonfinite(out, index, first_row, n_q, ROWS, D, 1):
        return
    n_valid = valid_keys(valid_lens, batch, n_k)
    if MASK == INTERVALS:
        intervals = in_table(intervals, batch, n_q, n_k, KEYS)
    mask = Mask(n_q=n_q, n_k=n_k, n_valid=n_valid, window=window, intervals=intervals)
    if bias is not None:
        bias = start_of(bias, bias_strides, batch, head)
    scoring = Scoring(scale=scale, softcap=softcap, bias=bias, bias_strides=bias_strides)
    q = head_of(q, q_strides, batch, head, n_q, ROWS, TILE)
    k = head_of(k, k_strides, batch, head // group, n_valid, KEYS, TILE)
    v = head_of(v, v_strides, batch, head // group, n_valid, KEYS, TILE)
    q_block = rows_of(q, first_row, ROWS, TILE, True)

    ends = key_ranges(first_row, mask, MASK, TILE)
    state = begun(ROWS, D)
    LEFT: tl.constexpr = window is not None or MASK == INTERVALS
    RIGHT: tl.constexpr = MASK != NONE or PADDED
    ends = (ends[0], ends[0], ends[3], ends[3]) if NAN_SAFE else ends
    for phase in tl.static_range(3):  # masked blocks at the left, full blocks, masked blocks
        if phase == 1 or ((LEFT, True, RIGHT)[phase] and not NAN_SAFE):
            state = attend(
                state, ends[phase], ends[phase + 1], first_row, q_block, k, v, scoring, mask,
                MASK, phase != 1 or (NAN_SAFE and RIGHT), TILE,
            )  # fmt: skip
    write(state, out, lse, index, first_row, n_q, MASK != NONE and not NAN_SAFE, TILE)
