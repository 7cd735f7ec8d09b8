"""FlashAttention-3's forward pass for a Hopper GPU, in Gluon: who works when is written out.

The sums are those of `forward`; what differs is the timetable. A Hopper GPU
multiplies matrices on one unit and makes exponentials on another, and a program that does one after
the other lets each of them idle while the other works. In Triton one asks the compiler to arrange
that, and has to see what came of it. Gluon lies a layer below: here a program says itself which
warps do what.

    producer, one warp: asks the copy engine for tiles of queries, keys and values
    two consumers, of four warps and 64 queries each; the turn of block i:
        start  S_i = q k_iᵀ
        start  out += P_{i-1} v_{i-1},  which the tensor cores take up behind S_i
        wait for S_i alone
        P_i = softmax(S_i),  exponentials while the second product runs
        wait for out, and rescale it

The order of the lines alone does not bring that about. A wait for a product binds the registers of
that product, and the assembler may move all other work past it. It did: every exponential stood
behind the second wait, where nothing runs any more. But it moves nothing past a loop, and a wait
for a tile is one: so the wait for the next keys stands between the softmax and the second wait.

Keys and values each come into a ring of a few tiles. Each tile has two barriers: `full` completes
with the last byte that the copy engine brings, `empty` when both consumers have read it. Each time
a barrier completes its phase flips, 0, 1, 0, and a wait names the phase whose end it waits for. On
a new barrier the phase before, 1, has ended, so that the ring begins as if it had been read. Two
tiles are the fewest: a consumer waits for the next keys before it gives back the last values.

Blocks are taken from the last to the first. With a causal mask the last is the one on the diagonal,
the only one that is cut, and it comes before the loop, so that no turn of the loop pays for it.

It takes what has no edges: whole blocks of queries, as many keys, whose rows lie one behind the
other, and no mask but the causal one. `launch` gives it what it takes.

Gluon has no interpreter, so that the tests bring a small one, in which this text agrees with the
definition in many orders of its warps and copies; and they read its machine code. What tiles look
like in memory, and what the units make of them, only a GPU shows.

Source: Shah et al. (2024), algorithms 1 and 2, without the turns that their two consumers take.
"""

import torch

from attnbook.kernels import order
from attnbook.kernels.online import LN_2
from attnbook.kernels.scores import LOG2_E

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

BRINGS, CONSUMES = gl.constexpr(24), gl.constexpr(240)  # registers of a thread, of each kind
block_and_head = gluon.jit(order.block_and_head.fn)
load = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared  # before Triton 3.9
store = getattr(tma, "async_store", None) or tma.async_copy_shared_to_global


def tiles_of(x, size):
    """A descriptor of the rows of all heads of a tensor, for tiles of so many."""
    shape, kind = [size, x.shape[-1]], gl.float16 if x.dtype == torch.float16 else gl.bfloat16
    layout = gl.NVMMASharedLayout.get_default_for(shape, kind)
    return TensorDescriptor.from_tensor(x.view(-1, x.shape[-1]), shape, layout)


@gluon.jit
def at(ring, i):
    """The place of block i in a ring: its tile, its barriers, and the phase in which it is full."""
    tiles, full, empty = ring
    STAGES: gl.constexpr = tiles.shape[0]
    place = i % STAGES
    return tiles.index(place), full.index(place), empty.index(place), i // STAGES & 1


@gluon.jit
def bring(tensor, row, ring, i):
    """Ask for the tile of block i, once the consumers have read the one in its place."""
    tile, full, empty, phase = at(ring, i)
    mbarrier.wait(empty, phase ^ 1)
    mbarrier.expect(full, tensor.block_type.nbytes)
    load(tensor, [row, 0], full, tile)


@gluon.jit
def brought(ring, i, exists=True):
    """The tile of block i, when it is there; at once if there is no such block."""
    tile, full, _, phase = at(ring, i)
    mbarrier.wait(full, phase, pred=exists)
    return tile


@gluon.jit
def produce(q, k, v, first_key, shared):
    """Ask for the queries of both consumers, and then for each block of keys and its values."""
    first_row, n_blocks, queries, keys, values = shared
    KEYS: gl.constexpr = k.block_type.shape[0]
    for part in gl.static_range(2):
        bring(q, first_row + part * q.block_type.shape[0], queries, part)
    for i in range(n_blocks):
        row = first_key + (n_blocks - 1 - i) * KEYS
        bring(k, row, keys, i)
        bring(v, row, values, i)


@gluon.jit
def softmax(scores, top, total, unit):
    """Weights below the largest score so far, and by what the sums below the old one shrink."""
    higher = gl.maximum(top, gl.max(scores, 1) * unit)
    weights = gl.exp2(scores * unit - higher[:, None])
    rescale = gl.exp2(top - higher)
    return weights, rescale, higher, total * rescale + gl.sum(weights, 1)


@gluon.jit
def consume(PART: gl.constexpr, CAUSAL: gl.constexpr, out, lse, unit, shared):
    """Let one half of the queries attend, and write its output and L."""
    first_row, n_blocks, queries, keys, values = shared
    q = brought(queries, PART)
    ROWS: gl.constexpr = q.shape[0]
    D: gl.constexpr = q.shape[1]
    KEYS: gl.constexpr = keys[0].shape[1]
    SCORES: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, KEYS, 16])
    SUMS: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, D, 16])
    LEFT: gl.constexpr = gl.DotOperandLayout(0, SUMS, 2)
    rows = PART * ROWS + gl.arange(0, ROWS, gl.SliceLayout(1, SCORES))
    none = gl.zeros([ROWS, KEYS], gl.float32, SCORES)
    begun = warpgroup_mma(q, brought(keys, 0).permute((1, 0)), none, use_acc=False, is_async=True)
    scores = warpgroup_mma_wait(0, deps=(begun,))
    mbarrier.arrive(at(keys, 0)[2])
    if CAUSAL:
        own = gl.arange(0, KEYS, gl.SliceLayout(0, SCORES))[None, :] <= rows[:, None]
        scores = gl.where(own, scores, -float("inf"))
    top = gl.full([ROWS], -float("inf"), gl.float32, gl.SliceLayout(1, SCORES))
    weights, _, top, total = softmax(scores, top, gl.zeros_like(top), unit)
    result = gl.zeros([ROWS, D], gl.float32, SUMS)
    k = brought(keys, 1, n_blocks > 1)
    for i in range(1, n_blocks):
        begun = warpgroup_mma(q, k.permute((1, 0)), none, use_acc=False, is_async=True)
        low = gl.convert_layout(weights.to(q.dtype), LEFT)
        summed = warpgroup_mma(low, brought(values, i - 1), result, is_async=True)
        scores = warpgroup_mma_wait(1, deps=(begun,))
        mbarrier.arrive(at(keys, i)[2])
        weights, rescale, top, total = softmax(scores, top, total, unit)
        k = brought(keys, i + 1, i + 1 < n_blocks)  # and holds the exponentials here
        result, low = warpgroup_mma_wait(0, deps=(summed, low))
        mbarrier.arrive(at(values, i - 1)[2])
        result = result * gl.convert_layout(rescale, gl.SliceLayout(1, SUMS))[:, None]
    low = gl.convert_layout(weights.to(q.dtype), LEFT)
    summed = warpgroup_mma(low, brought(values, n_blocks - 1), result, is_async=True)
    result = warpgroup_mma_wait(0, deps=(summed,))
    gl.store(lse + first_row + rows, (top + gl.log2(total)) * LN_2)
    result = result / gl.convert_layout(total, gl.SliceLayout(1, SUMS))[:, None]
    write(result, out, first_row + PART * ROWS, q, CAUSAL)


@gluon.jit
def write(result, out, row, tile, SPREAD: gl.constexpr):
    """Write a tile of the output by the copy engine, from where the queries lay.

    If SPREAD, rows with a number that is not finite as NaN, for the second pass of `hidden`.
    """
    if SPREAD:
        result += gl.sum(result - result, 1)[:, None]
    tile.store(result.to(tile.dtype))
    fence_async_shared()  # the copy engine sees what was stored
    store(out, [row, 0], tile)
    tma.store_wait(0)


@gluon.jit
def ring_of(tensor, STAGES: gl.constexpr):
    """Shared memory for a few tiles, and the two barriers of each."""
    SIZE: gl.constexpr = tensor.block_type.shape[0]
    D: gl.constexpr = tensor.block_type.shape[1]
    tiles = gl.allocate_shared_memory(tensor.dtype, [STAGES, SIZE, D], tensor.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)  # the producer, and the bytes that it expects
        mbarrier.init(empty.index(i), count=2)  # both consumers
    return tiles, full, empty


@gluon.jit(do_not_specialize=["n_all_heads", "group", "together", "n"])
def hopper_forward(
    lse, q, k, v, out, n_all_heads, group, together, n, scale, CAUSAL: gl.constexpr,
    ROWS: gl.constexpr, KEYS: gl.constexpr, STAGES: gl.constexpr,
):  # fmt: skip
    """out = softmax(S) v and L = log Σ exp S, of one block of queries of one head."""
    block, place = block_and_head(n // ROWS, n_all_heads, together, CAUSAL)
    n_blocks = n // KEYS
    if CAUSAL:
        n_blocks = block + 1
    queries, keys, values = ring_of(q, 2), ring_of(k, STAGES), ring_of(v, STAGES)
    fence_async_shared()  # the copy engine sees the barriers
    first_row = place * n + block * ROWS  # of all heads: 2³¹ rows fit into no such GPU
    shared = first_row, n_blocks, queries, keys, values
    unit = scale * LOG2_E
    gl.warp_specialize(
        [
            (consume, (0, CAUSAL, out, lse, unit, shared)),
            (consume, (1, CAUSAL, out, lse, unit, shared)),
            (produce, (q, k, v, place // group * n, shared)),
        ],
        [4, 1],
        [CONSUMES, BRINGS],
    )
