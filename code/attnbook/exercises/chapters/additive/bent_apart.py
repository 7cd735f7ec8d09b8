"""Each side bent on its own · medium · 8 min

Hints
1. Without numbers: what does the query add to its row of scores in the wrong version?
2. So in the wrong version the query cancels. Look for a query that matters in the right one, and
   two keys that differ.
3. With the query 0 both versions score tanh(k). Move the query to where the curve is flatter.

Why
In the wrong version tanh(q) is one number for the whole row, so the weights do not depend on the
query. In the right one the query 1 moves the keys 0 and 1 to 1 and 2, where the tanh is flatter:
their scores are nearer, and so are their weights.

Notice
A bend helps only where query and key have met. Bent on its own, each side is still a number of its
own, and the softmax drops the query's.
"""

import numpy as np

from attnbook.exercises.engine import break_it, finite_arrays
from attnbook.reference import softmax


def bent_apart():
    """One query that is not 0, two keys: the query decides which key's step the tanh flattens."""
    q = np.array([[1.0]])
    k = np.array([[0.0], [1.0]])
    return q, k


def bent_together(q, k):
    """The right version: add, then bend. All parameters are 1."""
    return softmax(np.tanh(q + k.T))


def bent_on_their_own(q, k):
    """The wrong version that the exercise shows: bend, then add."""
    return softmax(np.tanh(q) + np.tanh(k.T))


def are_columns(q, k):
    columns = "real numbers of shape (n, 1)"
    if refusal := finite_arrays(2, columns, q=q, k=k):
        return refusal
    if q.shape[1] != 1 or k.shape[1] != 1:
        return f"q has the shape {q.shape} and k {k.shape}; expected {columns}."
    return None


def keys_saturate(q, k):
    """Every key lies so far out on one side, and every sum too, that no step is left."""
    sums = np.tanh(q + k.T)
    return np.allclose(np.tanh(k), np.tanh(k[0])) and np.allclose(sums, sums[:, :1])


MISTAKES = """
with one key its weight is 1 whatever the score.
    [[2.0]], [[3.0]]
    if len(k) == 1
with the query 0, or one so near to it, both versions score tanh(k): bend or not, nothing was added.
    [[0.0]], [[0.0], [1.0]]
    if np.allclose(q, 0, atol=1e-9)
the keys are all equal, or nearly: then so are the weights, in both versions.
    [[1.0], [2.0]], [[0.5], [0.5], [0.5]]
    if np.allclose(k, k[0])
the keys lie where the tanh is flat: both versions give them equal weights.
    [[2.0]], [[30.0], [40.0]]
    if keys_saturate(q, k)
the query is minus the sum of two keys: there both versions take the same step from key to key.
    [[2.0]], [[-3.0], [1.0]]
    if len(np.unique(k)) == 2 and np.allclose(q, -k.min() - k.max())
each key lies where the tanh is flat, and this query leaves it there.
    [[2.0]], [[-30.0], [30.0]]
    if np.allclose(np.tanh(q + k.T), np.tanh(k.T))
so near to 0 the tanh is a straight line, and without a bend both are the vector sum.
    [[1e-5]], [[0.0], [1e-5]]
    if max(np.abs(q).max(), np.abs(k).max()) < 1e-3
"""

exercise = break_it(
    bent_apart,
    MISTAKES,
    broken=bent_on_their_own,
    right=bent_together,
    allowed=are_columns,
    stated=([[0.4496, 0.5504]], [[0.3183, 0.6817]]),
)
