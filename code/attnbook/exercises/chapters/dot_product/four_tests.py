r"""Judge four tests · medium · 8 min

Hints
1. Take one version at a time, and find out first for which queries and keys its weights are right.
   Only then look at the tests.
2. The scores of the kernel are the right ones and something that is added to each of them. What is
   it, and for which keys is it the same in a whole row? And for which d_k are d_k and its root equal?
3. Two mistakes mix up queries. What do they do to one query, and what to three? And what are the
   three rows of weights, and their sums, when no query has a preference?

Why
The kernel has the right weights if all keys have the same length, because only half the squared
length sets its scores apart. The version without the root has them if its scores are all equal, or
if $d_k = 1$. The third version has them if there is only one query, or if every query gives the same
weights, as with equal keys. The fourth has them only if the matrix has a single row: three rows that
sum to 1 together do not sum to 1 each, even where all weights of a row are equal.

Notice
None of the tests rejects all four versions: whatever is special about a test, some mistake stays
hidden by it. One test with three queries and five keys, all random and 4 wide, rejects all four.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.reference import gaussian_scores, scaled_dot_product_attention, softmax


def kernel(q, k):
    return softmax(gaussian_scores(q, k, width=q.shape[-1] ** 0.25))


def no_root(q, k):
    return softmax(q @ k.T / q.shape[-1])


def first_query(q, k):
    return softmax((0 * q + q[0]) @ k.T / q.shape[-1] ** 0.5)


def one_sum(q, k):
    exps = np.exp(q @ k.T / q.shape[-1] ** 0.5)
    return exps / np.sum(exps)


Q, K, V = np.random.default_rng(0).standard_normal((3, 5, 4))
Q, UNITS = Q[:3], K / np.linalg.norm(K, axis=1, keepdims=True)
TESTS = (Q, K[[0] * 5]), (Q[:1], K), (Q, UNITS), (Q[:, :1], K[:, :1])


def passes(weights, q, k):
    """Whether a test accepts the output that a version's weights give."""
    return np.allclose(weights(q, k) @ V, scaled_dot_product_attention(q, k, V))


def four_tests():
    """1 where a version (row) passes a test (column), and 0 where it is rejected."""
    rows = []
    for version in (kernel, no_root, first_query, one_sum):
        rows.append([int(passes(version, *test)) for test in TESTS])
    return rows


MISTAKES = """
0 and 1 are exchanged: 1 stands for a test that the version passes.
    [[0, 1, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 1, 1]]
a test that rejects a version has a 0 here: −1 stands for nothing.
    [[1, -1, 1, -1], [1, -1, -1, 1], [1, 1, -1, -1], [-1, 1, -1, -1]]
    at 0: [1, -1, 1, -1]
    at 1: [1, -1, -1, 1]
    at 2: [1, 1, -1, -1]
    at 3: [-1, 1, -1, -1]
    [[1, 0, 1, -1], [1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 0]]
rows and columns are exchanged: each version has a row, and each test a column.
    [[1, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
one query is enough to find a wrong score: its five keys differ, and wrong weights for them give a
wrong output.
    [[1, 1, 1, 0], [1, 1, 0, 1], [1, 1, 0, 0], [0, 1, 0, 0]]
no version fails all four tests: look for what is special about each of them.
    [[0, 0, 0, 0]] * 4
the kernel with equal keys: how far is a query from each of them?
    at 0: [0, 0, 1, 0]
the kernel with one query: are its five keys equally long?
    at 0: [1, 1, 1, 0]
the kernel with keys of one length: what does softmax make of a number that all scores of a row
share?
    at 0: [1, 0, 0, 0]
the kernel at width 1: are five keys with a single entry equally long?
    at 0: [1, 0, 1, 1]
the missing root with equal keys: what becomes of equal scores when they are divided?
    at 1: [0, 0, 0, 1]
the missing root with one query: do five scores give the same weights divided by 4 as divided by 2?
    at 1: [1, 1, 0, 1]
the missing root with keys of one length: is it their length by which the scores are divided?
    at 1: [1, 0, 1, 1]
the missing root at width 1: by what should the scores be divided?
    at 1: [1, 0, 0, 0]
the weights of query 0 with equal keys: which query prefers another key?
    at 2: [0, 1, 0, 0]
the weights of query 0 with one query: who else gets them?
    at 2: [1, 0, 0, 0]
the weights of query 0 with keys of one length: do all three queries prefer the same key?
    at 2: [1, 1, 1, 0]
the weights of query 0 at width 1: do three queries with a single entry have the same weights?
    at 2: [1, 1, 0, 1]
the common sum with equal keys: is each of the five weights of a row 1/5?
    at 3: [1, 1, 0, 0]
the common sum with one query: how many rows has the matrix?
    at 3: [0, 0, 0, 0]
the common sum with keys of one length: what does a row sum to?
    at 3: [0, 1, 1, 0]
the common sum at width 1: is it the sum of each row?
    at 3: [0, 1, 0, 1]
"""

STATED = [[1, 0, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 0]]

exercise = predict(four_tests, MISTAKES, stated=STATED)
