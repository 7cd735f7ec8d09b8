"""Blocks of packed documents · medium · 6 min

Hints
1. 24 words are 6 blocks a side; the documents are 2 and 4 blocks long.
2. A document of N blocks has N on its diagonal, and N(N − 1)/2 below.

Why
The documents have 2 + 4 = 6 blocks on their diagonals, which are partial, and 1 + 6 = 7
below, which are full. The other 36 − 13 = 23 are empty.

Notice
Of 36 blocks 13 are computed, and only 6 look at the rule.
"""

import numpy as np

from attnbook import masks, online
from attnbook.exercises.engine import predict


def document_blocks():
    """Empty, full and partial blocks of two documents, 8 and 16 words long, each causal in itself."""
    documents = np.repeat([0, 1], [8, 16])
    mask = masks.document_mask(documents, documents) & masks.causal_mask(24, 24)
    some, every = online.visible_blocks(mask, 4, 4)
    return [int((~some).sum()), int(every.sum()), int((some & ~every).sum())]


MISTAKES = """
the blocks on the diagonals are partial, not empty.
    [29, 7, 0]
documents of 2 and 4 blocks a side have N(N − 1)/2 full blocks below the diagonal: 1 and 6.
    [29, 1, 6] || [23, 0, 13] || [24, 6, 6] || [26, 4, 6]
the order is empty, full, partial: two of the numbers stand in each other's place.
    [7, 23, 6] || [23, 6, 7]
15 blocks lie above the diagonal; those below it between two documents are empty too.
    [15, 7, 6]
each is causal in itself: blocks above its diagonal are empty too.
    [16, 7, 6]
of the 13 that are left 6 are partial; the other 7 are full.
    [23, 13, 6]
that is the chapter's row of 20 words: here are 8 and 16.
    [16, 4, 5]
13 blocks are left to compute: the first number is the others'.
    [13, 7, 6]
count blocks of 4 by 4, of which there are 36.
    [376, 156, 44]
"""

exercise = predict(document_blocks, MISTAKES, stated=[23, 7, 6])
