r"""Heads that share their keys · easy · 5 min

Hints
1. How many bytes does one head of Q take, with 1024 positions of 128 numbers of 2 bytes?
2. How many heads do Q, K, V and O have? O has one for each query head.
3. Scores are not shared, so each of the 32 query heads has a matrix of its own.

Why
One head of one array has $2^{10} \cdot 2^7$ numbers of 2 bytes, a quarter of a MiB. $Q$ and $O$
have 32 such heads, 8 MiB each; $K$ and $V$ have 8, 2 MiB each: 20 MiB. Every query head has its own
scores: $32 \cdot 2^{20} \cdot 2$ bytes are 64 MiB.

Notice
A fused program moves these 20 MiB; in three phases S and A are written and read in addition.
"""

from attnbook.exercises.engine import predict


def shared_keys():
    """MiB of Q, K, V and O together, and of the scores of all heads."""
    position = 128 * 2  # bytes of one position of one head
    return [(2 * 32 + 2 * 8) * 1024 * position / 2**20, 32 * 1024**2 * 2 / 2**20]


MISTAKES = """
K and V have only 8 heads, which is what sharing saves; Q and O have 32.
    [32, 64] || [8, 64]
a number of 16 bits takes 2 bytes.
    [40, 128] || [10, 32]
Q, K, V and O are four arrays: O is as large as Q, and V, like K, has 2 MiB.
    [12, 64] || [10, 64] || [16, 64] || [18, 64]
shared keys do not share scores: each of the 32 query heads has its own.
    [20, 16] || [20, 2]
128 MiB is S in 32 bits, or S and A together; the question asks for the scores, of 2 bytes each.
    [20, 128]
that is half of S; every pair has a score of 2 bytes, since there is no mask.
    [20, 32]
that includes L; the question asks for Q, K, V and O alone.
    [20.125, 64]
the answer should be in MiB, of 2^20 bytes of 8 bits each.
    [160, 512] || [20 * 2**20 / 1e6, 64 * 2**20 / 1e6] || [20 * 2**20, 64 * 2**20]
"""

exercise = predict(shared_keys, MISTAKES, stated=[20, 64], atol=0.01)
