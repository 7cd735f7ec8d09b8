"""Which keys a block of queries sees: as ranges of whole blocks, and entry by entry at an edge.

Query i is at key i + n_k - n_q, as in `attnbook.masks`: the last query at the last key. It sees
keys before `n_valid`, and of these, as the kind of mask says,

    NONE        all
    BAND        none after its own; with a window none more than `window` before its own
    INTERVALS   those of its own `KeyRange`

`intervals` leads to what `table` writes: the start and the stop of the keys that each query sees,
and of the queries that see each block of keys. Options become these arguments in the first half of
this file, and kernels read them in the second: no other file knows their form.
"""

from typing import NamedTuple

import torch
from torch.nn.functional import pad

import triton
import triton.language as tl

NONE, BAND, INTERVALS = tl.constexpr(0), tl.constexpr(1), tl.constexpr(2)  # kinds of masks
GROUP = 64  # queries that count as one in the table
SCATTERED = (
    "rule has documents whose keys are not contiguous, or it was made of lengths that were not "
    "read; expected contiguous keys: attnbook.fused.attention takes any"
)


class Mask(NamedTuple):
    """The sizes of a batch, and what the kind of its mask asks for."""

    n_q: tl.tensor
    n_k: tl.tensor
    n_valid: tl.tensor  # keys that any query sees
    window: "tl.tensor | None"  # in quotes for pages, which are built without Triton
    intervals: "tl.tensor | None"  # where the table of this batch begins


def mask_arguments(k, c, options):
    """What kernels in a configuration are told of the keys that a query sees."""
    intervals = options.intervals
    return {
        "window": options.window,
        "intervals": None if intervals is None else table(intervals, k.shape[2], c.keys),
        "MASK": kind(options).value,
        "PADDED": options.valid_lens is not None or k.shape[2] % c.keys > 0,
    }


def kind(options):
    """The kind of the mask: whether some queries may not see what others see, and which."""
    if options.intervals is not None:
        return INTERVALS
    return BAND if options.causal or options.window is not None else NONE


def intervals(rule, q, k):
    """start and stop of each query's keys, (batch, 2, n_q), for q and k of (..., heads, n, d).

    A query that sees nothing has its start at n_k, and its stop at 0.
    """
    if not rule.is_contiguous:
        raise ValueError(SCATTERED)
    n_q, n_k, lead = q.shape[-2], k.shape[-2], q.shape[:-3]
    start, stop = rule.key_range(n_q, n_k, q.device)
    visible = start < stop
    both = torch.stack([torch.where(visible, start, n_k), torch.where(visible, stop, 0)], dim=-2)
    both = both if both.ndim == 2 else both[(slice(None), *[None] * (len(lead) - 1))]
    return both.expand(*lead, 2, n_q).reshape(-1, 2, n_q)


def table(intervals, n_k, size):
    """The intervals, and for each block of `size` keys the first and the end of those who see it.

    Returns (batch, 2 · n_q + 2 · blocks), of int32, from intervals of (batch, 2, n_q).

    A group of queries counts as if it saw all keys from its first to its last: no query that sees a
    block is left out, and hardly any other is taken in where neighbours see nearly the same.
    """
    n_q, n_groups = intervals.shape[-1], triton.cdiv(intervals.shape[-1], GROUP)
    beyond = 0, n_groups * GROUP - n_q
    grouped = (n_groups, GROUP)
    first = pad(intervals[:, 0], beyond, value=n_k).unflatten(-1, grouped).amin(-1)
    end = pad(intervals[:, 1], beyond).unflatten(-1, grouped).amax(-1)
    blocks = torch.arange(0, n_k, size, device=intervals.device)
    seen = (first[..., None] < blocks + size) & (blocks < end[..., None])
    group = torch.arange(n_groups, device=intervals.device)[:, None]
    first = torch.where(seen, group, n_groups).amin(-2) * GROUP
    end = (torch.where(seen, group + 1, 0).amax(-2) * GROUP).clamp(max=n_q)
    return torch.cat([intervals.flatten(1), first, end], dim=-1).to(torch.int32)


@triton.jit
def in_table(intervals, batch, n_q, n_k, KEYS: tl.constexpr):
    """Where the numbers of a batch begin."""
    return intervals + batch.to(tl.int64) * 2 * (n_q + tl.cdiv(n_k, KEYS))


@triton.jit
def valid_keys(valid_lens, batch, n_k):
    """How many of a batch's keys any query sees."""
    n = n_k
    if valid_lens is not None:
        n = tl.minimum(tl.maximum(tl.load(valid_lens + batch), 0), n_k).to(tl.int32)
    return n


@triton.jit
def key_ranges(first_row, mask, MASK: tl.constexpr, TILE: tl.constexpr):
    """Where the keys that a block of queries sees begin and end, and between them the full blocks.

    Returns begin ≤ full_begin ≤ full_end, where blocks begin, and end. Each of these queries sees
    all keys from full_begin to full_end, and none before begin or from end on; the blocks between
    are masked.
    """
    if MASK == INTERVALS:
        ranges = keys_of_intervals(first_row, mask, TILE.ROWS, TILE.KEYS)
    else:
        ranges = keys_of_band(first_row, mask, MASK, TILE.ROWS, TILE.KEYS)
    return ranges


@triton.jit
def keys_of_intervals(first_row, mask, ROWS: tl.constexpr, KEYS: tl.constexpr):
    """From the first key of any of these queries to the last end; full is what all of them see.

    A query that sees nothing has its first at n_k and its end at 0: all blocks are masked for it.
    """
    rows = first_row + tl.arange(0, ROWS)
    first = tl.load(mask.intervals + rows, mask=rows < mask.n_q, other=mask.n_k)
    last = tl.load(mask.intervals + mask.n_q + rows, mask=rows < mask.n_q, other=0)
    begin, end = tl.min(first, 0) // KEYS * KEYS, tl.max(last, 0)
    full_begin = tl.max(tl.where(rows < mask.n_q, first, 0), 0)
    full_end = tl.min(tl.where(rows < mask.n_q, last, mask.n_k), 0)
    full_begin = tl.maximum(tl.cdiv(tl.minimum(full_begin, end), KEYS) * KEYS, begin)
    return begin, full_begin, tl.maximum(full_end // KEYS * KEYS, full_begin), end


@triton.jit
def keys_of_band(first_row, mask, MASK: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr):
    """Of a window, a causal mask and a length."""
    offset = mask.n_k - mask.n_q
    nearest = first_row + offset
    farthest = tl.minimum(first_row + ROWS, mask.n_q) - 1 + offset
    begin, full_begin, full_end, end = 0, 0, mask.n_valid, mask.n_valid
    if MASK == BAND:
        end = tl.minimum(end, tl.maximum(farthest + 1, 0))
        full_end = tl.minimum(full_end, tl.maximum(nearest + 1, 0))
    if mask.window is not None:
        begin = tl.maximum(nearest - mask.window, 0) // KEYS * KEYS
        full_begin = tl.maximum(farthest - mask.window, 0)
        full_begin = tl.cdiv(tl.minimum(full_begin, end), KEYS) * KEYS
    full_end = tl.maximum(full_end // KEYS * KEYS, full_begin)
    return begin, full_begin, full_end, end


@triton.jit
def row_ranges(first_key, mask, MASK: tl.constexpr, TILE: tl.constexpr):
    """Where the queries that see a block of keys begin and end, and between them the full blocks.

    The same as `key_ranges`, seen from the keys. Keys past n_valid are seen by no query; but what
    they get from one is thrown away, and so they do not make a block a masked one.
    """
    if MASK == INTERVALS:
        ranges = rows_of_intervals(first_key, mask, TILE.ROWS, TILE.KEYS)
    else:
        ranges = rows_of_band(first_key, mask, MASK, TILE.ROWS, TILE.KEYS)
    return ranges


@triton.jit
def rows_of_intervals(first_key, mask, ROWS: tl.constexpr, KEYS: tl.constexpr):
    """As the table says; all blocks count as masked."""
    of_block = mask.intervals + 2 * mask.n_q + first_key // KEYS
    begin, end = tl.load(of_block), tl.load(of_block + tl.cdiv(mask.n_k, KEYS))
    return begin // ROWS * ROWS, end, end, end


@triton.jit
def rows_of_band(first_key, mask, MASK: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr):
    """Of a window, a causal mask and a length."""
    offset = mask.n_k - mask.n_q
    first = first_key - offset  # the query at the first key
    last = tl.minimum(first_key + KEYS, mask.n_valid) - 1 - offset
    begin, full_begin, full_end, end = 0, 0, mask.n_q, mask.n_q
    if mask.window is not None:
        end = tl.minimum(end, tl.maximum(last + mask.window + 1, 0))
        full_end = tl.minimum(end, tl.maximum(first + mask.window + 1, 0))
    end = tl.where(first_key < mask.n_valid, end, 0)
    if MASK == BAND:
        begin = tl.minimum(tl.maximum(first, 0), end) // ROWS * ROWS
        full_begin = tl.cdiv(tl.minimum(tl.maximum(last, 0), end), ROWS) * ROWS
    whole = tl.where(full_end < mask.n_q, full_end // ROWS * ROWS, mask.n_q)  # zeros past n_q
    full_end = tl.maximum(tl.minimum(whole, end), full_begin)
    return begin, full_begin, full_end, end


@triton.jit
def sees(rows, keys, mask, MASK: tl.constexpr):
    """M_ij, for queries and keys that broadcast: may query i look at key j?"""
    if MASK == INTERVALS:
        first = tl.load(mask.intervals + rows, mask=rows < mask.n_q, other=0)
        end = tl.load(mask.intervals + mask.n_q + rows, mask=rows < mask.n_q, other=0)
        visible = (first <= keys) & (keys < end)
    else:
        own, end = rows + mask.n_k - mask.n_q, mask.n_valid
        if MASK == BAND:
            end = tl.minimum(end, own + 1)  # of each query: one comparison for each score
        visible = keys < end
        if mask.window is not None:
            visible = visible & (keys >= own - mask.window)
    return visible
