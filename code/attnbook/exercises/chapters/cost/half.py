r"""Half of the pairs · easy · 4 min

Hints
1. How many of the n_k keys does the last query see, and how many does the first one see?
2. The first of n_q queries sees n_k − n_q + 1 keys. When is that much more than one?
3. Think of writing: one query, and a cache.

Why
The last query sees all $n_k$ keys, and each query before it sees one key fewer, so that the first one
sees $n_k - n_q + 1$. On average that is the fraction $1 - (n_q - 1)/(2 n_k)$ of the keys: about one
half only if there are nearly as many queries as keys. A single query that meets a cache sees all of
it, since the future is not in it yet.

Notice
A causal mask halves the work of reading, and it saves nothing at all in writing.
"""

import numpy as np

from attnbook.exercises.engine import break_it, whole_numbers
from attnbook.measure import causal_pairs


def half():
    """A step of writing, whose one query may see every key of the cache."""
    return 1, 4096


def half_of_the_pairs(n_q, n_k):
    return np.float64(0.5)


def fraction_of_the_pairs(n_q, n_k):
    """The visible pairs of all n_q · n_k, to one decimal."""
    return np.round(causal_pairs(int(n_q), int(n_k)) / (n_q * n_k), 1)


def fits(n_q, n_k):
    wrong = whole_numbers(100, 65536, n_k=n_k) or whole_numbers(1, 65536, n_q=n_q)
    if wrong or n_q <= n_k:
        return wrong
    return f"n_q is {n_q} and n_k is {n_k}; the check wants at most as many queries as keys."


MISTAKES = """
with as many queries as keys it is indeed a half: the first query sees one key, and the last sees all.
    4096, 4096
    if n_q == n_k
a few queries fewer hardly change the average; think of a cache that is long when the queries come.
    4095, 4096
    if n_k - n_q < 10
there are nearly as many queries as keys, so the first query sees few of them; take fewer queries.
    4000, 4096
    if True
"""

exercise = break_it(
    half,
    MISTAKES,
    broken=half_of_the_pairs,
    right=fraction_of_the_pairs,
    allowed=fits,
    stated=(1.0, 0.5),
)
