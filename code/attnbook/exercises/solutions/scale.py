"""Solutions to the exercises of the chapter on the scale of the dot product."""

import numpy as np


def spread():
    """Standard deviation of the scores, without and with the scale 1/√d_k."""
    d_k, spread_q, spread_k = 1024, 3, 1
    unscaled = d_k**0.5 * spread_q * spread_k
    return np.array([unscaled, unscaled / d_k**0.5])


def overflow():
    """The first whole entry at which each order of product and scale is beyond 65504."""
    entries = np.arange(1, 200)
    product_first, query_first = 64 * entries**2, 64 * (entries / 8) * entries
    return [entries[product > 65504][0] for product in (product_first, query_first)]


def cosine_scores(q, k):
    """S_ij = q_i · k_j / (|q_i| |k_j|), and 0 where a length is 0."""
    length_q = np.linalg.norm(q, axis=-1, keepdims=True)
    length_k = np.linalg.norm(k, axis=-1, keepdims=True)
    q = q / np.where(length_q == 0, 1, length_q)
    k = k / np.where(length_k == 0, 1, length_k)
    return q @ np.swapaxes(k, -1, -2)


def value_width():
    """Two keys, wide values: 1/√d_v is half of 1/√d_k, and the weights are too even."""
    q = np.array([[1.0]])
    k = np.array([[0.0], [1.0]])
    v = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    return q, k, v
