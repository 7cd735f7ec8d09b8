"""Exponentials and little else, on a GPU: the ceiling that no single operation of PyTorch shows.

`torch.exp` of a large tensor waits for memory: it takes one exponential for eight bytes.
"""

import triton
from triton import language as tl

TIMES, BLOCK = 64, 1024  # exponentials of each number; numbers of a program


@triton.jit
def _exponentials(x, out, TIMES: tl.constexpr, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    e = tl.load(x + places)
    for _ in tl.static_range(TIMES):
        e = tl.exp2(-e)
    tl.store(out + places, e)


def exponentials(x, out):
    """Write x ← 2^(−x), taken `TIMES` times in turn, into `out`; float32, a multiple of `BLOCK`.

    Raises ValueError if the number of elements is none.
    """
    if x.numel() % BLOCK or not x.numel():
        raise ValueError(f"x has {x.numel()} elements; expected a multiple of {BLOCK}")
    _exponentials[(x.numel() // BLOCK,)](x, out, TIMES, BLOCK)
    return out
