"""Solutions to the exercises of the chapter on gradients by hand."""

import numpy as np

from attnbook.gradients import softmax_backward


def another_row():
    """G_V and G_S for the weights 1/2, 1/4, 1/4, the values 8, 0, 4 and G_O = 4."""
    weights, values, grad_out = np.array([[2, 1, 1]]) / 4, np.array([[8.0, 0.0, 4.0]]), 4.0
    grad_scores = softmax_backward(grad_out * values, weights)
    return np.concatenate([grad_out * weights, grad_scores])


def steps_in_float32():
    """The powers of ten next to the cube root and the square root of epsilon."""
    eps = np.finfo(np.float32).eps
    return np.round(np.log10([eps ** (1 / 3), eps ** (1 / 2)]))


def soft_cap_backward(grad_capped, scores, cap):
    """The derivative of cap · tanh(S / cap) is 1 - tanh²(S / cap)."""
    return grad_capped * (1 - np.tanh(scores / cap) ** 2)


def gaussian_scores_backward(grad_scores, q, k):
    """grad_S_ij pulls key j towards query i, and the query towards the key."""
    steps = q[..., :, None, :] - k[..., None, :, :]
    pulls = grad_scores[..., None] * steps
    return -np.sum(pulls, axis=-2), np.sum(pulls, axis=-3)


def bias_backward(grad_scores, shape):
    """The sum over every axis along which a bias of this shape was repeated."""
    grad = np.sum(grad_scores, axis=tuple(range(grad_scores.ndim - len(shape))))
    repeated = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return np.sum(grad, axis=repeated, keepdims=True)


def unseen():
    """The average of 1 and -1 under even weights is 0, so that nothing is forgotten."""
    return np.array([1.0, -1.0]), np.array([0.5, 0.5])


def rejected():
    """Rounding makes the first wrong, truncation the second."""
    return 1e-14, 0.5
