"""1. Tiles under a causal mask · medium · 6 min

Hints
1. How many rows and columns of blocks are there? 512 / 128 and 2048 / 128.
2. At which key does query 0 stand, when query 511 stands at key 2047? In which block?
3. In each row of blocks one is cut; those before it are full, those after it empty.

Why
The last query sees the last key, so query 0 stands at key 1536, the first of block 12. The four
rows of blocks have their cut block at 12, 13, 14 and 15, full ones before it and empty ones after:
$12 + 13 + 14 + 15 = 54$ full, $3 + 2 + 1 + 0 = 6$ empty, 4 cut.

Notice
With a long cache few blocks are empty: causal saves half only where n_q = n_k.
"""

import numpy as np

from attnbook.exercises.engine.module import predict
from attnbook.masks import causal_mask
from attnbook.online import visible_blocks


def causal_blocks():
    """Empty, full and cut blocks of 128 by 128, for the last 512 queries of 2048 keys."""
    some, every = visible_blocks(causal_mask(512, 2048), 128, 128)
    return [np.sum(~some), np.sum(every), np.sum(some & ~every)]


MISTAKES = """
query 0 does not stand at key 0: the last query sees the last key.
    [54, 6, 4]
the blocks on the diagonal show a part: cut they are, neither full nor empty.
    [6, 58, 0]
58 blocks show something, but those on the diagonal only a part: they are cut, and not full as well.
    [6, 58, 4]
10 blocks hide something, but those on the diagonal only a part: they are cut, and not empty as
well.
    [10, 54, 4]
a causal mask hides from each query what comes behind its own place.
    [0, 64, 0]
the blocks on the diagonal show a part: they may not be left out.
    [10, 54, 0]
there are 512 queries, not 2048: four rows of blocks, of sixteen each.
    [120, 120, 16]
these are scores: count blocks, of 128 by 128 each.
    [6 * 128**2, 54 * 128**2, 4 * 128**2]
these are the last 512 keys alone: 12 blocks of keys before them are seen by all.
    [6, 6, 4]
half is full only where there are as many queries as keys.
    [30, 30, 4]
    [28, 32, 4]
    [32, 28, 4]
these are the right numbers: the order asked for is empty, full, cut.
    [4, 54, 6]
    [54, 4, 6]
    [4, 6, 54]
    [6, 4, 54]
one block too far left: query 0 stands in a later one, and all before that are full.
    [10, 50, 4]
48 fill the first 12 columns of blocks; in the last 4, some left of the diagonal are full too.
    [6, 48, 4]
the later a query, the more it sees: full blocks grow from row to row.
    [6, 42, 4]
a block begins where query 0 stands, at key 1536: in each row the diagonal crosses one block alone.
    [6, 50, 8]
    [10, 46, 8]
    [0, 48, 16]
a block that is hidden wholly is empty, not cut.
    [0, 54, 10]
behind the cut block of the first row three blocks are empty.
    [0, 60, 4]
"""

exercise = predict(causal_blocks, MISTAKES, stated=[6, 54, 4])
