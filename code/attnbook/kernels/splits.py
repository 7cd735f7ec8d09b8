"""The kernels of decoding: attention over one split of the keys, and the merge of all splits."""

from attnbook.kernels.hidden import product
from attnbook.kernels.online import begun, divisor, log_sum, online_step
from attnbook.kernels.scores import Scoring, scores_of
from attnbook.kernels.tiles import Tile, start_of
from attnbook.kernels.visible import valid_keys

import triton
import triton.language as tl


@triton.jit
def split_kernel(
    q, k, v, valid_lens, out, lse, q_strides, k_strides, v_strides,
    batches, kv_heads, splits, n_q, n_k, n_rows, scale, softcap,
    D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr, STAGES: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """Attention of one tile of queries over one split of one head's keys, and its L.

    Row r of a tile is query r % n_q of the head r // n_q of those that share the keys.
    """
    TILE: tl.constexpr = Tile(
        ROWS=ROWS, KEYS=KEYS, D=D, TMA=False, STAGES=STAGES, NAN_SAFE=False, PRECISION=PRECISION
    )
    tiles, heads = tl.cdiv(n_rows, ROWS), batches * kv_heads
    tile, program = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    index, split = program % heads, program // heads
    batch, kv_head = index // kv_heads, index % kv_heads
    n = valid_keys(valid_lens, batch, n_k)
    share = tl.cdiv(n, splits)
    first = tl.minimum(split * share, n)
    last = tl.minimum(first + share, n)

    rows, columns = tile * ROWS + tl.arange(0, ROWS), tl.arange(0, D)
    head, row = kv_head * (n_rows // n_q) + rows // n_q, rows % n_q
    q += batch.to(tl.int64) * q_strides[0]
    q += (head.to(tl.int64) * q_strides[1] + row.to(tl.int64) * q_strides[2])[:, None]
    queries = tl.load(q + columns[None, :], mask=rows[:, None] < n_rows, other=0.0)
    k = start_of(k, k_strides, batch, kv_head)
    v = start_of(v, v_strides, batch, kv_head)
    scoring = Scoring(scale=scale, softcap=softcap, bias=None, bias_strides=None)
    acc, m, l = over_keys(queries, k, v, k_strides[2], v_strides[2], first, last, scoring, TILE)

    l = divisor(l)
    at = (index * splits + split).to(tl.int64) * n_rows + rows
    tl.store(lse + at, log_sum(m, l), mask=rows < n_rows)
    out += at[:, None] * D + columns[None, :]
    tl.store(out, acc / l[:, None], mask=rows[:, None] < n_rows)


@triton.jit
def over_keys(queries, k, v, k_stride, v_stride, first, last, scoring, TILE: tl.constexpr):
    """What a tile of queries takes from the keys first to last, as `online` explains."""
    keys, columns = tl.arange(0, TILE.KEYS), tl.arange(0, TILE.D)
    k += (first + keys[None, :]).to(tl.int64) * k_stride + columns[:, None]
    v += (first + keys[:, None]).to(tl.int64) * v_stride + columns[None, :]
    acc, m, l = begun(TILE.ROWS, TILE.D)
    step = tl.full([], TILE.KEYS, tl.int64)  # rows of a cache may lie 2^24 numbers apart
    for begin in range(first, last, TILE.KEYS):
        valid = begin + keys < last
        k_block = tl.load(k, mask=valid[None, :], other=0.0)
        products = tl.dot(queries, k_block, input_precision=TILE.PRECISION)
        scores, unit, _ = scores_of(products, None, None, scoring, None)
        scores = tl.where(valid[None, :], scores, -float("inf"))
        m, l, weights, rescale = online_step(m, l, scores, unit, True)
        v_block = tl.load(v, mask=valid[:, None], other=0.0)
        acc = product(weights, v_block, acc * rescale[:, None], True, TILE)
        k += step * k_stride
        v += step * v_stride
    return acc, m, l


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
    at = (head * splits + split).to(tl.int64) * n_rows + row
    each = tl.load(part_lse + at, mask=split < splits, other=-float("inf"))
    m = tl.max(each, axis=0)
    shift = tl.where(m == -float("inf"), 0.0, m)
    shares = tl.exp(each - shift)
    l = tl.sum(shares, axis=0)
    l = divisor(l)
    parts += at[:, None] * D + columns[None, :]
    each = tl.load(parts, mask=split[:, None] < splits, other=0.0)
    merged = tl.sum(shares[:, None] * each, axis=0) / l
    at = query.to(tl.int64)
    tl.store(out + at * D + columns, merged.to(out.dtype.element_ty))
    tl.store(lse + at, m + tl.log(l), mask=part == 0)
