"""Solutions to the exercises of the chapter on masks."""

import numpy as np


def middle_hidden():
    """The weights of scores (0, ln 3, ln 4) when the middle key is hidden."""
    visible = np.array([1, 0, 4])
    return visible / visible.sum()


def left_padding_mask(valid_lens, n_k):
    """True for the last `valid_lens` keys: the padding comes first."""
    return np.arange(n_k) + valid_lens[..., None] >= n_k


def causal_mask(n_q, n_k):
    """True where query i may look at key j; the last query stands at the last key."""
    return np.arange(n_k) <= np.arange(n_q)[:, None] + n_k - n_q


def added():
    """Scores whose hidden one is infinite."""
    return np.array([0.0, 1.0, np.inf])


def tree_mask(parents):
    """True where key j is node i itself or one of its ancestors; a root has the parent -1."""
    mask = np.eye(len(parents), dtype=bool)
    for i, parent in enumerate(parents):
        if parent >= 0:
            mask[i] |= mask[parent]
    return mask


def masked_softmax(scores, valid_lens=None):
    """Softmax over the first `valid_lens` keys of each row, exactly 0 past them."""
    n_k = scores.shape[-1]
    lens = np.full(len(scores), n_k) if valid_lens is None else valid_lens
    lens = lens.reshape(len(scores), *[1] * (scores.ndim - 3), -1, 1)
    visible = np.where(np.arange(n_k) < lens, scores, -np.inf)
    top = visible.max(axis=-1, keepdims=True)
    exp = np.exp(visible - np.where(np.isfinite(top), top, 0))
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)
