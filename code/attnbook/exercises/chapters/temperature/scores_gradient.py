r"""Back to the scores · medium · 10 min

Hints
1. For one query it is A_l (g·v_l - g·out). First compute g·v_l for every query and key, as one
   matrix product.
2. g·out is the weighted average of the g·v_l, with the weights of the row.
3. Sum over the keys, the last axis, with keepdims=True.

Why
`g @ vᵀ` is the gradient with respect to the weights, $g \cdot v_l$ for every query and key. The
Jacobian subtracts from it its own average under the weights, which is $g \cdot \text{out}$, and
multiplies by the weight. The matrix J itself is never made.

Notice
Each row sums to 0: raising all its scores alike moves nothing. And no Jacobian was ever made.
"""

import numpy as np

from attnbook.exercises.engine import case, draw, stress, write
from attnbook.reference import softmax


def scores_gradient(g, weights, v):
    """A_l (g · v_l - g · out) for every query and key."""
    pulls = g @ np.swapaxes(v, -1, -2)
    return weights * (pulls - np.sum(weights * pulls, axis=-1, keepdims=True))


def by_whole_jacobians(g, weights, v):
    """The Jacobian of every row, made in full, between g·v_j and the scores."""
    squares = np.einsum("...ij,...il->...ijl", weights, weights)
    jacobians = np.einsum("...ij,jl->...ijl", weights, np.eye(len(squares.T))) - squares
    found = np.einsum("...id,...jd,...ijl->...il", g, v, jacobians)
    return found.astype(np.result_type(g, weights, v))


rng = np.random.default_rng(3)


def arrays(*batch, n_q, n_k, d_v, dtype=np.float64):
    shapes = {"g": (n_q, d_v), "weights": (n_q, n_k), "v": (n_k, d_v)}
    found = draw(rng, shapes, batch, dtype)
    return found | {"weights": softmax(found["weights"])}


WEIGHTS, VALUES = np.array([[1.0, 3.0, 4.0]]) / 8, np.array([[0.0], [4.0], [8.0]])

CASES = (
    case(g=np.array([[1.0]]), weights=WEIGHTS, v=VALUES, gives=np.array([[-11, -9, 20]]) / 16),
    case(g=np.array([[-2.0]]), weights=WEIGHTS, v=VALUES),
    case(**arrays(n_q=2, n_k=3, d_v=1)),
    case(**arrays(n_q=3, n_k=4, d_v=2)),
    case(**arrays(n_q=1, n_k=1, d_v=2)),
    case(**arrays(2, n_q=3, n_k=4, d_v=5)),
    case(**arrays(2, 3, n_q=2, n_k=4, d_v=3)),
    case(**arrays(2, 1, 3, n_q=2, n_k=2, d_v=2)),
    stress(g=np.array([[1]]), weights=WEIGHTS, v=np.array([[0], [4], [8]])),
    stress(g=np.ones((2, 1)), weights=np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]), v=VALUES),
    stress(**arrays(2, n_q=3, n_k=4, d_v=2, dtype=np.float32)),
)

MISTAKES = """
g·out is missing: raising one score lowers all other weights.
    (pulls - np.sum(weights * pulls, axis=-1, keepdims=True)) → pulls
the plain average is subtracted: g·out is the average under the weights.
    np.sum(weights * pulls → np.mean(pulls
the sum of all g·v_l is subtracted: weight them first, g·out.
    np.sum(weights * pulls → np.sum(pulls
A_l (1 - A_l) is the diagonal of J alone: the entries beside it are missing.
    (pulls - np.sum(weights * pulls, axis=-1, keepdims=True)) → (1 - weights) * pulls
the sign is turned: a score pulls the output towards its value.
    return weights → return -weights
that is the gradient with respect to the values: we ask for the scores.
    = np.swapaxes(weights, -1, -2) @ g
g @ out is a matrix product; g·out is one number for each row: multiply, and sum over the last axis.
    np.sum(weights * pulls, axis=-1, keepdims=True) → g @ (weights @ v)
the weight A_l stands twice in front: once is enough.
    return weights → return weights**2
"""

exercise = write(scores_gradient, CASES, MISTAKES, oracle=by_whole_jacobians)
