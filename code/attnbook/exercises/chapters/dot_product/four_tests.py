r"""Judge four tests · medium · 8 min

Hints
1. Take one version at a time, and find out first for which queries and keys its weights are right.
   Only then look at the tests.
2. The scores of the kernel are the right ones and something that is added to each of them. What is
   it, and for which keys is it the same in a whole row? And for which d_k are d_k and its root equal?
3. Two mistakes mix up queries. Neither can do any harm to a query that is alone. If there are three
   queries, ask what the weights are when no query has a preference, and what each row of them sums
   to.

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
    versions = kernel, no_root, first_query, one_sum
    return [[int(passes(version, *test)) for test in TESTS] for version in versions]


MISTAKES = """
0 and 1 are exchanged: 1 stands for a test that the version passes.
    [[0, 1, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 1, 1]]
rows and columns are exchanged: each version has a row, and each test a column.
    [[1, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
one query is enough to find a wrong score: its five keys differ, and wrong weights for them give a
wrong output.
    [[1, 1, 1, 0], [1, 1, 0, 1], [1, 1, 0, 0], [0, 1, 0, 0]]
no version fails all four tests: look for what is special about each of them.
    [[0, 0, 0, 0]] * 4
with equal keys the kernel passes: each query is equally far from all of them.
    at 0: [0, 0, 1, 0]
with one query the kernel is rejected: its scores contain half the squared length of each key, and the
five lengths differ.
    at 0: [1, 1, 1, 0]
with keys of one length the kernel passes: half the squared length is the same number for all of them,
and softmax ignores it.
    at 0: [1, 0, 0, 0]
at width 1 the kernel is rejected: the length of such a key is the size of its only entry, and the five
sizes differ.
    at 0: [1, 0, 1, 1]
with equal keys the missing root is not found: equal scores stay equal, whatever divides them.
    at 1: [0, 0, 0, 1]
with one query the missing root is found: the vectors are 4 wide, and divided by 4 the scores lie
closer together than divided by 2.
    at 1: [1, 1, 0, 1]
with keys of one length the missing root is found: the divisor depends on the number of entries, which
is 4, and the scores of keys that point in different directions differ.
    at 1: [1, 0, 1, 1]
at width 1 the missing root is not found: the root of 1 is 1.
    at 1: [1, 0, 0, 0]
with equal keys the weights of query 0 are right for every query: each key gets 1/5.
    at 2: [0, 1, 0, 0]
with one query the weights of query 0 are right: there is no other.
    at 2: [1, 0, 0, 0]
with keys of one length the weights of query 0 are wrong for the other two queries: the keys point in
different directions, and each query has its own preference.
    at 2: [1, 1, 1, 0]
at width 1 the weights of query 0 are wrong for the other two queries, whose only entries differ from
its own.
    at 2: [1, 1, 0, 1]
with equal keys the common sum is found: a row has equal weights, but as it shares its sum with two
others, they are not 1/5.
    at 3: [1, 1, 0, 0]
with one query the common sum is right: the matrix has a single row.
    at 3: [0, 0, 0, 0]
with keys of one length the common sum is found: three rows sum to 1 together, so none does so alone.
    at 3: [0, 1, 1, 0]
at width 1 the common sum is found: it runs over three rows.
    at 3: [0, 1, 0, 1]
"""

STATED = [[1, 0, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 0]]

exercise = predict(four_tests, MISTAKES, stated=STATED)
