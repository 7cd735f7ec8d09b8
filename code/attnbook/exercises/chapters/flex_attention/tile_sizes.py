r"""The memory of three tile sizes · medium · 7 min

Hints
1. How large is a tile, t by t, in each of the three calls? And which rows of the chapter's table
   depend on t, which on the width, and which on both?
2. A number takes 4 bytes, and a MiB has 2²⁰. What does one head need, and how many heads are there?
   What does one thread need, and how many threads are there?
3. With t = 512 the scores of a tile, and the room beside them, take 2 MiB. The third row of the table
   has something more for each thread: how much is it at this width?

Why
The output and the copies of keys and values take 6 MiB for each of the 16 heads, 96 MiB in all,
whatever the tiles are. A thread needs $4\,(2\,t^2 + 3 \cdot 128\,t)$ bytes, which is 0.3125 MiB for
$t = 128$, 2.75 MiB for $t = 512$, and 134 MiB for $t = 4096$, where the single block is the whole
text. The four threads add 1.25, 11 and 536 MiB to the 96.

Notice
Only the tiles depend on the block mask: those of 128 add 1 % to what the heads need anyway, and a
single block makes it six and a half times as much. More threads would make that worse, and more
heads would not.
"""

import numpy as np

from attnbook.exercises.engine import predict


def tile_sizes():
    """MiB at the peak: with the default blocks, with blocks of 512, and without a block mask."""
    n, width, heads, threads = 4096, 128, 16, 4
    t = np.array([128, 512, n])
    for_each_head = 3 * width * n
    for_each_thread = 2 * t**2 + 3 * width * t
    return 4 * (heads * for_each_head + threads * for_each_thread) / 2**20


TILES = np.array([128, 512, 4096])


def mib(heads=16, threads=4, width=128, tile_width=None, copies=3, scores=2, rows=3, t=TILES):
    """The count, in MiB, with other numbers."""
    for_each_thread = scores * t**2 + rows * (tile_width or width) * t
    return 4 * (heads * copies * width * 4096 + threads * for_each_thread) / 2**20


MISTAKES = """
the order is: the default blocks, then blocks of 512, then no block mask.
    mib()[[1, 0, 2]] || mib()[[2, 1, 0]] || mib()[[0, 2, 1]] || mib()[[1, 2, 0]] || mib()[[2, 0, 1]]
this is another unit: a MiB has 2²⁰ bytes.
    mib() * 2**20 || mib() * 2**10 || mib() / 2**10
    mib() * 2**20 / 1e6 || np.round(mib() * 2**20 / 1e6, 1)
    mib() * 2**20 / 1e3 || np.round(mib() * 2**20 / 1e3) || mib() * 2**20 / 1e9
these are numbers, or bytes of another float: in float32 a number takes 4 bytes.
    mib() / 4 || mib() / 2 || mib() * 2 || mib() * 2**18
this is the chapter's formula as it stands, for one head of width 64 and one thread: all three are
other numbers here.
    mib(heads=1, threads=1, width=64)
    at 0: mib(heads=1, threads=1, width=64)[0]
    at 1: mib(heads=1, threads=1, width=64)[1]
two things: the width is 128, not 64; and room for a tile is reserved for every thread.
    mib(width=64, threads=1)
    at 0: mib(width=64, threads=1)[0]
    at 1: mib(width=64, threads=1)[1]
    at 2: mib(width=64, threads=1)[2]
two things: the width is 128, not 64; and each head has an output and copies of its own.
    mib(width=64, heads=1)
    at 0: mib(width=64, heads=1)[0]
    at 1: mib(width=64, heads=1)[1]
    at 2: mib(width=64, heads=1)[2]
two things: each head has an output and copies of its own, and room for a tile is reserved for every
thread.
    mib(heads=1, threads=1)
    at 0: mib(heads=1, threads=1)[0]
    at 1: mib(heads=1, threads=1)[1]
    at 2: mib(heads=1, threads=1)[2]
two things: beside its scores a tile has as much room again, and every thread has room for a tile.
    mib(scores=1, threads=1)
    at 0: mib(scores=1, threads=1)[0]
    at 1: mib(scores=1, threads=1)[1]
    at 2: mib(scores=1, threads=1)[2]
two things: without a block mask the tile isn't 128 by 128, and every thread has room for a tile.
    at 2: mib(threads=1)[0]
two things: without a block mask the tile isn't 128 by 128, and the width is 128, not 64.
    at 2: mib(width=64)[0]
the width is 128: the 256 in the chapter's formula are the bytes of 64 numbers.
    mib(width=64) || mib(tile_width=64) || mib(width=64, tile_width=128)
    at 0: mib(width=64)[0] || mib(tile_width=64)[0] || mib(width=64, tile_width=128)[0]
    at 1: mib(width=64)[1] || mib(tile_width=64)[1] || mib(width=64, tile_width=128)[1]
    at 2: mib(width=64)[2] || mib(tile_width=64)[2] || mib(width=64, tile_width=128)[2]
not all is twice as wide as in the chapter: the scores of a tile don't depend on the width.
    mib(scores=4)
    at 0: mib(scores=4)[0]
    at 1: mib(scores=4)[1]
    at 2: mib(scores=4)[2]
room for a tile is reserved for every thread, not for one alone.
    mib(threads=1)
    at 0: mib(threads=1)[0]
    at 1: mib(threads=1)[1]
    at 2: mib(threads=1)[2]
each head has an output and copies of its own.
    mib(heads=1)
    at 0: mib(heads=1)[0]
    at 1: mib(heads=1)[1]
    at 2: mib(heads=1)[2]
what is reserved for a thread is used again for its next tile, of the same head or another.
    mib(threads=16) || mib(threads=64)
    mib(threads=4 * (4096 // TILES)) || mib(threads=64 * (4096 // TILES))
    mib(threads=4 * (4096 // TILES) ** 2) || mib(threads=64 * (4096 // TILES) ** 2)
    mib(threads=16 * (4096 // TILES) ** 2) || mib(threads=(4096 // TILES) ** 2)
    at 0: mib(threads=16)[0] || mib(threads=64)[0] || mib(threads=128)[0] || mib(threads=2048)[0]
    at 1: mib(threads=16)[1] || mib(threads=64)[1] || mib(threads=32)[1] || mib(threads=512)[1]
    at 2: mib(threads=16)[2] || mib(threads=64)[2]
the output and the copies are reserved once for each head, not once more for each thread.
    mib(heads=64)
    at 0: mib(heads=64)[0]
    at 1: mib(heads=64)[1]
    at 2: mib(heads=64)[2]
heads and threads have changed places.
    mib(heads=4, threads=16)
    at 0: mib(heads=4, threads=16)[0]
    at 1: mib(heads=4, threads=16)[1]
    at 2: mib(heads=4, threads=16)[2]
t is how long a tile is, and not the number of tiles in a row.
    mib(t=4096 // TILES)
    at 0: mib(t=4096 // TILES)[0]
    at 1: mib(t=4096 // TILES)[1]
this is what the heads need: the threads' tiles come on top.
    mib(threads=0)
    at 0: mib(threads=0)[0]
    at 1: mib(threads=0)[1]
    at 2: mib(threads=0)[2]
this is what the tiles need: the output and the copies of each head come on top.
    mib(heads=0) || mib(heads=0, threads=1)
    at 0: mib(heads=0)[0] || mib(heads=0, threads=1)[0]
    at 1: mib(heads=0)[1] || mib(heads=0, threads=1)[1]
    at 2: mib(heads=0)[2] || mib(heads=0, threads=1)[2]
beside the scores of a tile there is as much room again, for 16-bit weights that may never come.
    mib(scores=1) || mib(scores=1.5)
    at 1: mib(scores=1)[1] || mib(scores=1.5)[1]
    at 2: mib(scores=1)[2] || mib(scores=1.5)[2]
a tile has more than its scores: its outputs, its keys and its queries.
    mib(rows=0) || mib(rows=1) || mib(rows=2)
    at 0: mib(rows=0)[0]
    at 1: mib(rows=0)[1] || mib(rows=2)[1]
    at 2: mib(rows=0)[2] || mib(rows=1)[2] || mib(rows=2)[2]
the scores of a tile are missing, and the room beside them.
    mib(scores=0)
    at 1: mib(scores=0)[1]
    at 2: mib(scores=0)[2]
a head has three arrays: its output, a copy of its keys and one of its values.
    mib(copies=1) || mib(copies=2)
    at 0: mib(copies=1)[0] || mib(copies=2)[0]
    at 1: mib(copies=1)[1] || mib(copies=2)[1]
    at 2: mib(copies=1)[2] || mib(copies=2)[2]
the queries, keys and values themselves were there before the call, and aren't in the table.
    mib(copies=6) || mib(copies=5) || mib(copies=4)
    at 0: mib(copies=6)[0] || mib(copies=5)[0] || mib(copies=4)[0]
    at 1: mib(copies=6)[1] || mib(copies=5)[1] || mib(copies=4)[1]
    at 2: mib(copies=6)[2] || mib(copies=5)[2] || mib(copies=4)[2]
the tiles are as large as the mask's blocks: in the second call, larger than 128 by 128.
    at 1: mib()[0]
without a block mask the tile isn't 128 by 128: that is the default of `create_block_mask`.
    at 2: mib()[0]
without a block mask there is a single block, and not the one of the second call.
    at 2: mib()[1]
the single block is larger than the text, but a tile never is.
    at 2: mib(t=2**30) || mib(t=2**30, threads=1)
the scores of all heads are never held at once, only those of the tiles at work.
    at 2: 96 + 1024 || 96 + 2048 || 1024
the block masks are made beforehand, so what making them takes doesn't count.
    mib() + 160 || mib() + [160, 160, 0]
    at 0: mib()[0] + 160 || 160
    at 1: mib()[1] + 160 || 160
97 is near: either it is rounded, or a part of the tile is missing.
    at 0: 97
97.3 is near: give two decimals.
    at 0: 97.3
the chapter's count neglects the largest score and the sum of each row.
    mib() + 2**-15 * TILES
    at 1: mib()[1] + 2**-6
    at 2: mib()[2] + 2**-3
"""

exercise = predict(tile_sizes, MISTAKES, stated=[97.25, 107, 632], atol=0.008)
