r"""The products of a tile · easy · 5 min

Hints
1. An instruction does 64 rows, all columns, and 16 terms of each entry's sum.
2. What does a score q · k sum over? And what does an output sum over?
3. Each of the two products has 2 · 128 · 64 · 128 operations, and a clock does 4096.

Why
Two groups of four warps have 64 queries each. For the scores an instruction is 64 × 64 × 16, and
eight of them go through the width of 128. For the output it is 64 × 128 × 16, and four go through
the 64 keys. Both products have $2 \cdot 128 \cdot 64 \cdot 128$ operations, together $2^{22}$,
which take $2^{22}/2^{12} = 1024$ clocks.

Notice
The number of instructions follows from the terms of a sum, taken in sixteens; the clocks follow
from the operations.
"""

from attnbook.exercises.engine import predict


def tile_products():
    """Instructions for scores and for outputs, and the clocks of both."""
    rows, keys, width = 128, 64, 128
    return [width // 16, keys // 16, 4 * rows * keys * width / 4096]


MISTAKES = """
scores sum over the width, which is 128 = 8 · 16, outputs over the 64 keys of the tile.
    [4, 8, 1024] || [8, 8, 1024] || [4, 4, 1024]
each group of four warps has its own 64 rows: a warp meets only its own group's.
    [16, 8, 1024]
there are 4 · 128 · 64 · 128 operations: two products of both groups, each with multiplications
and additions.
    [8, 4, 512]
one multiprocessor has this tile; others have tiles of their own.
    [8, 4, 1024 / 132]
an instruction does 16 terms of a sum of bfloat16, not 32, and not one.
    [4, 2, 1024] || [128, 64, 1024]
there are 4 · 128 · 64 · 128 operations, and 4096 a clock is what all tensor cores of a
multiprocessor do together.
    [8, 4, 256]
4096 counts operations, a multiplication and an addition each; the tile has 2²².
    [8, 4, 2048]
"""

exercise = predict(tile_products, MISTAKES, stated=[8, 4, 1024], atol=0.01)
