"""Which keys a block of queries sees: as ranges of whole blocks, and entry by entry at an edge.

Query i stands at key i + n_k - n_q, as in `attnbook.masks`: the last query at the last key. It sees
the keys before `n_visible`, with CAUSAL none after its own, with a window none more than `window`
before its own. `sizes` are n_q, n_k and n_visible.

Where CAUSAL is RUNS, `window` leads to what `table` writes: the first and the end of the keys that
each query sees, and of the queries that see each block of keys. Options become these arguments in
the first half of this file, and kernels read them in the second: no other file knows their form.
"""

import torch
from torch.nn.functional import pad

import triton
import triton.language as tl

RUNS = tl.constexpr(2)  # above False and True, as every way to read a table is
LARGEST = 128  # keys in a block
TOGETHER = 64  # queries that are looked at as one
APART = (
    "rule has documents whose keys lie apart, or were not looked at when the rule was made; "
    "expected keys side by side: attnbook.fused.attention takes any"
)


def visible(k, c, options):
    """What kernels in a configuration are told of the keys that a query sees."""
    window = options.window if options.runs is None else table(options.runs, k.shape[2], c.keys)
    ragged = options.valid_lens is not None or k.shape[2] % c.keys > 0
    return {"window": window, "CAUSAL": hides(options), "RAGGED": ragged}


def hides(options):
    """Whether some queries may not see what others see: False, True, or RUNS for a table."""
    return RUNS.value if options.runs is not None else options.causal or options.window is not None


def is_cut(k, options):
    """Whether a query may see a part of a block of keys."""
    return bool(hides(options)) or options.valid_lens is not None or k.shape[2] % LARGEST > 0


def runs(rule, q, k):
    """first and end of each query's keys, (batch, 2, n_q), for q and k of (..., heads, n, d).

    A query that sees nothing has its first at n_k, and its end at 0.
    """
    if not rule.is_run:
        raise ValueError(APART)
    n_q, n_k, lead = q.shape[-2], k.shape[-2], q.shape[:-3]
    first, end = rule.run(n_q, n_k, q.device)
    seen = first < end
    both = torch.stack([torch.where(seen, first, n_k), torch.where(seen, end, 0)], dim=-2)
    both = both if both.ndim == 2 else both[(slice(None), *[None] * (len(lead) - 1))]
    return both.expand(*lead, 2, n_q).reshape(-1, 2, n_q)


def table(runs, n_k, size):
    """The runs, and for each block of `size` keys the first and the end of the queries that see it.

    Returns (batch, 2 · n_q + 2 · blocks), of int32, from runs of (batch, 2, n_q).

    A group of queries counts as if it saw all keys from its first to its last: no query that sees a
    block is left out, and hardly any other is taken in where neighbours see nearly the same.
    """
    n_q, n_groups = runs.shape[-1], triton.cdiv(runs.shape[-1], TOGETHER)
    beyond = 0, n_groups * TOGETHER - n_q
    grouped = (n_groups, TOGETHER)
    first = pad(runs[:, 0], beyond, value=n_k).unflatten(-1, grouped).amin(-1)
    end = pad(runs[:, 1], beyond).unflatten(-1, grouped).amax(-1)
    blocks = torch.arange(0, n_k, size, device=runs.device)
    seen = (first[..., None] < blocks + size) & (blocks < end[..., None])
    group = torch.arange(n_groups, device=runs.device)[:, None]
    first = torch.where(seen, group, n_groups).amin(-2) * TOGETHER
    end = (torch.where(seen, group + 1, 0).amax(-2) * TOGETHER).clamp(max=n_q)
    return torch.cat([runs.flatten(1), first, end], dim=-1).to(torch.int32)


@triton.jit
def in_table(window, batch, n_q, n_k, KEYS: tl.constexpr):
    """Where the numbers of a batch begin."""
    return window + batch.to(tl.int64) * 2 * (n_q + tl.cdiv(n_k, KEYS))


@triton.jit
def valid_keys(valid_lens, batch, n_k):
    """How many of a batch's keys any query sees."""
    n = n_k
    if valid_lens is not None:
        n = tl.minimum(tl.maximum(tl.load(valid_lens + batch), 0), n_k).to(tl.int32)
    return n


@triton.jit
def key_ranges(
    first_row, sizes, window, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr
):
    """Where the keys that a block of queries sees begin and end, and between them the full blocks.

    Returns begin ≤ full_begin ≤ full_end, where blocks begin, and end. Each of these queries sees
    all keys from full_begin to full_end, and none before begin or from end on; the blocks between
    are cut.
    """
    if CAUSAL == RUNS:
        found = keys_of_runs(first_row, sizes, window, ROWS, KEYS)
    else:
        found = keys_nearby(first_row, sizes, window, CAUSAL, ROWS, KEYS)
    return found


@triton.jit
def keys_of_runs(first_row, sizes, runs, ROWS: tl.constexpr, KEYS: tl.constexpr):
    """From the first key of any of these queries to the last end; full is what all of them see.

    A query that sees nothing has its first at n_k and its end at 0: all blocks are cut for it.
    """
    n_q, n_k, _ = sizes
    rows = first_row + tl.arange(0, ROWS)
    first = tl.load(runs + rows, mask=rows < n_q, other=n_k)
    last = tl.load(runs + n_q + rows, mask=rows < n_q, other=0)
    begin, end = tl.min(first, 0) // KEYS * KEYS, tl.max(last, 0)
    full_begin = tl.max(tl.where(rows < n_q, first, 0), 0)
    full_end = tl.min(tl.where(rows < n_q, last, n_k), 0)
    full_begin = tl.maximum(tl.cdiv(tl.minimum(full_begin, end), KEYS) * KEYS, begin)
    return begin, full_begin, tl.maximum(full_end // KEYS * KEYS, full_begin), end


@triton.jit
def keys_nearby(
    first_row, sizes, window, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr
):
    """Of a window, a causal mask and a length."""
    n_q, n_k, n_visible = sizes
    nearest = first_row + n_k - n_q
    farthest = tl.minimum(first_row + ROWS, n_q) - 1 + n_k - n_q
    begin, full_begin, full_end, end = 0, 0, n_visible, n_visible
    if CAUSAL:
        end = tl.minimum(end, tl.maximum(farthest + 1, 0))
        full_end = tl.minimum(full_end, tl.maximum(nearest + 1, 0))
    if window is not None:
        begin = tl.maximum(nearest - window, 0) // KEYS * KEYS
        full_begin = tl.cdiv(tl.minimum(tl.maximum(farthest - window, 0), end), KEYS) * KEYS
    full_end = tl.maximum(full_end // KEYS * KEYS, full_begin)
    return begin, full_begin, full_end, end


@triton.jit
def row_ranges(
    first_key, sizes, window, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr
):
    """Where the queries that see a block of keys begin and end, and between them the full blocks.

    The same as `key_ranges`, seen from the keys. Keys past n_visible are seen by no query; but what
    they get from one is thrown away, and so they do not cut a block.
    """
    if CAUSAL == RUNS:
        found = rows_of_runs(first_key, sizes, window, ROWS, KEYS)
    else:
        found = rows_nearby(first_key, sizes, window, CAUSAL, ROWS, KEYS)
    return found


@triton.jit
def rows_of_runs(first_key, sizes, runs, ROWS: tl.constexpr, KEYS: tl.constexpr):
    """As the table says; all blocks count as cut."""
    n_q, n_k, _ = sizes
    of_block = runs + 2 * n_q + first_key // KEYS
    begin, end = tl.load(of_block), tl.load(of_block + tl.cdiv(n_k, KEYS))
    return begin // ROWS * ROWS, end, end, end


@triton.jit
def rows_nearby(
    first_key, sizes, window, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr
):
    """Of a window, a causal mask and a length."""
    n_q, n_k, n_visible = sizes
    first = first_key - (n_k - n_q)  # the query that stands at the first key
    last = tl.minimum(first_key + KEYS, n_visible) - 1 - (n_k - n_q)
    begin, full_begin, full_end, end = 0, 0, n_q, n_q
    if window is not None:
        end = tl.minimum(end, tl.maximum(last + window + 1, 0))
        full_end = tl.minimum(end, tl.maximum(first + window + 1, 0))
    end = tl.where(first_key < n_visible, end, 0)
    if CAUSAL:
        begin = tl.minimum(tl.maximum(first, 0), end) // ROWS * ROWS
        full_begin = tl.cdiv(tl.minimum(tl.maximum(last, 0), end), ROWS) * ROWS
    whole = tl.where(full_end < n_q, full_end // ROWS * ROWS, n_q)  # rows past n_q are zeros
    full_end = tl.maximum(tl.minimum(whole, end), full_begin)
    return begin, full_begin, full_end, end


@triton.jit
def sees(rows, keys, sizes, window, CAUSAL: tl.constexpr):
    """M_ij, for queries and keys that broadcast: may query i look at key j?"""
    n_q, n_k, end = sizes
    if CAUSAL == RUNS:
        first = tl.load(window + rows, mask=rows < n_q, other=0)
        end = tl.load(window + n_q + rows, mask=rows < n_q, other=0)
        visible = (first <= keys) & (keys < end)
    else:
        own = rows + n_k - n_q
        if CAUSAL:
            end = tl.minimum(end, own + 1)  # of each query: one comparison for each score
        visible = keys < end
        if window is not None:
            visible = visible & (keys >= own - window)
    return visible
