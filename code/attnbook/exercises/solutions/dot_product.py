"""Solutions to the exercises of the chapter on the dot product."""

import numpy as np

from attnbook.reference import dot_product_scores, gaussian_scores, softmax, weighted_sum


def toy_keys():
    """The changed key's weight under the dot product and under the Gaussian kernel."""
    q = np.array([[1.0, 1.0]])
    k = np.array([[1.0, 1.0], [2.0, 2.0]])
    scores = np.concatenate([dot_product_scores(q, k), gaussian_scores(q, k)])
    return softmax(scores)[:, 1]


def shapes():
    """The shapes of k.T, of the scores and of the output."""
    q, k, v = map(np.ones, [(2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6)])
    scores = q @ np.swapaxes(k, -1, -2)
    out = softmax(scores) @ v
    return [k.T.shape, scores.shape, out.shape]


def bilinear_scores(q, k, w):
    """S = Q W Kᵀ: w turns a query of width d_q into one of width d_k."""
    return q @ w @ np.swapaxes(k, -1, -2)


def vector_sum():
    """The weights of two opposite queries when a score sums all entries of query and key."""
    q = np.array([[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])
    k = np.outer(np.log([1.0, 3.0, 4.0]), [1.0, 0.0, 0.0, 0.0])
    scores = np.sum(q[:, None, :] + k, axis=-1)
    return softmax(scores)


def scaled_dot_product_attention(q, k, v, mask=None):
    """softmax(Q Kᵀ / √d_k) V over the visible keys, on any stack of queries, keys and values."""
    q = q * q.shape[-1] ** -0.5
    scores = q @ np.swapaxes(k, -1, -2)
    return weighted_sum(softmax(scores, mask), v, mask)


def reshaped():
    """Reshaped keys pair the query's 1 with the first key's 0s alone, and the weights are even."""
    q = np.array([[1.0, 0.0]])
    k = np.array([[0.0, 0.0], [1.0, 0.0]])
    v = np.array([[0.0], [1.0]])
    return q, k, v
