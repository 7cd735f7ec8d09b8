"""FlashAttention's gradients of keys and values: one program for each block of keys of each head.

A program keeps its block, and the queries that see it come by, of all heads that share it. Matrices
of weights are computed on their side, a row for each key, so that the next products find them in
the registers in which the last have left them:

    Aᵀ = exp(S - L)ᵀ,    grad_Sᵀ = Aᵀ ∘ (v grad_Oᵀ - delta) ∘ ∂S/∂x
    grad_v = Aᵀ grad_O,    grad_k = scale · grad_Sᵀ q

Given a `grad_q`, what a block gives to the gradient of its queries, grad_S k, is added there, in
main memory, where other programs add too: in an order that no two runs share, but with five
products in place of the seven of two kernels.

Source: Dao et al. (2022), appendix B.4, algorithm 4; Dao (2023), algorithm 2.
"""

from attnbook.kernels.delta import room
from attnbook.kernels.hidden import has_mark, product
from attnbook.kernels.order import SIZES, block_and_head
from attnbook.kernels.scores import scores_of
from attnbook.kernels.tiles import add_rows, head_of, rows_of, store_rows
from attnbook.kernels.visible import RUNS, in_table, row_ranges, sees, valid_keys

import triton
import triton.language as tl


@triton.jit
def accumulate_block(
    state, ends, k, v, q, grad_out, shift, delta, grad_q, q_strides, grad_strides, first_key,
    sizes, scale, softcap, window, bias, bias_strides, CUT: tl.constexpr, CAUSAL: tl.constexpr,
    ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr, TMA: tl.constexpr,
    STAGES: tl.constexpr, REDUCE: tl.constexpr, CAREFUL: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Add what a block of keys gets from queries, in one loop, which runs at least once.

    Where a sum may also end as the zeros it began with, NVIDIA's compiler overlaps no two products.
    """
    grad_k, grad_v = state
    begin, full_begin, full_end, end = ends
    keys = first_key + tl.arange(0, KEYS)[:, None]
    past = grad_q is not None and first_key + KEYS > sizes[2]  # what such keys give is not lost
    if begin < end:
        for first in tl.range(begin, end, ROWS, num_stages=STAGES):
            at = first + tl.arange(0, ROWS)
            rows = at[None, :]
            q_block = rows_of(q, q_strides, first, sizes[0], ROWS, D, TMA, True)
            products = tl.dot(k, q_block.T, input_precision=PRECISION)
            scores, unit, slope = scores_of(
                products, rows, keys, sizes, scale, softcap, bias, bias_strides
            )
            weights = tl.exp2(scores * unit - tl.load(shift + at)[None, :])
            visible = True
            if CAREFUL:
                visible = sees(rows, keys, sizes, window, CAUSAL)
            elif CUT:
                if (first < full_begin) | (first >= full_end) | past:
                    weights = tl.where(sees(rows, keys, sizes, window, CAUSAL), weights, 0.0)
            grad_block = rows_of(grad_out, grad_strides, first, sizes[0], ROWS, D, TMA, True)
            grad_v = product(weights, grad_block, grad_v, visible, CAREFUL, PRECISION)
            grad_weights = tl.dot(v, grad_block.T, input_precision=PRECISION)
            delta_block = tl.load(delta + at)[None, :]
            grad_scores = (weights * (grad_weights - delta_block) * slope).to(q_block.dtype)
            grad_k = product(grad_scores, q_block, grad_k, visible, CAREFUL, PRECISION)
            if grad_q is not None:
                part = tl.dot(k.T, grad_scores, input_precision=PRECISION)
                add_rows(grad_q, first, sizes[0], part.T, ROWS, D, REDUCE)
    return grad_k, grad_v


@triton.jit
def accumulate_head(
    state, head, ends, k, v, q, grad_out, bias, shift, delta, grad_q, q_strides, bias_strides,
    grad_strides, batch, n_heads, first_key, sizes, scale, softcap, window, CAUSAL: tl.constexpr,
    RAGGED: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
    TMA: tl.constexpr, STAGES: tl.constexpr, REDUCE: tl.constexpr, CAREFUL: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """Add what a block of keys gets from one head of queries."""
    place = (batch * n_heads + head).to(tl.int64)
    of_head = place * room(sizes[0])
    q = head_of(q, q_strides, batch, head, sizes[0], ROWS, D, TMA)
    grad_out = head_of(grad_out, grad_strides, batch, head, sizes[0], ROWS, D, TMA)
    if bias is not None:
        bias += batch.to(tl.int64) * bias_strides[0] + head.to(tl.int64) * bias_strides[1]
    if grad_q is not None:
        grad_q += place * sizes[0] * D
        if REDUCE:
            grad_q = tl.make_tensor_descriptor(grad_q, [sizes[0], D], [D, 1], [ROWS, D])
    return accumulate_block(
        state, ends, k, v, q, grad_out, shift + of_head, delta + of_head, grad_q, q_strides,
        grad_strides, first_key, sizes, scale, softcap, window, bias, bias_strides,
        CAUSAL or (RAGGED and grad_q is not None), CAUSAL, ROWS, KEYS, D, TMA, STAGES, REDUCE,
        CAREFUL, PRECISION,
    )  # fmt: skip


@triton.jit
def write(x, grad, place, first_key, n_visible, n_k, KEYS: tl.constexpr, D: tl.constexpr):
    """Write a gradient of one block of keys: zeros for those that no query sees."""
    keys = (first_key + tl.arange(0, KEYS))[:, None]
    store_rows(grad, place, first_key, n_k, tl.where(keys < n_visible, x, 0.0), KEYS, D)


@triton.jit(do_not_specialize=SIZES)
def flash_backward_keys(
    q, k, v, bias, valid_lens, grad_out, shift, delta, grad_q, grad_k, grad_v, q_strides,
    k_strides, v_strides, bias_strides, grad_strides, n_batch, n_heads, group, together, n_q, n_k,
    scale, softcap, window, CAUSAL: tl.constexpr, RAGGED: tl.constexpr, D: tl.constexpr,
    ROWS: tl.constexpr, KEYS: tl.constexpr, TMA: tl.constexpr, STAGES: tl.constexpr,
    REDUCE: tl.constexpr, CAREFUL: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """grad_k and grad_v of one block of keys of one head, and its part of grad_q, if wanted."""
    n_shared = n_heads // group
    block, place = block_and_head(tl.cdiv(n_k, KEYS), n_batch * n_shared, together, False)
    batch, first_key = place // n_shared, block * KEYS
    if CAREFUL and not has_mark(grad_k, place, first_key, n_k, KEYS, D, D):  # nor in grad_v
        return
    n_visible = valid_keys(valid_lens, batch, n_k)
    sizes = (n_q, n_k, n_visible)
    if CAUSAL >= RUNS:
        window = in_table(window, batch, n_q, n_k, KEYS)
    k = head_of(k, k_strides, batch, place % n_shared, n_visible, KEYS, D, TMA)
    v = head_of(v, v_strides, batch, place % n_shared, n_visible, KEYS, D, TMA)
    k_block = rows_of(k, k_strides, first_key, n_visible, KEYS, D, TMA, True)
    v_block = rows_of(v, v_strides, first_key, n_visible, KEYS, D, TMA, True)
    ends = row_ranges(first_key, sizes, window, CAUSAL, ROWS, KEYS)
    state = tl.zeros([KEYS, D], tl.float32), tl.zeros([KEYS, D], tl.float32)
    for member in range(group):
        state = accumulate_head(
            state, place % n_shared * group + member, ends, k_block, v_block, q, grad_out, bias,
            shift, delta, grad_q, q_strides, bias_strides, grad_strides, batch, n_heads,
            first_key, sizes, scale, softcap, window, CAUSAL, RAGGED, D, ROWS, KEYS, TMA, STAGES,
            REDUCE, CAREFUL, PRECISION,
        )  # fmt: skip
    write(state[0] * scale, grad_k, place, first_key, n_visible, n_k, KEYS, D)
    write(state[1], grad_v, place, first_key, n_visible, n_k, KEYS, D)
