"""The kernels of decoding: attention over one split of the keys, and the merge of all splits."""

from attnbook.kernels.forward import LN_2
from attnbook.kernels.scores import LOG2_E, tanh
from attnbook.kernels.visible import valid_keys

import triton
import triton.language as tl


@triton.jit
def split_kernel(
    q, k, v, valid_lens, out, lse, q_strides, k_strides, v_strides,
    batches, kv_heads, splits, n_q, n_k, n_rows, scale, softcap,
    D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Attention of one tile of queries over one split of one head's keys, and its L.

    Row r of a tile is query r % n_q of the head r // n_q of those that share the keys.
    """
    tiles, heads = tl.cdiv(n_rows, ROWS), batches * kv_heads
    tile, program = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    of_all, split = program % heads, program // heads
    batch, kv_head = of_all // kv_heads, of_all % kv_heads
    n = valid_keys(valid_lens, batch, n_k)
    share = tl.cdiv(n, splits)
    first = tl.minimum(split * share, n)
    last = tl.minimum(first + share, n)

    rows = tile * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, D)
    head, row = kv_head * (n_rows // n_q) + rows // n_q, rows % n_q
    q += batch.to(tl.int64) * q_strides[0]
    q += (head.to(tl.int64) * q_strides[1] + row.to(tl.int64) * q_strides[2])[:, None]
    queries = tl.load(q + columns[None, :], mask=rows[:, None] < n_rows, other=0.0)
    k += batch.to(tl.int64) * k_strides[0] + kv_head.to(tl.int64) * k_strides[1]
    v += batch.to(tl.int64) * v_strides[0] + kv_head.to(tl.int64) * v_strides[1]
    mixed, top, total = over_keys(
        queries, k, v, k_strides[2], v_strides[2], first, last, scale, softcap,
        D, ROWS, KEYS, PRECISION,
    )  # fmt: skip

    seen = tl.where(total == 0, 1.0, total)
    place = (of_all * splits + split).to(tl.int64) * n_rows + rows
    tl.store(lse + place, (top + tl.log2(seen)) * LN_2, mask=rows < n_rows)
    out += place[:, None] * D + columns[None, :]
    tl.store(out, mixed / seen[:, None], mask=rows[:, None] < n_rows)


@triton.jit
def over_keys(
    queries, k, v, k_row, v_row, first, last, scale, softcap,
    D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """What a tile of queries takes from the keys first to last: sums under the largest score."""
    keys, columns = tl.arange(0, KEYS), tl.arange(0, D)
    k += (first + keys[None, :]).to(tl.int64) * k_row + columns[:, None]
    v += (first + keys[:, None]).to(tl.int64) * v_row + columns[None, :]
    top = tl.full([ROWS], -float("inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    mixed = tl.zeros([ROWS, D], tl.float32)
    step = tl.full([], KEYS, tl.int64)  # rows of a cache may lie 2^24 numbers apart
    for begin in range(first, last, KEYS):
        valid = begin + keys < last
        k_block = tl.load(k, mask=valid[None, :], other=0.0)
        scores = tl.dot(queries, k_block, input_precision=PRECISION) * scale
        if softcap is not None:
            scores = softcap * tanh(scores / softcap)
        scores = tl.where(valid[None, :], scores * LOG2_E, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, axis=1))
        shift = tl.where(higher == -float("inf"), 0.0, higher)  # -inf - (-inf) would be NaN
        weights = tl.exp2(scores - shift[:, None])
        rescale = tl.exp2(top - shift)
        total = total * rescale + tl.sum(weights, axis=1)
        v_block = tl.load(v, mask=valid[:, None], other=0.0)
        mixed = mixed * rescale[:, None]
        mixed = tl.dot(weights.to(v_block.dtype), v_block, mixed, input_precision=PRECISION)
        top = higher
        k += step * k_row
        v += step * v_row
    return mixed, top, total


@triton.jit
def merge_kernel(
    parts, part_lse, out, lse, splits, n_rows,
    D: tl.constexpr, MERGED: tl.constexpr, SPLITS: tl.constexpr,
):  # fmt: skip
    """What all splits of one query's keys give together, some columns of it: `online.merge`."""
    query, part = tl.program_id(0) // (D // MERGED), tl.program_id(0) % (D // MERGED)
    head, row = query // n_rows, query % n_rows
    split = tl.arange(0, SPLITS)
    columns = part * MERGED + tl.arange(0, MERGED)
    place = (head * splits + split).to(tl.int64) * n_rows + row
    each = tl.load(part_lse + place, mask=split < splits, other=-float("inf"))
    top = tl.max(each, axis=0)
    shift = tl.where(top == -float("inf"), 0.0, top)
    shares = tl.exp(each - shift)
    total = tl.sum(shares, axis=0)
    seen = tl.where(total == 0, 1.0, total)
    parts += place[:, None] * D + columns[None, :]
    each = tl.load(parts, mask=split[:, None] < splits, other=0.0)
    mixed = tl.sum(shares[:, None] * each, axis=0) / seen
    place = query.to(tl.int64)
    tl.store(out + place * D + columns, mixed.to(out.dtype.element_ty))
    tl.store(lse + place, top + tl.log(seen), mask=part == 0)
