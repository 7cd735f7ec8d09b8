"""A tile: some rows of one head's queries, keys or values, and how it comes from memory.

From a pointer, each thread computes the addresses of its entries. From a tensor descriptor one
thread asks the GPU's copy engine (TMA) for the whole tile; the engine knows where the tensor ends,
and gives zeros beyond.
"""

import triton
import triton.language as tl


@triton.jit
def head_of(
    x, strides, batch, head, n_rows, SIZE: tl.constexpr, D: tl.constexpr, TMA: tl.constexpr
):
    """One head of a tensor (batch, heads, n, D): where its rows are read from, SIZE at a time."""
    x += batch.to(tl.int64) * strides[0] + head.to(tl.int64) * strides[1]
    if TMA:
        end = tl.maximum(n_rows, 1)
        x = tl.make_tensor_descriptor(x, [end, D], [strides[2].to(tl.int64), 1], [SIZE, D])
    return x


@triton.jit
def rows_of(
    x, strides, first, n_rows, SIZE: tl.constexpr, D: tl.constexpr, TMA: tl.constexpr,
    CUT: tl.constexpr,
):  # fmt: skip
    """Rows first to first + SIZE of one head, (SIZE, D); zeros from n_rows on, if CUT or TMA."""
    if TMA:
        tile = x.load([first, 0])
    else:
        rows = (first + tl.arange(0, SIZE))[:, None]
        at = x + rows.to(tl.int64) * strides[2] + tl.arange(0, D)[None, :]
        if CUT:
            tile = tl.load(at, mask=rows < n_rows, other=0.0)
        else:
            tile = tl.load(at)
    return tile


@triton.jit
def store_rows(x, place, first, n_rows, tile, SIZE: tl.constexpr, D: tl.constexpr):
    """Write rows first to first + SIZE of a head of x, (heads, n_rows, D): those that there are."""
    rows = (first + tl.arange(0, SIZE))[:, None]
    at = (place.to(tl.int64) * n_rows + rows) * D + tl.arange(0, D)[None, :]
    tl.store(x + at, tile.to(x.dtype.element_ty), mask=rows < n_rows)


@triton.jit
def add_rows(x, first, n_rows, tile, SIZE: tl.constexpr, D: tl.constexpr, REDUCE: tl.constexpr):
    """Add a tile to rows first to first + SIZE of one head, (n_rows, D), while others add too."""
    if REDUCE:
        x.atomic_add([first, 0], tile)
    else:
        rows = (first + tl.arange(0, SIZE))[:, None]
        at = x + rows.to(tl.int64) * D + tl.arange(0, D)[None, :]
        tl.atomic_add(at, tile, mask=rows < n_rows, sem="relaxed")
