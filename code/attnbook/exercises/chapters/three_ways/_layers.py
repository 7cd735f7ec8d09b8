"""Layers to be examined, some with a leak: functions of words (n, d) that return rows (n_q, d_v)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnbook.masks import causal_mask, sliding_window_mask
from attnbook.reference import scaled_dot_product_attention


@dataclass(frozen=True, repr=False)
class Layer:
    """A function that a message shows by its name."""

    name: str
    compute: Callable

    def __call__(self, x):
        return self.compute(x)

    def __repr__(self):
        return self.name


def masked(name, mask_of):
    """Self-attention under the mask of so many words."""
    return Layer(name, lambda x: scaled_dot_product_attention(x, x, x, mask=mask_of(len(x))))


causal = masked("causal", lambda n: causal_mask(n, n))
bidirectional = masked("bidirectional", lambda n: np.ones((n, n), dtype=bool))
one_word_ahead = masked("one_word_ahead", lambda n: np.tri(n, k=1, dtype=bool))
causal_and_the_last_word = masked(
    "causal_and_the_last_word", lambda n: causal_mask(n, n) | (np.arange(n) == n - 1)
)
window = masked("window", lambda n: sliding_window_mask(n, n, left=1))
two_queries = Layer(
    "two_queries", lambda x: scaled_dot_product_attention(np.ones_like(x[:2]), x[:-1], x[:-1])
)

# Products that multiply what comes later by 0.
running_sums = Layer("running_sums", lambda x: np.tri(len(x), dtype=x.dtype) @ x)
the_past_only = Layer("the_past_only", lambda x: np.tri(len(x), k=-1, dtype=x.dtype) @ x)
sums_of_squares = Layer("sums_of_squares", lambda x: running_sums(x**2))
minus_sums_of_squares = Layer("minus_sums_of_squares", lambda x: -running_sums(x**2))

a_faint_leak = Layer(
    "a_faint_leak", lambda x: causal(x) + 1e-13 * np.mean(x, axis=-2, keepdims=True)
)
outputs_near_1e_30 = Layer("outputs_near_1e_30", lambda x: 1e-30 * bidirectional(x))


def of_normalised(x):
    """As models do: every word to mean 0 and mean square 1; equal numbers become zeros."""
    x = x - np.mean(x, axis=-1, keepdims=True)
    size = np.sqrt(np.mean(x**2, axis=-1, keepdims=True))
    return causal(x / np.where(size == 0, 1, size))


normalised = Layer("normalised", of_normalised)
first_feature = Layer("first_feature", lambda x: causal(x[:, :1]))
middle_feature = Layer("middle_feature", lambda x: causal(x[:, 1:2]))
last_feature = Layer("last_feature", lambda x: causal(x[:, -1:]))

# Rows with a feature that is 1 whatever the words.
marked_in_front = Layer("marked_in_front", lambda x: np.hstack([np.ones_like(x[:, :1]), causal(x)]))
marked_behind = Layer("marked_behind", lambda x: np.hstack([causal(x), np.ones_like(x[:, :1])]))


def with_a_blank(name, base, step):
    """Rows of one number: `base`, and `step` more if any word of the sentence is zeros."""
    return Layer(
        name, lambda x: np.full((len(x), 1), base + step * np.any(np.all(x == 0, axis=-1)))
    )


def which_are_blank(x):
    """Says of each word whether it is zeros: rows (1, 0) or (0, 1)."""
    blank = np.all(x == 0, axis=-1)
    return np.stack([blank, ~blank], axis=-1).astype(x.dtype)


blank_or_not = Layer("blank_or_not", which_are_blank)
a_leak_in_the_last_bit = with_a_blank("a_leak_in_the_last_bit", 1.0, 2.0**-52)
a_leak_of_5e_324 = with_a_blank("a_leak_of_5e_324", 0.0, 5e-324)
