"""Softmax and the logarithm of its denominator, with masks."""

import numpy as np
from jaxtyping import Bool, Float, Integer

from attnbook.masks import padding_mask
from attnbook.operation import Array, Real, check_and_cast


@check_and_cast
def logsumexp(
    scores: Real[Array, "*batch n_k"], mask: Bool[Array, "*#batch #n_k"] | None = None
) -> Float[Array, "*batch"]:
    """The logarithm of the sum of the exponentials of each row.

        L = log Σ_j exp(s_j) = m + log Σ_j exp(s_j - m),    m = max_j s_j,  j visible

    Returns an array without the last axis: -inf where nothing is visible.

    Source: Blanchard, Higham and Higham (2021), algorithm 4.1 without their index k. That the L of
    two parts make the L of the whole: Milakov and Gimelshein (2018), for attention Rabe and Staats
    (2021).

    >>> logsumexp(np.array([1000.0, 1000.0]))
    array(1000.69314718)
    """
    shift, _, total = shifted_exp(scores, mask)
    return np.squeeze(shift + np.log(total), axis=-1)


@check_and_cast
def softmax(
    scores: Real[Array, "*batch n_k"], mask: Bool[Array, "*#batch #n_k"] | None = None
) -> Float[Array, "*batch n_k"]:
    """Turn each row of scores into weights that are positive and sum to one.

        A_j = exp(s_j - m) / Σ_l exp(s_l - m),    m = max_l s_l,  j and l visible

    Returns an array of the same shape: exactly 0 where the mask is False, and a row of zeros where
    nothing is visible (all masked, or all scores -inf). A row with a visible NaN or +inf has no
    weights: it has NaN at every visible key for a NaN, and for +inf at that key at least.

    Source: Bridle (1990); the shift by m as in Blanchard, Higham and Higham (2021).

    >>> softmax(np.array([0.0, 0.0, 9.0]), np.array([True, True, False]))
    array([0.5, 0.5, 0. ])
    """
    _, exp, total = shifted_exp(scores, mask)
    weights = exp / np.where(total == 0, 1, total)
    return weights if mask is None else np.where(mask, weights, 0)


def softmax_with_lse(scores, mask):
    """What `softmax` and `logsumexp` give, from exponentials that are made once.

    In a row that sees a NaN, what the mask hides has weight NaN: `weighted_sum` leaves it out.
    """
    shift, exp, total = shifted_exp(scores, mask)
    return exp / np.where(total == 0, 1, total), np.squeeze(shift + np.log(total), axis=-1)


def shifted_exp(scores, mask):
    """A shift m per row, exp(s - m) and its sum: the three steps that softmax and lse share."""
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(top), top, 0)
    exp = np.exp(scores - shift)
    return shift, exp, np.sum(exp, axis=-1, keepdims=True)


@check_and_cast
def masked_softmax(
    scores: Real[Array, "batch *heads n_q n_k"],
    valid_lens: Integer[Array, "batch"] | Integer[Array, "batch n_q"] | None = None,
) -> Float[Array, "batch *heads n_q n_k"]:
    """Softmax over the first `valid_lens` keys of each row.

    `valid_lens` is None (every key is valid), of shape (batch,), one length per sequence, or of
    shape (batch, n_q), one per query.

    Returns weights of the shape of scores, (batch, ..., n_q, n_k): exactly 0 past the valid
    length; a row of length 0 is zeros. Raises ValueError if a length is negative or beyond n_k.
    """
    if valid_lens is None:
        return softmax(scores)
    mask = padding_mask(valid_lens, scores.shape[-1])
    heads = tuple(range(1, scores.ndim - 2))
    return softmax(scores, np.expand_dims(mask, heads))
