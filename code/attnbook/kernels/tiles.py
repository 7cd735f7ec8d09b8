"""A tile: some rows of one head's queries, keys or values, and how it comes from memory.

From a pointer, each thread computes the addresses of its entries. From a tensor descriptor one
thread asks the GPU's copy engine (TMA) for the whole tile; the engine knows where the tensor ends,
and gives zeros beyond.
"""

from typing import NamedTuple

import triton
import triton.language as tl


class Tile(NamedTuple):
    """What a kernel is compiled for: the sizes of its tiles, how they are read and multiplied."""

    ROWS: tl.constexpr
    KEYS: tl.constexpr
    D: tl.constexpr
    TMA: tl.constexpr
    STAGES: tl.constexpr
    NAN_SAFE: tl.constexpr  # whether it is the second pass that `hidden` explains
    PRECISION: tl.constexpr


class Head(NamedTuple):
    """The rows of one head: a pointer or a tensor descriptor, their distance, and their number."""

    x: tl.tensor
    stride: tl.tensor
    n_rows: tl.tensor


@triton.jit
def start_of(x, strides, batch, head):
    """Where a head of a tensor (batch, heads, ...) begins."""
    return x + (batch.to(tl.int64) * strides[0] + head.to(tl.int64) * strides[1])


@triton.jit
def head_of(x, strides, batch, head, n_rows, SIZE: tl.constexpr, TILE: tl.constexpr):
    """One head of a tensor (batch, heads, n, D), whose rows are read SIZE at a time."""
    x = start_of(x, strides, batch, head)
    if TILE.TMA:
        end, stride = tl.maximum(n_rows, 1), strides[2].to(tl.int64)
        x = tl.make_tensor_descriptor(x, [end, TILE.D], [stride, 1], [SIZE, TILE.D])
    return Head(x=x, stride=strides[2], n_rows=n_rows)


@triton.jit
def rows_of(head, first, SIZE: tl.constexpr, TILE: tl.constexpr, MASKED: tl.constexpr):
    """Rows first to first + SIZE, (SIZE, D); zeros from n_rows on, if MASKED or TMA."""
    if TILE.TMA:
        tile = head.x.load([first, 0])
    else:
        rows = (first + tl.arange(0, SIZE))[:, None]
        at = head.x + rows.to(tl.int64) * head.stride + tl.arange(0, TILE.D)[None, :]
        if MASKED:
            tile = tl.load(at, mask=rows < head.n_rows, other=0.0)
        else:
            tile = tl.load(at)
    return tile


@triton.jit
def store_rows(x, index, first, n_rows, tile, SIZE: tl.constexpr, D: tl.constexpr):
    """Write rows first to first + SIZE of a head of x, (heads, n_rows, D): those that there are."""
    rows = (first + tl.arange(0, SIZE))[:, None]
    at = (index.to(tl.int64) * n_rows + rows) * D + tl.arange(0, D)[None, :]
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
