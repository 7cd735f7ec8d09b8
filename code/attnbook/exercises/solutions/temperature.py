"""Solutions to the exercises of the chapter on temperature and the derivative of softmax."""

import numpy as np

from attnbook.reference import softmax


def colder():
    """At T = 1/2 every affinity is squared."""
    affinities = np.array([1.0, 3.0, 4.0]) ** 2
    return affinities / affinities.sum()


def jacobian(scores):
    """J = diag(α) - α αᵀ for every row of scores."""
    weights = softmax(scores)
    identity = np.eye(scores.shape[-1], dtype=weights.dtype)
    return weights[..., :, None] * (identity - weights[..., None, :])


def pull():
    """A_l (v_l - out), for the weights 1/8, 3/8, 1/2 and the values 0, 8, 6."""
    weights, values = np.array([1, 3, 4]) / 8, np.array([0.0, 8.0, 6.0])
    return weights * (values - weights @ values)


def scores_gradient(g, weights, v):
    """A_l (g · v_l - g · out) for every query and key."""
    pulls = g @ np.swapaxes(v, -1, -2)
    return weights * (pulls - np.sum(weights * pulls, axis=-1, keepdims=True))


def saturated():
    """Two scores that tie share the weight, however large they are."""
    return np.array([100.0, 100.0])


def powers():
    """The second weight is 0 in a float64, but not at T = 1000."""
    return np.array([0.0, -1000.0]), 1000.0
