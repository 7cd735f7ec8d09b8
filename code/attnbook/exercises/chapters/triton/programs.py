r"""How many programs · easy · 5 min

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

import attnbook.kernels  # before Triton
from attnbook.exercises.engine import predict

import triton


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
there are 2 sequences of 4 heads, 8 in all, and each has programs of its own.
    [300, 124, 3, 84] || [2400, 124, 3, 84] || [600, 124, 6, 84] || [1200, 124, 12, 84]
a program has one block of queries: not a whole head, and not one query.
    [2400, 124, 8, 84] || [2400, 124, 2400, 84]
a softmax has a program for each row of scores, of which there are 2 · 4 · 300.
    [8, 124, 24, 84] || [2160000, 124, 24, 84] || [7200, 124, 24, 84]
each head has three blocks of queries: two hold 256 of its 300, and none mixes heads.
    [2400, 124, 18.75, 84] || [2400, 124, 16, 84] || [2400, 124, 19, 32]
the three blocks of a head have 384 rows, and 300 of these are in use: 84 are idle.
    [2400, 124, 24, 212] || [2400, 124, 24, 44] || [2400, 124, 24, 672]
a program has 1024 lanes, the next power of two after 900, and 900 of them have a number: the
question asks for the others, in one program.
    [2400, 0, 24, 84] || [2400, 297600, 24, 84] || [2400, 1024, 24, 84] || [2400, 900, 24, 84]
    [2400, 60, 24, 84] || [2400, 252, 24, 84]
blocks of queries: n_q = 300 counts, not n_k.
    [2400, 124, 64, 84]
a program takes all keys of its queries, in a loop.
    [2400, 124, 192, 84]
"""

exercise = predict(programs, MISTAKES, stated=[2400, 124, 24, 84])
