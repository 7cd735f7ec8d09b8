"""Tiles under a causal mask · medium · 6 min

Hints
1. How many rows and columns of tiles are there? 512 / 128 and 2048 / 128.
2. Query 511 stands at key 2047. At which key does query 0 stand, and in which block of keys is it?
3. In each row of tiles one is partial; those before it are full, and those after it are empty.

Why
The last query sees the last key, so query 0 stands at key 1536, the first key of block 12. The four
rows of tiles have their partial tile at 12, 13, 14 and 15, full ones before it and empty ones
after it: $12 + 13 + 14 + 15 = 54$ full tiles, $3 + 2 + 1 + 0 = 6$ empty ones, and 4 partial ones.

Notice
After a long cache few tiles are empty: a causal mask saves half of them only where n_q = n_k.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.masks import causal_mask
from attnbook.online import visible_blocks


def causal_blocks():
    """Empty, full and partial tiles of 128 by 128, for the last 512 queries of 2048 keys."""
    some, every = visible_blocks(causal_mask(512, 2048), 128, 128)
    return [np.sum(~some), np.sum(every), np.sum(some & ~every)]


MISTAKES = """
query 0 does not stand at key 0: the last query sees the last key.
    [54, 6, 4]
the tiles on the diagonal are partly visible, and so neither full nor empty.
    [6, 58, 0]
58 tiles show something, but those on the diagonal hide something too: they are partial, not full.
    [6, 58, 4]
10 tiles hide something, but those on the diagonal show something too: they are partial, not empty.
    [10, 54, 4]
a causal mask hides from each query the keys behind its own.
    [0, 64, 0]
the tiles on the diagonal are partly visible: they may not be left out.
    [10, 54, 0]
there are 512 queries, not 2048: that makes four rows of sixteen tiles each.
    [120, 120, 16]
these are numbers of scores: count tiles, of 128 by 128 scores each.
    [6 * 128**2, 54 * 128**2, 4 * 128**2]
these are the tiles of the last 512 keys: the 12 blocks of keys before them are seen by all queries.
    [6, 6, 4]
about half of the tiles are full only where there are as many queries as keys.
    [30, 30, 4]
    [28, 32, 4]
    [32, 28, 4]
these are the right numbers in another order: the question asks for empty, full, partial.
    [4, 54, 6]
    [54, 4, 6]
    [4, 6, 54]
    [6, 4, 54]
the diagonal lies further to the right: find the block in which query 0 stands; all before it are
full.
    [10, 50, 4]
48 tiles fill the first 12 columns; in the last 4 columns, those left of the diagonal are full too.
    [6, 48, 4]
the later a query, the more it sees: the number of full tiles grows from row to row.
    [6, 42, 4]
a block begins where query 0 stands, at key 1536: in each row the diagonal crosses only one tile.
    [6, 50, 8]
    [10, 46, 8]
    [0, 48, 16]
a tile that is hidden entirely is empty, not partial.
    [0, 54, 10]
behind the partial tile of the first row three tiles are empty.
    [0, 60, 4]
"""

exercise = predict(causal_blocks, MISTAKES, stated=[6, 54, 4])
