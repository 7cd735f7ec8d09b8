r"""Back through distances · medium · 12 min

Hints
1. First one pair of numbers: what is the derivative of -(q - k)²/2 by q, and by k?
2. They are k - q and q - k. A query meets every key, a key every query: what is summed over what?
3. With steps q[..., :, None, :] - k[..., None, :, :] of shape (..., n_q, n_k, d), sum
   grad_scores[..., None] * steps over axis -2 for the queries, -3 for the keys.

Why
The derivative of $-|q_i - k_j|^2/2$ is $k_j - q_i$ by the query and $q_i - k_j$ by the key: each is
pulled towards the other. Each query sums over the keys, each key over the queries. By matrix
products: $G_S K$ minus each query times the sum of its row, and $G_S^{\mathsf T} Q$ minus each key
times the sum of its column.

Notice
One part of each gradient is that of the dot product; the other comes from the squared length of the
query or key, which the dot product leaves out.
"""

import numpy as np

from attnbook.exercises.engine import case, draw, stress, write


def gaussian_scores_backward(grad_scores, q, k):
    """grad_S_ij pulls key j towards query i, and the query towards the key."""
    steps = q[..., :, None, :] - k[..., None, :, :]
    pulls = grad_scores[..., None] * steps
    return -np.sum(pulls, axis=-2), np.sum(pulls, axis=-3)


def by_products(grad_scores, q, k):
    """Both gradients by matrix products."""
    rows, columns = (np.sum(grad_scores, axis=axis)[..., None] for axis in (-1, -2))
    return grad_scores @ k - rows * q, grad_scores.swapaxes(-1, -2) @ q - columns * k


rng = np.random.default_rng(5)


def drawn(*batch, n_q, n_k, d, dtype=np.float64):
    shapes = {"grad_scores": (n_q, n_k), "q": (n_q, d), "k": (n_k, d)}
    return draw(rng, shapes, batch, dtype)


ONE = np.array([[1.0]])

CASES = (
    case(grad_scores=ONE, q=ONE, k=4 * ONE, gives=(3 * ONE, -3 * ONE)),
    case(grad_scores=np.array([[1.0, -2.0]]), q=ONE, k=np.array([[4.0], [2.0]])),
    case(**drawn(n_q=2, n_k=3, d=1)),
    case(**drawn(n_q=3, n_k=4, d=2)),
    case(**drawn(n_q=3, n_k=3, d=3)),
    case(**drawn(2, n_q=6, n_k=5, d=4)),
    case(**drawn(3, n_q=3, n_k=3, d=3)),
    case(**drawn(2, 3, n_q=4, n_k=2, d=3)),
    stress(**drawn(2, n_q=2, n_k=3, d=2, dtype=np.float32)),
    stress(
        grad_scores=np.float16([[1, 1]]), q=np.float16([[1, 2]]), k=np.float16([[3, 0], [1, 4]])
    ),
    stress(grad_scores=np.ones((1, 2)), q=np.ones((1, 3)), k=np.ones((2, 3))),
)

MISTAKES = """
a sign is turned: a score rises when query and key come nearer, and pulls each towards the other.
    return -np.sum(pulls, axis=-2), np → return np.sum(pulls, axis=-2), -np
    return -np → return np
    , np → , -np
a factor of 2, or of a half, is left over: the 2 of the square and the half of the score cancel.
    pulls = → pulls = 2 * || pulls = 0.5 *
that is the gradient of the dot product: the squares of query and key are left out.
    - rows * q → ; - columns * k →
the mean is taken: what is used many times collects the sum.
    np.sum(pulls ⇒ np.mean(pulls
that is the gradient of the distance: the score has its square.
    * steps → * steps / np.maximum(1e-30, np.linalg.norm(steps, axis=-1, keepdims=True))
the steps lost their signs: they say where the other one lies.
    * steps → * np.abs(steps)
exp is part of the kernel, not of the score: its slope belongs to softmax.
    * steps → * steps * np.exp(-np.sum(steps**2, axis=-1, keepdims=True) / 2)
the sums run over the wrong axes: a query collects from all keys, a key from all queries.
    axis=-2), np.sum(pulls, axis=-3) → axis=-3), np.sum(pulls, axis=-2)
the query's own part is not weighted: each score pulls by its own gradient, so that q comes as often
as the sum of its row of grad_scores says, and k likewise.
    rows * q → q ; columns * k → k
    rows * q → k.shape[-2] * q ; columns * k → q.shape[-2] * k
query and key are added; the gradient is made of their difference.
    - rows → + rows ; - columns → + columns
k - q takes query i from key i alone: each query meets every key.
    = (grad_scores @ (k - q), grad_scores.swapaxes(-1, -2) @ (q - k))
the two are exchanged: the queries come first.
    = gaussian_scores_backward(grad_scores, q, k)[::-1]
the gradient of the keys is missing: return both.
    , np.sum(pulls, axis=-3) →
"""

exercise = write(
    gaussian_scores_backward, CASES, MISTAKES, drafts=(by_products,), oracle=by_products
)
