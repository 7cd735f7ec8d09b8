"""Solutions to the exercises of the chapter on three ways of attention."""

import numpy as np

from attnbook.masks import causal_mask, padding_mask
from attnbook.reference import scaled_dot_product_attention


def rows_that_move():
    """How many rows see the changed word, in the five situations."""
    everything, causal = np.ones((6, 6), bool), causal_mask(6, 6)
    target_word, source_word = np.eye(4, dtype=bool), np.ones((4, 6), bool)
    real_rows = (padding_mask(np.array([4]), 6) & causal)[0, :4]
    columns = everything[:, 2], causal[:, 2], target_word[:, 2], source_word[:, 2], real_rows[:, 4]
    return [int(column.sum()) for column in columns]


def cross_attention(decoder, encoder, w_q, w_k, w_v, valid_lens):
    """The decoder asks; the first `valid_lens` positions of the encoder answer."""
    q, k, v = decoder @ w_q, encoder @ w_k, encoder @ w_v
    mask = np.arange(k.shape[-2]) < valid_lens[..., None, None]
    return scaled_dot_product_attention(q, k, v, mask=mask)


def decoder_mask(valid_lens, n):
    """True where key j is real and not in the future of query i."""
    real = np.arange(n) < valid_lens[..., None, None]
    return real & causal_mask(n, n)


def first_moved(attention, x, t):
    """The first output row that changes with word t; the number of rows if none does."""
    changed = x.copy()
    changed[t] = np.random.default_rng().standard_normal(x.shape[-1])
    rows = np.any(attention(changed) != attention(x), axis=-1)
    return int(np.argmax(rows)) if rows.any() else len(rows)


def blind_test():
    """Causal, but query 0 sees key 1; the last key stays hidden from all earlier queries."""
    mask = causal_mask(4, 4)
    mask[0, 1] = True
    return mask
