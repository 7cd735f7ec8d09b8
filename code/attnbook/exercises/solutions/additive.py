"""Solutions to the exercises of the chapter on the additive score."""

import numpy as np


def without_tanh():
    """The weights of a very different query, and those of doubled keys: only keys count."""
    exps = np.array([[1.0, 3.0, 4.0], [1.0, 3.0**2, 4.0**2]])
    return exps / exps.sum(axis=-1, keepdims=True)


def additive_scores(q, k, w_q, w_k, w_v):
    """S_ij = tanh(q_i W_q + k_j W_k) · w_v, for queries and keys of any two widths."""
    hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
    return hidden @ w_v


def counts():
    """Parameters, numbers in the hidden layer, multiplications."""
    n_q, n_k, d_q, d_k, d_hidden = 30, 40, 1000, 2000, 1000
    hidden = n_q * n_k * d_hidden
    projections = (n_q * d_q + n_k * d_k) * d_hidden
    return [(d_q + d_k + 1) * d_hidden, hidden, projections + hidden]


def sharpest():
    """The limit of the largest of 8 weights: one key at +bound, the others at -bound."""
    bound = np.abs([1.0, -1.0, 0.5]).sum()
    return 1 / (1 + 7 * np.exp(-2 * bound))


def bent_apart():
    """One query that is not 0, two keys: the query decides which key's step the tanh flattens."""
    q = np.array([[1.0]])
    k = np.array([[0.0], [1.0]])
    return q, k
