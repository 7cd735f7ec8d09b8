r"""1. How many programs · easy · 5 min

Hints
1. A row of scores belongs to one query of one head of one sequence.
2. Lanes come in powers of two: what is the first that holds 900?
3. How many blocks of 128 do 300 queries need? A block never mixes two heads.

Why
A softmax has a program for each row of scores, $2 \cdot 4 \cdot 300 = 2400$; the next power of two
after 900 is 1024. Attention has one for each block of queries: 300 queries fill two blocks of 128
and begin a third, for each of the $2 \cdot 4$ heads, and $3 \cdot 128 - 300 = 84$ rows of the third
are idle.

Notice
So few programs for attention: with 132 processors, 24 leave most of them idle.
"""

from attnbook.exercises.engine.module import predict
from attnbook.kernels import triton


def programs():
    """Programs and idle lanes of a softmax by rows, then programs and idle rows of attention."""
    batch, heads, n_q, n_k = 2, 4, 300, 900
    lanes, blocks = triton.next_power_of_2(n_k), triton.cdiv(n_q, 128)
    return [
        batch * heads * n_q,
        lanes - n_k,
        batch * heads * blocks,
        blocks * 128 - n_q,
    ]


MISTAKES = """
each sequence and each head has programs of its own.
    [300, 124, 3, 84]
    [2400, 124, 3, 84]
there are 2 sequences of 4 heads: 8 times as many.
    [600, 124, 6, 84]
    [1200, 124, 12, 84]
a program has one block of queries: not a whole head, and not one query.
    [2400, 124, 8, 84]
    [2400, 124, 2400, 84]
our softmax has a program for each row, not for a head.
    [8, 124, 24, 84]
a block of queries that is not full counts too: 3.
    [2400, 124, 18.75, 84]
two blocks hold 256 of 300 queries: a third is needed.
    [2400, 124, 16, 84]
three blocks have 384 rows, and 300 are in use.
    [2400, 124, 24, 212]
44 rows of the third block are in use; 84 are idle.
    [2400, 124, 24, 44]
84 in the last block of each head; asked is one head.
    [2400, 124, 24, 672]
900 is no power of two: tl.arange needs one, 1024.
    [2400, 0, 24, 84]
asked are the closed lanes of one program.
    [2400, 297600, 24, 84]
1024 lanes in all, of which 900 have a number; asked are those that have none.
    [2400, 1024, 24, 84]
    [2400, 900, 24, 84]
960 is a multiple of 64 and no power of two: 1024 is.
    [2400, 60, 24, 84]
the block has to hold the whole row, in one piece of 1024.
    [2400, 252, 24, 84]
a program takes a row of scores, not a single score.
    [2160000, 124, 24, 84]
a program takes a row of 900 keys, not of 300.
    [7200, 124, 24, 84]
blocks of queries: n_q = 300 counts, not n_k.
    [2400, 124, 64, 84]
a block never mixes heads: each has three blocks.
    [2400, 124, 19, 32]
a program takes all keys of its queries, in a loop.
    [2400, 124, 192, 84]
"""

exercise = predict(programs, MISTAKES, stated=[2400, 124, 24, 84])
