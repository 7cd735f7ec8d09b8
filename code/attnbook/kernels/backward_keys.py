"""FlashAttention's gradients of keys and values: one program for each block of keys of each head.

A program keeps its block, and the queries that see it come by, of all heads that share it. Matrices
of weights are computed transposed, a row for each key, so that the next products find them in the
registers in which the last have left them:

    Aᵀ = exp(S - L)ᵀ,    grad_Sᵀ = Aᵀ ∘ (v grad_Oᵀ - delta) ∘ ∂S/∂x
    grad_v = Aᵀ grad_O,    grad_k = scale · grad_Sᵀ q

Given a `grad_q`, what a block gives to the gradient of its queries, grad_S k, is added there, in
main memory, where other programs add too: in an order that no two runs share, but with five
products instead of the seven of two kernels.

Source: Dao et al. (2022), appendix B.4, algorithm 4; Dao (2023), algorithm 2.
"""

from attnbook.kernels.delta import Queries, padded_len
from attnbook.kernels.hidden import has_nonfinite, product
from attnbook.kernels.order import SIZES, block_and_head
from attnbook.kernels.scores import Scoring, scores_of
from attnbook.kernels.tiles import Tile, add_rows, head_of, rows_of, start_of, store_rows
from attnbook.kernels.visible import INTERVALS, NONE, Mask, in_table, row_ranges, sees, valid_keys

import triton
import triton.language as tl


@triton.jit
def accumulate_block(
    state, ends, first_key, k, v, queries, grad_q, scoring, mask, MASK: tl.constexpr,
    MASKED: tl.constexpr, TILE: tl.constexpr, REDUCE: tl.constexpr,
):  # fmt: skip
    """Add what a block of keys gets from queries, in one loop, which runs at least once.

    Where a sum may also end as the zeros it began with, NVIDIA's compiler overlaps no two products.
    """
    grad_k, grad_v = state
    begin, full_begin, full_end, end = ends
    keys = first_key + tl.arange(0, TILE.KEYS)[:, None]
    # what keys past the last give to grad_q is not lost
    past = grad_q is not None and first_key + TILE.KEYS > mask.n_valid
    if begin < end:
        for first in tl.range(begin, end, TILE.ROWS, num_stages=TILE.STAGES):
            at = first + tl.arange(0, TILE.ROWS)
            rows = at[None, :]
            q_block = rows_of(queries.q, first, TILE.ROWS, TILE, True)
            products = tl.dot(k, q_block.T, input_precision=TILE.PRECISION)
            scores, unit, slope = scores_of(products, rows, keys, scoring, mask)
            weights = tl.exp2(scores * unit - tl.load(queries.shift + at)[None, :])
            visible = True
            if TILE.NAN_SAFE:
                visible = sees(rows, keys, mask, MASK)
            elif MASKED:
                if (first < full_begin) | (first >= full_end) | past:
                    weights = tl.where(sees(rows, keys, mask, MASK), weights, 0.0)
            grad_block = rows_of(queries.grad_out, first, TILE.ROWS, TILE, True)
            grad_v = product(weights, grad_block, grad_v, visible, TILE)
            grad_weights = tl.dot(v, grad_block.T, input_precision=TILE.PRECISION)
            delta_block = tl.load(queries.delta + at)[None, :]
            grad_scores = (weights * (grad_weights - delta_block) * slope).to(q_block.dtype)
            grad_k = product(grad_scores, q_block, grad_k, visible, TILE)
            if grad_q is not None:
                part = tl.dot(k.T, grad_scores, input_precision=TILE.PRECISION)
                add_rows(grad_q, first, mask.n_q, part.T, TILE.ROWS, TILE.D, REDUCE)
    return grad_k, grad_v


@triton.jit
def accumulate_head(
    state, ends, first_key, k, v, queries, strides, grad_q, scoring, batch, head, n_heads, mask,
    MASK: tl.constexpr, PADDED: tl.constexpr, TILE: tl.constexpr, REDUCE: tl.constexpr,
):  # fmt: skip
    """Add what a block of keys gets from one head of queries; of all heads are the arguments."""
    index, n_q = (batch * n_heads + head).to(tl.int64), mask.n_q
    of_head = index * padded_len(n_q)
    of_one = Queries(
        q=head_of(queries.q, strides[0], batch, head, n_q, TILE.ROWS, TILE),
        grad_out=head_of(queries.grad_out, strides[1], batch, head, n_q, TILE.ROWS, TILE),
        shift=queries.shift + of_head,
        delta=queries.delta + of_head,
    )
    bias, bias_strides = scoring.bias, scoring.bias_strides
    if bias is not None:
        bias = start_of(bias, bias_strides, batch, head)
    scoring = Scoring(
        scale=scoring.scale, softcap=scoring.softcap, bias=bias, bias_strides=bias_strides
    )
    if grad_q is not None:
        grad_q += index * n_q * TILE.D
        if REDUCE:
            grad_q = tl.make_tensor_descriptor(
                grad_q, [n_q, TILE.D], [TILE.D, 1], [TILE.ROWS, TILE.D]
            )
    return accumulate_block(
        state, ends, first_key, k, v, of_one, grad_q, scoring, mask,
        MASK, MASK != NONE or (PADDED and grad_q is not None), TILE, REDUCE,
    )  # fmt: skip


@triton.jit
def write(x, grad, index, first_key, mask, TILE: tl.constexpr):
    """Write a gradient of one block of keys: zeros for those that no query sees."""
    keys = (first_key + tl.arange(0, TILE.KEYS))[:, None]
    x = tl.where(keys < mask.n_valid, x, 0.0)
    store_rows(grad, index, first_key, mask.n_k, x, TILE.KEYS, TILE.D)


@triton.jit(do_not_specialize=SIZES)
def flash_backward_keys(
    q, k, v, bias, valid_lens, intervals, grad_out, shift, delta, grad_q, grad_k, grad_v,
    q_strides, k_strides, v_strides, bias_strides, grad_strides, n_batch, n_heads, group,
    heads_per_wave, n_q, n_k, scale, softcap, window, MASK: tl.constexpr, PADDED: tl.constexpr,
    D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr, TMA: tl.constexpr,
    STAGES: tl.constexpr, REDUCE: tl.constexpr, NAN_SAFE: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """grad_k and grad_v of one block of keys of one head, and its part of grad_q, if wanted."""
    TILE: tl.constexpr = Tile(ROWS=ROWS, KEYS=KEYS, D=D, TMA=TMA, STAGES=STAGES, NAN_SAFE=NAN_SAFE,
                              PRECISION=PRECISION)  # fmt: skip
    n_blocks, n_shared = tl.cdiv(n_k, KEYS), n_heads // group
    block, index = block_and_head(n_blocks, n_batch * n_shared, heads_per_wave, False)
    batch, first_key = index // n_shared, block * KEYS
    if NAN_SAFE and not has_nonfinite(grad_k, index, first_key, n_k, KEYS, D, D):  # nor in grad_v
        return
    n_valid = valid_keys(valid_lens, batch, n_k)
    if MASK == INTERVALS:
        intervals = in_table(intervals, batch, n_q, n_k, KEYS)
    mask = Mask(n_q=n_q, n_k=n_k, n_valid=n_valid, window=window, intervals=intervals)
    scoring = Scoring(scale=scale, softcap=softcap, bias=bias, bias_strides=bias_strides)
    k = head_of(k, k_strides, batch, index % n_shared, n_valid, KEYS, TILE)
    v = head_of(v, v_strides, batch, index % n_shared, n_valid, KEYS, TILE)
    k_block = rows_of(k, first_key, KEYS, TILE, True)
    v_block = rows_of(v, first_key, KEYS, TILE, True)
    queries = Queries(q=q, grad_out=grad_out, shift=shift, delta=delta)
    ends = row_ranges(first_key, mask, MASK, TILE)
    state = tl.zeros([KEYS, D], tl.float32), tl.zeros([KEYS, D], tl.float32)
    for member in range(group):
        state = accumulate_head(
            state, ends, first_key, k_block, v_block, queries, (q_strides, grad_strides), grad_q,
            scoring, batch=batch, head=index % n_shared * group + member, n_heads=n_heads,
            mask=mask, MASK=MASK, PADDED=PADDED, TILE=TILE, REDUCE=REDUCE,
        )  # fmt: skip
    write(state[0] * scale, grad_k, index, first_key, mask, TILE)
    write(state[1], grad_v, index, first_key, mask, TILE)
