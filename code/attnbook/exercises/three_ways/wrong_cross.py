"""Cross-attention with one thing wrong in it, for the check to recognise."""

import numpy as np

from attnbook.masks import causal_mask, padding_mask
from attnbook.reference import scaled_dot_product_attention


def real_keys(valid_lens, n_q, n_k):
    """The right mask."""
    return np.arange(n_k) < valid_lens[..., None, None]


def version(sources=(0, 1, 1), order=(0, 1, 2), mask=real_keys, scale=None):
    """The solution with other sources, matrices in another order, another mask or scale.

    A source is 0 for the decoder and 1 for the encoder, and None leaves a matrix out.
    """

    def cross_attention(decoder, encoder, w_q, w_k, w_v, valid_lens):
        given, matrices = (decoder, encoder), (w_q, w_k, w_v)
        q, k, v = (
            given[s] if m is None else given[s] @ matrices[m]
            for s, m in zip(sources, order, strict=True)
        )
        visible = mask(valid_lens, q.shape[-2], k.shape[-2])
        c = None if scale is None else scale(decoder, encoder)
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


def causal_too(valid_lens, n_q, n_k):
    return real_keys(valid_lens, n_q, n_k) & causal_mask(n_q, n_k)


def top_left_too(valid_lens, n_q, n_k):
    return real_keys(valid_lens, n_q, n_k) & np.tri(n_q, n_k, dtype=bool)


def causal_only(valid_lens, n_q, n_k):
    return causal_mask(n_q, n_k)


def padding_in_front(valid_lens, n_q, n_k):
    return np.arange(n_k) >= n_k - valid_lens.astype(int)[..., None, None]


def all_if_empty(valid_lens, n_q, n_k):
    return real_keys(np.where(valid_lens == 0, n_k, valid_lens), n_q, n_k)


def one_if_empty(valid_lens, n_q, n_k):
    return real_keys(np.maximum(valid_lens, 1), n_q, n_k)


def as_many_as_queries(valid_lens, n_q, n_k):
    return real_keys(valid_lens, n_q, n_q)


def package_for_queries(valid_lens, n_q, n_k):
    return padding_mask(valid_lens, n_q)


FROM_THE_PACKAGE = (
    lambda valid_lens, n_q, n_k: padding_mask(valid_lens, n_k),
    lambda valid_lens, n_q, n_k: padding_mask(np.atleast_1d(valid_lens), n_k),
    lambda valid_lens, n_q, n_k: padding_mask(valid_lens.reshape(-1), n_k),
    lambda valid_lens, n_q, n_k: (
        padding_mask(valid_lens, n_k) if valid_lens.ndim else padding_mask(valid_lens[None], n_k)[0]
    ),
    lambda valid_lens, n_q, n_k: (
        padding_mask(valid_lens, n_k) if valid_lens.ndim else np.arange(n_k)[None] < valid_lens
    ),
)


def for_each_sentence(valid_lens, n_q, n_k):
    return np.arange(n_k) < valid_lens[:, None, None]


WITH_THE_QUERIES = (
    lambda valid_lens, n_q, n_k: np.arange(n_k) < valid_lens,
    lambda valid_lens, n_q, n_k: np.arange(n_k) < valid_lens[:, None],
    lambda valid_lens, n_q, n_k: np.arange(n_k) < valid_lens[..., None],
)


def up_to_the_last(valid_lens, n_q, n_k):
    return np.arange(n_k) <= (valid_lens - np.uint8(1))[..., None, None]


def longest(valid_lens, n_q, n_k):
    return np.arange(n_k) < np.max(valid_lens)


def with_attention(attention):
    """The solution with another attention inside, a wrong one of chapter 6."""

    def cross_attention(decoder, encoder, w_q, w_k, w_v, valid_lens):
        q, k, v = decoder @ w_q, encoder @ w_k, encoder @ w_v
        return attention(q, k, v, real_keys(valid_lens, q.shape[-2], k.shape[-2]))

    return cross_attention


def with_mask_of_encoder(count, sources=(0, 1, 1)):
    """The solution with other sources, and a mask for as many keys as `count` says of encoder."""

    def cross_attention(decoder, encoder, w_q, w_k, w_v, valid_lens):
        q, k, v = ((decoder, encoder)[s] @ m for s, m in zip(sources, (w_q, w_k, w_v), strict=True))
        mask = real_keys(valid_lens, q.shape[-2], count(encoder))
        return scaled_dot_product_attention(q, k, v, mask=mask)

    return cross_attention


def mended(decoder=np.asarray, encoder=np.asarray, after=np.asarray):
    """The solution with NaN taken out of an input or of the result."""
    clean_decoder, clean_encoder, attend = decoder, encoder, version()

    def cross_attention(decoder, encoder, *others):
        return after(attend(clean_decoder(decoder), clean_encoder(encoder), *others))

    return cross_attention


def in_a_loop(decoder, encoder, w_q, w_k, w_v, valid_lens):
    sentences = zip(decoder, encoder, valid_lens, strict=True)
    return np.stack(
        [scaled_dot_product_attention(y @ w_q, x[:n] @ w_k, x[:n] @ w_v) for y, x, n in sentences]
    )


def zeroed_words(decoder, encoder, w_q, w_k, w_v, valid_lens):
    """Padded words become zeros: their scores are 0, and 0 is a score."""
    real = np.swapaxes(real_keys(valid_lens, 1, encoder.shape[-2]), -1, -2)
    encoder = np.where(real, encoder, 0)
    return scaled_dot_product_attention(decoder @ w_q, encoder @ w_k, encoder @ w_v)
