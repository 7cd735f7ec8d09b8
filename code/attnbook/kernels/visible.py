"""Which keys a block of queries sees: as ranges of whole blocks, and entry by entry at an edge.

Query i stands at key i + n_k - n_q, as in `attnbook.masks`: the last query at the last key. It sees
the keys before `n_visible`, with CAUSAL none after its own, with a window none more than `window`
before its own. `sizes` are n_q, n_k and n_visible.
"""

import triton
import triton.language as tl


@triton.jit
def key_ranges(
    first_row, sizes, window, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr
):
    """Where the keys that a block of queries sees begin and end, and between them the full blocks.

    Returns begin ≤ full_begin ≤ full_end, where blocks begin, and end. Each of these queries sees
    all keys from full_begin to full_end, and none before begin or from end on; the blocks between
    are cut.
    """
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
def sees(rows, keys, sizes, window, CAUSAL: tl.constexpr):
    """M_ij, for queries and keys that broadcast: may query i look at key j?"""
    n_q, n_k, end = sizes
    own = rows + n_k - n_q
    if CAUSAL:
        end = tl.minimum(end, own + 1)  # of each query: one comparison for each score
    visible = keys < end
    if window is not None:
        visible = visible & (keys >= own - window)
    return visible
