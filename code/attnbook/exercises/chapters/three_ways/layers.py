"""Layers to be examined, some with a leak: functions of words (n, d) that return rows (n_q, d_v)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnbook.masks import causal_mask, sliding_window_mask
from attnbook.reference import scaled_dot_product_attention


@dataclass(frozen=True, repr=False)
class Layer:
    """A function that a message shows by its name."""

    compute: Callable

    def __call__(self, x):
        return self.compute(x)

    def __repr__(self):
        return self.compute.__name__


def attend(x, mask):
    return scaled_dot_product_attention(x, x, x, mask=mask)


@Layer
def causal(x):
    return attend(x, causal_mask(len(x), len(x)))


@Layer
def bidirectional(x):
    return attend(x, np.ones((len(x), len(x)), dtype=bool))


@Layer
def one_word_ahead(x):
    return attend(x, np.tri(len(x), k=1, dtype=bool))


@Layer
def causal_and_the_last_word(x):
    return attend(x, causal_mask(len(x), len(x)) | (np.arange(len(x)) == len(x) - 1))


@Layer
def window(x):
    return attend(x, sliding_window_mask(len(x), len(x), left=1))


@Layer
def two_queries(x):
    return scaled_dot_product_attention(np.ones_like(x[:2]), x[:-1], x[:-1])


@Layer
def running_sums(x):
    """In a product that multiplies what comes later by 0."""
    return np.tri(len(x), dtype=x.dtype) @ x


@Layer
def the_past_only(x):
    return np.tri(len(x), k=-1, dtype=x.dtype) @ x


@Layer
def sums_of_squares(x):
    return running_sums(x**2)


@Layer
def minus_sums_of_squares(x):
    return -running_sums(x**2)


@Layer
def a_faint_leak(x):
    return causal(x) + 1e-13 * np.mean(x, axis=-2, keepdims=True)


@Layer
def outputs_near_1e_30(x):
    return 1e-30 * bidirectional(x)


@Layer
def normalised(x):
    """As models do: every word to mean 0 and mean square 1; equal numbers become zeros."""
    x = x - np.mean(x, axis=-1, keepdims=True)
    size = np.sqrt(np.mean(x**2, axis=-1, keepdims=True))
    return causal(x / np.where(size == 0, 1, size))


@Layer
def first_feature(x):
    return causal(x[:, :1])


@Layer
def middle_feature(x):
    return causal(x[:, 1:2])


@Layer
def last_feature(x):
    return causal(x[:, -1:])


@Layer
def marked_in_front(x):
    """Rows with a feature that is 1 whatever the words."""
    return np.hstack([np.ones_like(x[:, :1]), causal(x)])


@Layer
def marked_behind(x):
    return np.hstack([causal(x), np.ones_like(x[:, :1])])


@Layer
def blank_or_not(x):
    """Says of each word whether it is zeros: rows (1, 0) or (0, 1)."""
    blank = np.all(x == 0, axis=-1)
    return np.stack([blank, ~blank], axis=-1).astype(x.dtype)


def with_a_blank(x, base, step):
    """Rows of one number: `base`, and `step` more if any word of the sentence is zeros."""
    return np.full((len(x), 1), base + step * np.any(np.all(x == 0, axis=-1)))


@Layer
def a_leak_in_the_last_bit(x):
    return with_a_blank(x, 1.0, 2.0**-52)


@Layer
def a_leak_of_5e_324(x):
    return with_a_blank(x, 0.0, 5e-324)
