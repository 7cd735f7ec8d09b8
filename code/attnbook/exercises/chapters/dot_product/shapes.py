"""Shapes of batched products · easy · 3 min

Hints
1. `@` multiplies the matrices in the last two axes; the axes before those stay as they are.
2. `.T` reverses the order of all axes, not only of the last two.
3. A score belongs to a query and a key; an output belongs to a query and is as wide as a value.

Why
`k.T` reverses all four axes. The scores keep the batch axes (2, 3) and pair 5 queries with 7 keys.
The output has one row for each query, as wide as a value.

Notice
The width of a key, 4, stands in neither result: the first product sums over it.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.reference import softmax


def shapes():
    """The shapes of k.T, of the scores and of the output."""
    q, k, v = map(np.ones, [(2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6)])
    scores = q @ np.swapaxes(k, -1, -2)
    out = softmax(scores) @ v
    return [k.T.shape, scores.shape, out.shape]


MISTAKES = """
that is np.swapaxes(k, -1, -2); k.T reverses all four axes.
    at 0: (2, 3, 4, 7)
that is the shape of k itself; k.T reverses all four axes.
    at 0: (2, 3, 7, 4)
the scores are transposed: rows are queries, columns are keys.
    at 1: (2, 3, 7, 5)
a score sums over the features: its last axis counts keys.
    at 1: (2, 3, 5, 4)
the output mixes values: it is as wide as a value, not as a key.
    at 2: (2, 3, 5, 4)
the output has one row for each query, not for each key.
    at 2: (2, 3, 7, 6)
"""

exercise = predict(shapes, MISTAKES, stated=[(4, 7, 3, 2), (2, 3, 5, 7), (2, 3, 5, 6)])
