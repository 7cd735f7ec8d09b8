"""The program of a column · medium · 12 min

Hints
1. Four of the five products are made here: the scores, the gradient of the weights, and one for
   each result. The fifth would be grad_q, which another program makes.
2. weights = exp(scores - lse[..., None]), where the scores have been scaled already.
3. Both results sum over queries: np.swapaxes(tile, -1, -2) @ something.

Why
Scores and weights are made again, with the help of $L$. Every query has seen the key, so the key's
gradient is a sum over queries. They are the first axis of the tile, which the transposed tile has
last, and a matrix product sums over the last axis of its first factor.

Notice
No other program writes these rows, so nothing has to be added up afterwards.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.reference import logsumexp, softmax


def column(grad_out, q, lse, delta, k, v):
    """The gradients of a block of keys and of its values, from all queries."""
    scale = q.shape[-1] ** -0.5
    weights = np.exp(scale * q @ np.swapaxes(k, -1, -2) - lse[..., None])
    grad_scores = weights * (grad_out @ np.swapaxes(v, -1, -2) - delta[..., None])
    grad_k = scale * np.swapaxes(grad_scores, -1, -2) @ q
    return grad_k, np.swapaxes(weights, -1, -2) @ grad_out


def pair_by_pair(grad_out, q, lse, delta, k, v):
    """What each query brings to each key and its value."""
    grad_k, grad_v, root = np.zeros_like(k), np.zeros_like(v), np.sqrt(q.shape[-1])
    for *batch, j in np.ndindex(k.shape[:-1]):
        for i in range(q.shape[-2]):
            query, key = (*batch, i), (*batch, j)
            weight = np.exp(np.dot(q[query], k[key]) / root - lse[query])
            grad_v[key] += weight * grad_out[query]
            grad_score = weight * (np.dot(grad_out[query], v[key]) - delta[query])
            grad_k[key] += grad_score * q[query] / root
    return grad_k, grad_v


rng = np.random.default_rng(23)


def a_block(*batch, n_q, n_b, d_k, d_v, shift=0.0, dtype=np.float64):
    """A block of keys with what all queries bring: gradients, log-sum-exps, row sums."""
    n_k = n_b + 3
    q, k = (rng.standard_normal((*batch, n, d_k)) for n in (n_q, n_k))
    v, grad_out = (rng.standard_normal((*batch, n, d_v)) for n in (n_k, n_q))
    k[..., 0] += shift
    scores = d_k**-0.5 * q @ np.swapaxes(k, -1, -2)
    found = {
        "grad_out": grad_out,
        "q": q,
        "lse": logsumexp(scores),
        "delta": np.sum(grad_out * (softmax(scores) @ v), axis=-1),
        "k": k[..., :n_b, :],
        "v": v[..., :n_b, :],
    }
    return {name: x.astype(dtype) for name, x in found.items()}


def tiny(keys):
    """The chapter's first query, with the scores ln 1, ln 3, ln 4; the width is 1."""
    one, scores, values = np.array([[1.0]]), np.log([[1.0], [3.0], [4.0]]), [[0.0], [4.0], [8.0]]
    known = {"grad_out": one, "q": one, "lse": np.log([8.0]), "delta": np.array([5.5])}
    return known | {"k": scores[keys], "v": np.array(values)[keys]}


CASES = (
    case(**tiny([2]), gives=(np.array([[1.25]]), np.array([[0.5]]))),
    case(**tiny([0, 1]), gives=(np.array([[-0.6875], [-0.5625]]), np.array([[0.125], [0.375]]))),
    case(**a_block(n_q=2, n_b=4, d_k=3, d_v=2)),
    case(**a_block(2, n_q=3, n_b=5, d_k=4, d_v=2)),
    case(**a_block(2, 3, n_q=4, n_b=2, d_k=3, d_v=5)),
    case(**a_block(n_q=3, n_b=3, d_k=3, d_v=3)),
    stress(**a_block(n_q=3, n_b=2, d_k=4, d_v=5, shift=1200.0)),
    stress(**a_block(n_q=3, n_b=2, d_k=4, d_v=5, dtype=np.float32)),
)

MISTAKES = """
the scale is 1/√d_k, of the width of queries and keys: once in the scores, and once in the gradient
of the keys.
    grad_k = scale * → grad_k =
    q.shape[-1] ** -0.5 → 1.0
    scale * q → q
    ** -0.5 → ** -1.0 || ** 0.5
    q.shape[-1] → v.shape[-1]
the weights among all keys are exp(S - L): no softmax of this block, or over the queries.
    np.exp(scale * q @ np.swapaxes(k, -1, -2) - lse[..., None]) → softmax(scale * q @ np.swapaxes(k, -1, -2))
    np.exp(scale * q @ np.swapaxes(k, -1, -2) - lse[..., None]) → np.swapaxes(softmax(scale * k @ np.swapaxes(q, -1, -2)), -1, -2)
L is a logarithm, and is subtracted from the scores: exp(S - L).
    - lse[..., None] →
    - lse[..., None]) → ) / lse[..., None]
    - lse → + lse
exp(S) alone overflows where scores are large: subtract L first, exp(S - L).
    - lse[..., None]) → ) / np.exp(lse)[..., None]
lse and delta have a number for each query, a row of the tile: [..., None].
    lse[..., None] → lse
    delta[..., None] → delta
only the scores are scaled, because L is the log-sum-exp of scaled scores already.
    - lse → - scale * lse
q.shape[1] is the width of a matrix; with more axes before it that is q.shape[-1].
    q.shape[-1] → q.shape[1]
the row sum, delta over all keys, is subtracted: raising one score lowers the weights of all others.
    - delta[..., None] →
    - delta → + delta
    delta[..., None] → np.sum(weights * (grad_out @ np.swapaxes(v, -1, -2)), axis=-1, keepdims=True)
all of (… - delta) is multiplied by the weights: A ∘ (… - delta).
    (grad_out @ np.swapaxes(v, -1, -2) - delta[..., None]) → (grad_out @ np.swapaxes(v, -1, -2)) - delta[..., None]
    grad_scores = weights * → grad_scores =
values are mixed by weights: their gradient takes these, without a scale, not the gradient of the
scores.
    np.swapaxes(weights → np.swapaxes(grad_scores || scale * np.swapaxes(weights
the two results are exchanged: the gradient of the keys comes first.
    = column(grad_out, q, lse, delta, k, v)[::-1]
"""

exercise = write(column, CASES, MISTAKES, results=("grad_k", "grad_v"), oracle=pair_by_pair)
