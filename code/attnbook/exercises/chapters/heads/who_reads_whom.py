"""Who reads whom · easy · 3 min

Hints
1. How many query heads share one key-value head?
2. Neighbours share: each key-value head stands twice in a row.

Why
Six query heads and three key-value heads: two share one. Repeated, the three stand as 0, 0,
1, 1, 2, 2, and query head m reads the one at place m.

Notice
The rule is m // (h / h_kv), and with h_kv = h or h_kv = 1 it is the same formula.
"""

from attnbook.exercises.engine import predict


def who_reads_whom():
    """The key-value head, of three, that each of six query heads reads."""
    n_heads, n_kv_heads = 6, 3
    return [head // (n_heads // n_kv_heads) for head in range(n_heads)]


MISTAKES = """
that is the tile, m % 3; the heads are repeated: neighbours share.
    [0, 1, 2, 0, 1, 2]
that is for two key-value heads; of three, 6 / 3 = 2 heads share one.
    [0, 0, 0, 1, 1, 1]
that is multi-head attention; here only the heads 0, 1 and 2 have keys and values.
    [0, 1, 2, 3, 4, 5]
that is multi-query attention; here there are three key-value heads.
    [0, 0, 0, 0, 0, 0]
heads count from 0.
    [1, 1, 2, 2, 3, 3]
heads count from 0, and two neighbours share one.
    [1, 2, 3, 1, 2, 3] || [1, 2, 3, 4, 5, 6]
the order is reversed: head 0 reads head 0.
    [2, 2, 1, 1, 0, 0]
that is m % 2, two heads in turn; there are three, and neighbours share.
    [0, 1, 0, 1, 0, 1]
the three run forwards and then backwards; neighbours share, and the order stays.
    [0, 1, 2, 2, 1, 0]
query heads 0 and 1 are neighbours, and read one head: two by two they share.
    [0, 1, 1, 2, 2, 2]
"""

exercise = predict(who_reads_whom, MISTAKES, stated=[0, 0, 1, 1, 2, 2])
