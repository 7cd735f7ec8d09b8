"""A causal mask · easy · 6 min

Hints
1. np.arange(n_q)[:, None] is a column of queries, np.arange(n_k) a row of keys.
2. For n_q = n_k the mask is j <= i. With 2 queries and 5 keys, at which key is query 0?
3. The last query, n_q - 1, stands at the last key, n_k - 1: every query is n_k - n_q along.

Why
Query i stands at key i + n_k − n_q, so that the last query stands at the last key. It sees every
key up to there. A column of queries compared with a row of keys is a matrix.

Notice
For one new query beside a cache the mask is all True: the newest sees everything.
"""

import numpy as np

from attnbook import masks
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.families import triangles


def causal_mask(n_q, n_k):
    """True where query i may look at key j; the last query stands at the last key."""
    return np.arange(n_k) <= np.arange(n_q)[:, None] + n_k - n_q


def triangle(visible):
    def mask(n_q, n_k):
        return visible(np.arange(n_q)[:, None], np.arange(n_k), n_q, n_k)

    return mask


def by_tri(n_q, n_k):
    """NumPy's triangle, whose diagonal is shifted."""
    return np.tri(n_q, n_k, n_k - n_q, dtype=bool)


CASES = (
    case(n_q=2, n_k=2, gives=np.array([[True, False], [True, True]])),
    case(n_q=1, n_k=1),
    case(n_q=1, n_k=3),
    case(n_q=3, n_k=3),
    case(n_q=2, n_k=5),
    case(n_q=4, n_k=2),
    case(n_q=5, n_k=1),
    stress(n_q=23, n_k=31),
    stress(n_q=31, n_k=23),
    stress(n_q=140, n_k=150),
)

MISTAKES = """
the mask is transposed: rows are queries, columns are keys.
    = causal_mask(n_q, n_k).T
these are the numbers 1.0 and 0.0; a mask is boolean, so that nobody takes it for a bias.
    = causal_mask(n_q, n_k).astype(float)
this is a bias, to be added to scores; a mask is boolean, True = may look.
    = np.where(causal_mask(n_q, n_k), 0, -np.inf)
"""

exercise = write(
    causal_mask,
    CASES,
    MISTAKES,
    also=triangles.mistakes(triangle),
    oracle=by_tri,
    ours=(masks.causal_mask,),
)
