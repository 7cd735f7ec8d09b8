"""FlashAttention's forward pass: one program for each block of queries of each head.

The loop is that of `attnbook.online.attention_blockwise`. What a program has seen of the keys is
three things for each query: the largest score, `top`; the sum of exponentials below it, `total`;
the sum of values weighted by them, `out`. A block of keys may raise `top`: what was summed below
the old one is then rescaled. At the end `out` is divided by `total`, once.

Source: Dao (2023), algorithm 1.
"""

from attnbook.kernels.hidden import has_mark, marked, product
from attnbook.kernels.order import SIZES, block_and_head
from attnbook.kernels.scores import scores_of
from attnbook.kernels.tiles import head_of, rows_of, store_rows
from attnbook.kernels.visible import RUNS, in_table, key_ranges, sees, valid_keys

import triton
import triton.language as tl

LN_2 = tl.constexpr(0.6931471805599453)


@triton.jit
def attend(
    state, begin, end, q, k, v, k_strides, v_strides, first_row, sizes, scale, softcap, window,
    bias, bias_strides, CUT: tl.constexpr, CAUSAL: tl.constexpr, ROWS: tl.constexpr,
    KEYS: tl.constexpr, D: tl.constexpr, TMA: tl.constexpr, STAGES: tl.constexpr,
    SPECIALIZE: tl.constexpr, CAREFUL: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Let a block of queries attend to the keys from begin to end, one block after the other."""
    out, top, total = state
    rows = first_row + tl.arange(0, ROWS)[:, None]
    for first in tl.range(begin, end, KEYS, num_stages=STAGES, warp_specialize=SPECIALIZE):
        keys = first + tl.arange(0, KEYS)[None, :]
        k_block = rows_of(k, k_strides, first, sizes[2], KEYS, D, TMA, CUT)
        products = tl.dot(q, k_block.T, input_precision=PRECISION)
        scores, unit, _ = scores_of(products, rows, keys, sizes, scale, softcap, bias, bias_strides)
        visible = True
        if CUT:
            visible = sees(rows, keys, sizes, window, CAUSAL)
            scores = tl.where(visible, scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, 1) * unit)
        shift = higher
        if CUT or bias is not None:  # -inf - (-inf) would be NaN
            shift = tl.where(higher == -float("inf"), 0.0, higher)
        weights = tl.exp2(scores * unit - shift[:, None])
        rescale = tl.exp2(top - shift)
        total = total * rescale + tl.sum(weights, 1)
        v_block = rows_of(v, v_strides, first, sizes[2], KEYS, D, TMA, CUT)
        out = out * rescale[:, None]
        out = product(weights, v_block, out, visible, CAREFUL, PRECISION)
        top = higher
    return out, top, total


@triton.jit
def write(
    state, out, lse, place, first_row, n_q, ROWS: tl.constexpr, D: tl.constexpr, MARK: tl.constexpr
):
    """Divide once, and write the output and L of the queries that there are."""
    result, top, total = state
    rows = first_row + tl.arange(0, ROWS)
    total = tl.where(total == 0, 1.0, total)  # where nothing is visible: 0 / 1, and -inf + 0
    store_rows(out, place, first_row, n_q, marked(result / total[:, None], MARK), ROWS, D)
    tl.store(lse + place.to(tl.int64) * n_q + rows, (top + tl.log2(total)) * LN_2, mask=rows < n_q)


@triton.jit(do_not_specialize=SIZES)
def flash_forward(
    q, k, v, bias, valid_lens, out, lse, q_strides, k_strides, v_strides, bias_strides,
    n_batch, n_heads, group, together, n_q, n_k, scale, softcap, window, CAUSAL: tl.constexpr,
    RAGGED: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
    TMA: tl.constexpr, STAGES: tl.constexpr, SPECIALIZE: tl.constexpr, CAREFUL: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """out = softmax(S) v and L = log Σ exp S, of one block of queries of one head."""
    n_blocks = tl.cdiv(n_q, ROWS)
    block, place = block_and_head(n_blocks, n_batch * n_heads, together, CAUSAL)
    batch, head, first_row = place // n_heads, place % n_heads, block * ROWS
    if CAREFUL and not has_mark(out, place, first_row, n_q, ROWS, D, 1):
        return
    n_visible = valid_keys(valid_lens, batch, n_k)
    sizes = (n_q, n_k, n_visible)
    if CAUSAL >= RUNS:
        window = in_table(window, batch, n_q, n_k, KEYS)
    q = head_of(q, q_strides, batch, head, n_q, ROWS, D, TMA)
    k = head_of(k, k_strides, batch, head // group, n_visible, KEYS, D, TMA)
    v = head_of(v, v_strides, batch, head // group, n_visible, KEYS, D, TMA)
    if bias is not None:
        bias += batch.to(tl.int64) * bias_strides[0] + head.to(tl.int64) * bias_strides[1]
    q_block = rows_of(q, q_strides, first_row, n_q, ROWS, D, TMA, True)

    ends = key_ranges(first_row, sizes, window, CAUSAL, ROWS, KEYS)
    top = tl.full([ROWS], -float("inf"), tl.float32)
    state = tl.zeros([ROWS, D], tl.float32), top, tl.zeros([ROWS], tl.float32)
    ONE: tl.constexpr = SPECIALIZE or CAREFUL  # loop, or warps do not specialize
    if ONE:
        ends = (ends[0], ends[0], ends[3], ends[3])
    for phase in tl.static_range(3):  # cut blocks at the left, full blocks, cut blocks
        has_blocks = (window is not None, True, CAUSAL or RAGGED)[phase]
        if phase == 1 or (has_blocks and not ONE):
            state = attend(
                state, ends[phase], ends[phase + 1], q_block, k, v, k_strides, v_strides,
                first_row, sizes, scale, softcap, window, bias, bias_strides,
                phase != 1 or (ONE and (CAUSAL or RAGGED)), CAUSAL, ROWS, KEYS, D, TMA, STAGES,
                SPECIALIZE, CAREFUL, PRECISION,
            )  # fmt: skip
    write(state, out, lse, place, first_row, n_q, ROWS, D, CAUSAL and not CAREFUL)
