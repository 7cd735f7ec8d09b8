"""A score for different widths · easy · 6 min

Hints
1. A dot product needs two vectors of one width. Which product turns a query into a vector of width
   d_k?
2. `q @ w` has shape (..., n_q, d_k).
3. What is left is the dot product with every key: np.swapaxes(k, -1, -2) makes columns of keys.

Why
`q @ w` has the width of a key, and the dot product does the rest. With d_q = d_k and w the identity
this is the plain dot product; with w = w_q w_kᵀ it is the dot product of two projections.

Notice
w may be learned: then the model chooses which features of a query should meet which features of a
key. With it, n_q × d_q × d_k + n_q × n_k × d_k multiplications replace n_q × n_k × d_k.
"""

import numpy as np

from attnbook import reference
from attnbook.exercises.engine import case, draw, stress, write
from attnbook.reference import softmax


def bilinear_scores(q, k, w):
    """S = Q W Kᵀ: w turns a query of width d_q into one of width d_k."""
    return q @ w @ np.swapaxes(k, -1, -2)


def common_width(q, k, w):
    width = min(q.shape[-1], k.shape[-1])
    return q[..., :width] @ np.swapaxes(k[..., :width], -1, -2)


def by_einsum(q, k, w):
    """One sum over both widths, not two products."""
    return np.einsum("...id,de,...je->...ij", q, w, k)


rng = np.random.default_rng(0)


def normal(*sizes, dtype=np.float64):
    return draw(rng, dict(zip("qkw", sizes, strict=True)), dtype=dtype)


Q, K = np.array([[1.0, 2.0]]), np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 2.0]])
W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

CASES = (
    case(q=Q, k=np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]), w=W, gives=np.array([[9.0, 27.0]])),
    case(
        q=np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]),
        k=np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 1.0]]),
        w=np.array([[1.0, 2.0], [3.0, 4.0]]),
    ),
    case(q=np.array([[2.0]]), k=np.array([[3.0]]), w=np.array([[5.0]])),
    case(**normal((2, 3, 4), (2, 5, 6), (4, 6))),
    case(**normal((2, 3, 4, 7), (2, 3, 6, 5), (7, 5))),
    case(**normal((3, 3, 3), (3, 3, 3), (3, 3))),
    case(**normal((2, 4), (3, 5), (4, 5), dtype=np.float32)),
    stress(q=np.float16(Q), k=np.float16(K), w=np.float16(W)),
    stress(q=np.int64(Q), k=np.int64(K), w=W),
    stress(q=Q, k=np.array([[1.0, 0.0, 1.0], [np.nan, 1.0, 2.0]]), w=np.int64(W)),
    stress(q=np.array([[1e4, -1e4]]), k=np.array([[1e4, 0.0, 0.0], [0.0, 1e200, 0.0]]), w=W),
)

MISTAKES = """
queries and keys are exchanged: q meets w first.
    = k @ w @ np.swapaxes(q, -1, -2)
k is not transposed, and a reshape is no transpose: np.swapaxes(k, -1, -2) makes columns of keys.
    np.swapaxes(k, -1, -2) → k || k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])
there is a tanh; this score has only products.
    = np.tanh(bilinear_scores(q, k, w))
k.T reverses every axis, and np.dot sums over more than two: on a stack use @ and
np.swapaxes(k, -1, -2).
    = np.dot(np.dot(q, w), k.T)
    np.swapaxes(k, -1, -2) → k.T
w is transposed: it has shape (d_q, d_k), so queries meet it from the left as it is.
    @ w @ → @ w.T @
the scores are transposed: rows are queries, columns are keys.
    = np.swapaxes(bilinear_scores(q, k, w), -1, -2)
the scores are divided by the root of a width; this exercise asks for q w kᵀ without a scale.
    (k, -1, -2) → (k, -1, -2) * k.shape[-1] ** -0.5 || (k, -1, -2) * q.shape[-1] ** -0.5
these are weights; a score is what goes into the softmax.
    = softmax(bilinear_scores(q, k, w))
query i meets key i only; every query is scored against every key.
    = np.sum((q @ w) * k, axis=-1)
feature meets feature of the same number, up to the smaller width: w says which meet.
    = common_width(q, k, w)
this works without batch axes only; `@` carries them along.
    = np.einsum("id,de,je->ij", q, w, k)
"""

exercise = write(
    bilinear_scores, CASES, MISTAKES, oracle=by_einsum, ours=(reference.bilinear_scores,)
)
