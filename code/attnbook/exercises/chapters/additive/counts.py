"""The sizes of the first paper · easy · 6 min

Hints
1. There are three arrays of parameters: (1000, 1000), (2000, 1000) and (1000,).
2. The hidden layer has one row of 1000 numbers for each pair of a query and a key.
3. Multiplications: 30 · 1000 · 1000 for the queries, 40 · 2000 · 1000 for the keys, and one for
   each number of the hidden layer.

Why
Parameters: 1000 · 1000 + 2000 · 1000 + 1000. Hidden layer: 30 · 40 · 1000. Multiplications: 30
million for the queries, 80 million for the keys, 1.2 million for the products with w_v.

Notice
Nearly all of the work is in the projections. That of the keys, the larger one, the paper computes
in advance, once for each sentence. The hidden layer is where the memory goes.
"""

from attnbook.exercises.engine import predict


def counts():
    """Parameters, numbers in the hidden layer, multiplications."""
    n_q, n_k, d_q, d_k, d_hidden = 30, 40, 1000, 2000, 1000
    hidden = n_q * n_k * d_hidden
    projections = (n_q * d_q + n_k * d_k) * d_hidden
    return [(d_q + d_k + 1) * d_hidden, hidden, projections + hidden]


MISTAKES = """
the first two are exchanged: parameters first, then the hidden layer.
    [1_200_000, 3_001_000, 111_200_000]
the last two are exchanged: the hidden layer first, then the multiplications.
    [3_001_000, 111_200_000, 1_200_000]
w_v is learned as well: 1000 parameters more.
    at 0: 3_000_000
this score has no constants beside its matrices: two of them, and w_v.
    at 0: 3_002_000 || 3_002_001 || 3_003_001
queries and keys have a matrix each, and w_v is learned as well.
    at 0: 2_000_000
the widths are exchanged: queries have 1000 numbers, keys 2000.
    at 2: 101_200_000
w_k has 2000 rows, as many as a key has numbers: 2 million.
    at 0: 2_001_000
the hidden layer has a row for each pair, 30 · 40 of them, not 30 + 40.
    at 1: 70_000
d_q + d_k numbers for each pair is the concatenation; the hidden layer has d_hidden.
    at 1: 3_600_000
30 · 40 is the number of scores; the hidden layer has 1000 numbers for each.
    at 1: 1_200
1000 is the number of units for one pair; there are 30 · 40 pairs.
    at 1: 1_000
the question asks for numbers, not for bytes.
    at 1: 9_600_000
the product with w_v is missing: one multiplication for each hidden number.
    at 2: 110_000_000
w_v multiplies each hidden number: 1.2 million, not 1200.
    at 2: 110_001_200
this projects every pair; each query and each key is projected once, before they meet.
    at 2: 3_601_200_000 || 3_600_000_000
each parameter is used more than once: for every query, every key or every pair.
    at 2: 3_001_000
the projections of the keys are missing: 80 million.
    at 2: 31_200_000
the projections of the queries are missing: 30 million.
    at 2: 81_200_000
the projections are missing: 30 million and 80 million.
    at 2: 1_200_000
multiplications only are counted, not the additions.
    at 2: 222_400_000
the tanh is no multiplication; w_v takes 1.2 million, once.
    at 2: 112_400_000
"""

exercise = predict(counts, MISTAKES, stated=[3_001_000, 1_200_000, 111_200_000])
