"""5. ALiBi with a cache · easy · 6 min

Hints
1. At which key does query i stand, if the last query stands at the last key?
2. `np.arange(n_q)[:, None]` is a column of queries; less a row of keys it is a matrix.
3. `slopes[:, None, None]` has the shape (h, 1, 1).

Why
The distances are one matrix for all heads; two axes of length 1 let each head scale it. An integer
matrix times float32 is float64 in NumPy, so the last step returns to the dtype of the slopes.

Notice
With one query and a cache this is one row for each head, and nothing to be turned.
"""

import numpy as np

from attnbook.exercises.engine.module import write
from attnbook.exercises.engine.write import case, stress


def alibi(slopes, n_q, n_k):
    """-slope · |j - (i + n_k - n_q)|."""
    far = np.abs(np.arange(n_k) - (np.arange(n_q)[:, None] + n_k - n_q))
    return (slopes[:, None, None] * -far).astype(slopes.dtype)


def pair_by_pair(slopes, n_q, n_k):
    bias = np.empty((len(slopes), n_q, n_k))
    for h, i, j in np.ndindex(bias.shape):
        bias[h, i, j] = -slopes[h] * abs(j - (i + n_k - n_q))
    return bias.astype(slopes.dtype)


def heads(slopes, n_q, n_k, dtype=np.float64, gives=None, kind=case):
    return kind(slopes=np.array(slopes, dtype), n_q=n_q, n_k=n_k, gives=gives)


BY_HAND = np.array([[[-2, 0, -2], [-4, -2, 0]], [[-1, 0, -1], [-2, -1, 0]]]) / 4

CASES = (
    heads([0.5], 2, 2),
    heads([0.5, 0.25], 2, 3, gives=BY_HAND),
    heads([1.0], 1, 4),
    heads([0.3, 0.7], 3, 3),
    heads([0.5, 2.0, 1 / 7], 3, 3),
    heads([0.5, 2.0, 0.1], 4, 2),
    heads([1.0, 0.5], 1, 1),
    heads([0.25, 0.125, 3.0, 0.75], 2, 5, np.float32),
    heads([0.5, 0.25], 3, 2),
    heads([0.2, 0.6], 2, 3),
    heads([0.5, 0.25], 2, 3, np.float16),
    heads([0.5], 2, 300, kind=stress),
)

MISTAKES = """
query i is put at key i: with n_k − n_q keys in a cache it stands at key i + n_k − n_q, so that the
last query stands at the last key.
    [:, None] + n_k - n_q → [:, None]
the bias grows with the distance: far keys should get less.
    * -far → * far
without an absolute value the future is lowered and the past is raised.
    np.abs( → (
without an absolute value the future is raised: distances count in both directions.
    np.abs( → -(
keys ahead of the query have no bias: distances count in both directions.
    np.abs( → -np.minimum(0,
the distances are squared; the bias is linear, as the name says.
    np.abs( → np.square(
a word's own key has a bias: its distance is 0.
    -far → -(far + 1)
the distances are divided by the number of keys: a step counts the same in any text.
    -far → -far / n_k
this is a power of the slope, or the distance over the slope; the bias is their product.
    slopes[:, None, None] * -far → -(slopes[:, None, None] ** far)
    slopes[:, None, None] * -far → -far / slopes[:, None, None]
n_k − n_q has the other sign: the queries stand at the last keys.
    [:, None] + n_k - n_q → [:, None] - n_k + n_q
each query is put one key off: the last one, i = n_q − 1, stands at key n_k − 1.
    - n_q)) → - n_q - 1))
    - n_q)) → - n_q + 1))
every query counts from the last key: query i stands at key i + n_k − n_q.
    np.arange(n_q)[:, None] + n_k - n_q → np.full((n_q, 1), n_k - 1)
slopes of shape (h,) or (h, 1) meet the keys or the queries: give them two more axes,
slopes[:, None, None].
    slopes[:, None, None] → slopes[:, None]
    slopes[:, None, None] → slopes
the future is hidden: that is the mask's part, and a bias hides nothing.
    = np.where(np.tri(n_q, n_k, n_k - n_q, dtype=bool), alibi(slopes, n_q, n_k), -np.inf).astype(slopes.dtype)
    = np.where(np.tri(n_q, n_k, n_k - n_q, dtype=bool), alibi(slopes, n_q, n_k), -1e9).astype(slopes.dtype)
distances in 8 bits wrap around: 128 is no int8.
    np.abs( → np.abs(( ; - n_q)) → - n_q)).astype(np.int8))
    np.abs( → np.abs(( ; - n_q)) → - n_q)).astype(np.int8)) ; slopes[:, None, None] * -far → -slopes[:, None, None] * far
that is slope · j, which weighs the same under a causal softmax alone: the bias is −slope times a
distance.
    -far → (np.arange(n_k) + 0 * far)
"""

exercise = write(alibi, CASES, MISTAKES, oracle=pair_by_pair)
