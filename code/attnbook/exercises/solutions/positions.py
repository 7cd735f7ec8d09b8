"""Solutions to the exercises of the chapter on positions."""

import numpy as np

from attnbook.positions import rope
from attnbook.reference import softmax


def sixty_degrees():
    """The weights of keys 3, 2, 1 and 0 places back."""
    back = np.array([3, 2, 1, 0])
    return softmax(np.log(4) * np.cos(np.pi / 3 * back))


def rope_halves(x, places, theta):
    """(a, b) → (a cos φ - b sin φ, a sin φ + b cos φ) for features m and m + M."""
    angles = places[:, None] * theta
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = np.split(x, 2, axis=-1)
    turned = np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)
    return turned.astype(x.dtype if x.dtype.kind == "f" else np.float64)


def one_shift():
    """Squares, twice: what is four places apart points the same way."""
    return np.array([0.0, 1.0, 4.0, 9.0, 0.0, 1.0, 4.0, 9.0])


def moved_cache(cache, steps, theta):
    """R(a) R(b) = R(a + b): every key turns by the same angles once more."""
    return rope(cache, np.full(cache.shape[-2], steps), theta)


def alibi(slopes, n_q, n_k):
    """-slope · |j - (i + n_k - n_q)|."""
    far = np.abs(np.arange(n_k) - (np.arange(n_q)[:, None] + n_k - n_q))
    return (slopes[:, None, None] * -far).astype(slopes.dtype)


def looks_back():
    """Half as fast, the same turn, three times as fast, the other way round."""
    return [6 * 2, 6, 6 // 3, -6]
