"""Cross-attention with one thing wrong in it, for the check to recognise."""

import numpy as np

from attnbook.masks import causal_mask, padding_mask
from attnbook.reference import scaled_dot_product_attention


def real_keys(valid_lens, n_q, n_k):
    """The right mask."""
    return np.arange(n_k) < valid_lens[..., None, None]


def version(sources=(0, 1, 1), order=(0, 1, 2), mask=real_keys, scale=None):
    """The solution with other sources, matrices in another order, another mask or scale.

    A source is 0 for the decoder and 1 for the encoder.
    """

    def cross_attention(decoder, encoder, w_q, w_k, w_v, valid_lens):
        given, matrices = (decoder, encoder), (w_q, w_k, w_v)
        q, k, v = (given[s] @ matrices[m] for s, m in zip(sources, order, strict=True))
        visible = mask(valid_lens, q.shape[-2], k.shape[-2])
        c = None if scale is None else scale(decoder)
        return scaled_dot_product_attention(q, k, v, mask=visible, scale=c)

    return cross_attention


def unmasked(valid_lens, n_q, n_k):
    return None


def inverted(valid_lens, n_q, n_k):
    return ~real_keys(valid_lens, n_q, n_k)


def one_too_many(valid_lens, n_q, n_k):
    return real_keys(valid_lens + 1, n_q, n_k)


def one_too_few(valid_lens, n_q, n_k):
    return np.arange(1, n_k + 1) < valid_lens[..., None, None]


def in_rows(valid_lens, n_q, n_k):
    return np.arange(n_q)[:, None] < valid_lens[..., None, None]


def rows_and_columns(valid_lens, n_q, n_k):
    return in_rows(valid_lens, n_q, n_k) & real_keys(valid_lens, n_q, n_k)


def without_queries(valid_lens, n_q, n_k):
    return np.arange(n_k) < valid_lens[..., None]


def causal_too(valid_lens, n_q, n_k):
    return real_keys(valid_lens, n_q, n_k) & causal_mask(n_q, n_k)


def top_left_too(valid_lens, n_q, n_k):
    return real_keys(valid_lens, n_q, n_k) & np.tri(n_q, n_k, dtype=bool)


def one_batch_axis(valid_lens, n_q, n_k):
    return padding_mask(valid_lens, n_k)


def for_each_sentence(valid_lens, n_q, n_k):
    return np.arange(n_k) < valid_lens[:, None, None]


def longest(valid_lens, n_q, n_k):
    return np.arange(n_k) < np.max(valid_lens)


def not_projected(decoder, encoder, w_q, w_k, w_v, valid_lens):
    mask = real_keys(valid_lens, decoder.shape[-2], encoder.shape[-2])
    return scaled_dot_product_attention(decoder, encoder, encoder, mask=mask)


def value_not_projected(decoder, encoder, w_q, w_k, w_v, valid_lens):
    mask = real_keys(valid_lens, decoder.shape[-2], encoder.shape[-2])
    return scaled_dot_product_attention(decoder @ w_q, encoder @ w_k, encoder, mask=mask)


def with_attention(attention):
    """The solution with another attention inside, a wrong one of chapter 4."""

    def cross_attention(decoder, encoder, w_q, w_k, w_v, valid_lens):
        q, k, v = decoder @ w_q, encoder @ w_k, encoder @ w_v
        return attention(q, k, v, real_keys(valid_lens, q.shape[-2], k.shape[-2]))

    return cross_attention


def zeroed_words(decoder, encoder, w_q, w_k, w_v, valid_lens):
    """Padded words become zeros: their scores are 0, and 0 is a score."""
    real = np.swapaxes(real_keys(valid_lens, 1, encoder.shape[-2]), -1, -2)
    encoder = np.where(real, encoder, 0)
    return scaled_dot_product_attention(decoder @ w_q, encoder @ w_k, encoder @ w_v)
