"""Layers to be examined, some with a leak. Each is named, so that a message can show it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnbook.masks import causal_mask, sliding_window_mask
from attnbook.reference import scaled_dot_product_attention


@dataclass(frozen=True)
class Layer:
    """A function of words (n, d) that returns rows (n_q, d_v)."""

    name: str
    compute: Callable

    def __call__(self, x):
        return self.compute(x)

    def __repr__(self):
        return self.name


def _attend(x, mask):
    return scaled_dot_product_attention(x, x, x, mask=mask)


def _masked(make):
    return lambda x: _attend(x, make(x.shape[-2]))


def _with_a_faint_leak(x):
    return _causal(x) + 1e-13 * np.mean(x, axis=-2, keepdims=True)


def _normalised(x):
    """As models do: every word to mean 0 and mean square 1; equal numbers become zeros."""
    x = x - np.mean(x, axis=-1, keepdims=True)
    size = np.sqrt(np.mean(x**2, axis=-1, keepdims=True))
    return _causal(x / np.where(size == 0, 1, size))


def _marked(x, behind):
    """Rows with a feature that is 1 whatever the words, in front or behind."""
    parts = np.ones_like(x[..., :1]), _causal(x)
    return np.concatenate(parts[::-1] if behind else parts, axis=-1)


def _blank(x):
    """Says of each word whether it is zeros: rows (1, 0) or (0, 1)."""
    blank = np.all(x == 0, axis=-1)
    return np.stack([blank, ~blank], axis=-1).astype(x.dtype)


def _with_a_blank(x, base, step):
    """Rows of one number: `base`, and `step` more if any word of the sentence is zeros."""
    blank = np.any(np.all(x == 0, axis=-1), axis=-1)[..., None, None]
    return np.broadcast_to(base + step * blank, (*x.shape[:-1], 1))


def _sums(k):
    """Sums of the words before, in a product that multiplies the others by 0."""
    return lambda x: np.tri(x.shape[-2], k=k, dtype=x.dtype) @ x


def _two_asking(x):
    return scaled_dot_product_attention(np.ones_like(x[..., :2, :]), x[..., :-1, :], x[..., :-1, :])


_causal = _masked(lambda n: causal_mask(n, n))
_all = _masked(lambda n: np.ones((n, n), dtype=bool))
_one_ahead = _masked(lambda n: np.tri(n, k=1, dtype=bool))
_last_too = _masked(lambda n: causal_mask(n, n) | (np.arange(n) == n - 1))

causal = Layer("causal", _causal)
bidirectional = Layer("bidirectional", _all)
one_ahead = Layer("one_word_ahead", _one_ahead)
window = Layer("window", _masked(lambda n: sliding_window_mask(n, n, left=1)))
strict = Layer("the_past_only", _sums(k=-1))
faint = Layer("a_faint_leak", _with_a_faint_leak)
normalised = Layer("normalised", _normalised)
last_feature = Layer("last_feature", lambda x: _causal(x[..., -1:]))
first_feature = Layer("first_feature", lambda x: _causal(x[..., :1]))
middle_feature = Layer("middle_feature", lambda x: _causal(x[..., 1:2]))
tiny = Layer("outputs_near_1e-30", lambda x: 1e-30 * _all(x))
last_bit = Layer("a_leak_in_the_last_bit", lambda x: _with_a_blank(x, 1.0, 2.0**-52))
smallest = Layer("a_leak_of_5e-324", lambda x: _with_a_blank(x, 0.0, 5e-324))
blank = Layer("blank_or_not", _blank)
energy = Layer("sums_of_squares", lambda x: _sums(k=0)(x**2))
negative = Layer("minus_sums_of_squares", lambda x: -_sums(k=0)(x**2))
last_too = Layer("causal_and_the_last_word", _last_too)
sums = Layer("running_sums", _sums(k=0))
marked = Layer("marked_in_front", lambda x: _marked(x, behind=False))
marked_behind = Layer("marked_behind", lambda x: _marked(x, behind=True))
two_asking = Layer("two_queries", _two_asking)
