"""Solutions to the exercises of the chapter without the softmax."""

import numpy as np

from attnbook import linear


def states():
    """H after three writes: by the sum, with a halving decay, by the delta rule."""
    k = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    v = np.array([[2.0], [6.0], [5.0]])
    rules = {}, {"log_decay": np.full((3, 1), np.log(0.5))}, {"beta": np.ones(3)}
    return [linear.recurrent(k, k, v, **rule)[1][:, 0] for rule in rules]


def costs():
    """Where the right way becomes cheaper, and how many numbers each kind of memory holds."""
    n, d_k, d_v = np.arange(1, 1000), 64, 128
    left, right = n**2 * d_k + n**2 * d_v, 2 * n * d_k * d_v
    return [n[left > right][0], d_k * d_v, 10_000 * (d_k + d_v)]


def delta_update(state, k, v, beta):
    """H + β k ⊗ (v - k H): the key reads, and what is missing is written."""
    missing = v - (k[..., None, :] @ state)[..., 0, :]
    return state + beta[..., None, None] * k[..., :, None] * missing[..., None, :]


def read_chunk(q, k, v, state):
    """(M ∘ q kᵀ) v + q H: the chunk's own steps, and what the steps before have left."""
    return np.tril(q @ np.swapaxes(k, -1, -2)) @ v + q @ state


def decay_mask(log_decay):
    """exp(g_{j+1} + … + g_i) for j ≤ i, from sums of what lies between."""
    n = log_decay.shape[-1]
    after = np.tri(n, k=-1, dtype=bool)
    sums = np.cumsum(np.where(after, log_decay[..., :, None], 0), axis=-2)
    return np.where(np.tri(n, dtype=bool), np.exp(sums), 0)


def late():
    """The first pair has faded by the second step's decay, not by the first's."""
    return np.array([0.0, 1.0]), np.array([0.0, -1.0])
