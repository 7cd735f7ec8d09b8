"""Differences to the last digit: what judges the project's backward pass of rotated vectors.

    ∂ℓ/∂x = Im ℓ(x + ih) / h

subtracts nothing, so nothing is rounded away, and with h = 1e-30 nothing is truncated, either. The
forward pass is written for complex numbers, query by query. It is called the complex step.
"""

import numpy as np

from attnbook.exercises.engine import draw

STEP = 1e-30


def turned(x, position, theta):
    """One vector, its neighbours rotated as pairs."""
    a, b = x[0::2], x[1::2]
    cos, sin = np.cos(position * theta), np.sin(position * theta)
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).ravel()


def attend(q, k, v, theta, mask):
    """The forward pass of one example, query by query, of arrays that may be complex."""
    (heads, n_q, d), (shared, n_k, _) = q.shape, k.shape
    out = np.zeros((heads, n_q, v.shape[-1]), np.result_type(q, k, v))
    for h, i in np.ndindex(heads, n_q):
        seen, head = np.flatnonzero(mask[i]), h * shared // heads
        if len(seen):
            query = turned(q[h, i], i + n_k - n_q, theta) / d**0.5
            scores = np.array([query @ turned(k[head, j], j, theta) for j in seen])
            exps = np.exp(scores - np.max(scores.real))
            out[h, i] = exps @ v[head, seen] / np.sum(exps)
    return out


def by_small_steps(grad_out, q, k, v, theta, mask):
    """The gradients of q, k and v, each entry by a step in the imaginary direction."""
    return tuple(_slopes(n, grad_out, (q, k, v), theta, mask) for n in range(3))


def _slopes(n, grad_out, arrays, theta, mask):
    grad = np.zeros(arrays[n].shape)
    for at in np.ndindex(grad.shape):
        batch, moved = at[:-3], [x[at[:-3]].astype(complex) for x in arrays]
        moved[n][at[-3:]] += STEP * 1j
        grad[at] = np.sum(grad_out[batch] * attend(*moved, theta, mask).imag) / STEP
    return grad.astype(arrays[n].dtype)


def drawn(rng, heads, shared, n_q, n_k, mask, batch=(), d=4, d_v=3, dtype=np.float64):
    """A gradient of the output, queries, keys that heads share, values, frequencies and a mask."""
    shapes = {"grad_out": (heads, n_q, d_v), "q": (heads, n_q, d)}
    shapes |= {"k": (shared, n_k, d), "v": (shared, n_k, d_v)}
    return draw(rng, shapes, batch, dtype) | {"theta": np.array([1.0, 0.3])[: d // 2], "mask": mask}
