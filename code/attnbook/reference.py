"""Attention, defined in NumPy. Every other form in the book is judged against this file.

So it is written to be read: one equation per line, nothing in place, nothing clever.
Queries, keys and values are arrays (..., positions, features); axes before those are batch axes.
A mask is boolean and True means "may look" (see `attnbook.masks`).
"""

from numbers import Integral
from numbers import Real as Number

import numpy as np
from jaxtyping import Bool, Float, Integer

from attnbook.masks import padding_mask
from attnbook.operation import Array, Real, operation


@operation
def logsumexp(
    scores: Real[Array, "*batch n_k"], mask: Bool[Array, "*#batch #n_k"] | None = None
) -> Float[Array, "*batch"]:
    """The logarithm of the sum of the exponentials of each row.

        L = log Σ_j exp(s_j) = m + log Σ_j exp(s_j - m),    m = max_j s_j,  j visible

    Returns an array without the last axis: -inf where nothing is visible.

    Source: Blanchard, Higham and Higham (2021), algorithm 3.1 without their index k. That the L of
    two parts make the L of the whole: Milakov and Gimelshein (2018), for attention Rabe and Staats
    (2021).

    >>> logsumexp(np.array([1000.0, 1000.0]))
    array(1000.69314718)
    """
    shift, _, total = _shifted_exp(scores, mask)
    return np.squeeze(shift + np.log(total), axis=-1)


@operation
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
    _, exp, total = _shifted_exp(scores, mask)
    weights = exp / np.where(total == 0, 1, total)
    return weights if mask is None else np.where(mask, weights, 0)


def _shifted_exp(scores, mask):
    """A shift m per row, exp(s - m) and its sum: the three steps that softmax and lse share."""
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(top), top, 0)
    exp = np.exp(scores - shift)
    return shift, exp, np.sum(exp, axis=-1, keepdims=True)


@operation
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


@operation
def gaussian_scores(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    width: Number = 1.0,
) -> Float[Array, "*batch n_q n_k"]:
    """Score a key by its distance from the query; softmax of it is the Gaussian kernel.

        S_ij = -|q_i - k_j|² / (2 width²)

    Returns scores of shape (..., n_q, n_k). Raises ValueError if width is not positive.

    Source: Nadaraya (1964), Watson (1964), with a Gaussian kernel of bandwidth `width`.
    """
    if not width > 0:
        raise ValueError(f"gaussian_scores: width is {width}; expected one above 0")
    steps = (q[..., :, None, :] - k[..., None, :, :]) / float(width)
    return -0.5 * np.sum(steps**2, axis=-1)


@operation
def dot_product_scores(
    q: Real[Array, "*batch n_q d_k"], k: Real[Array, "*batch n_k d_k"], scale: Number | None = None
) -> Float[Array, "*batch n_q n_k"]:
    """Score a key by its dot product with the query.

        S = scale · q kᵀ,    scale = 1/√d_k by default

    Returns scores of shape (..., n_q, n_k). Raises ValueError if d_k is 0 and no scale is given.

    Source: Vaswani et al. (2017), equation 1.
    """
    if scale is None and q.shape[-1] == 0:
        raise ValueError("dot_product_scores: q has width d_k = 0; expected 1 or more, or a scale")
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    return (scale * q) @ np.swapaxes(k, -1, -2)


@operation
def bilinear_scores(
    q: Real[Array, "*batch n_q d_q"], k: Real[Array, "*batch n_k d_k"], w: Real[Array, "d_q d_k"]
) -> Float[Array, "*batch n_q n_k"]:
    """Score a key by its dot product with the query, after a learned change of width.

        S = q W kᵀ

    Returns scores of shape (..., n_q, n_k).

    Source: Luong, Pham and Manning (2015), section 3.1, "general".
    """
    return (q @ w) @ np.swapaxes(k, -1, -2)


@operation
def additive_scores(
    q: Real[Array, "*batch n_q d_q"],
    k: Real[Array, "*batch n_k d_k"],
    w_q: Real[Array, "d_q d_hidden"],
    w_k: Real[Array, "d_k d_hidden"],
    w_v: Real[Array, "d_hidden"],
) -> Float[Array, "*batch n_q n_k"]:
    """Score a key by a network with one hidden layer, for queries and keys of any two widths.

        S_ij = tanh(q_i W_q + k_j W_k) · w_v

    Returns scores of shape (..., n_q, n_k). The hidden layer has n_q · n_k · d_hidden numbers.

    Source: Bahdanau, Cho and Bengio (2015), section A.1.2.
    """
    hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
    return hidden @ w_v


@operation
def soft_cap(scores: Real[Array, "*batch n_q n_k"], cap: Number) -> Float[Array, "*batch n_q n_k"]:
    """Bend scores smoothly into (-cap, cap), before bias and mask.

        S' = cap · tanh(S / cap)

    Returns scores of the same shape. Raises ValueError if cap is not positive and finite.

    Source: Gemma Team (2024), section 2; Bello et al. (2017), appendix A.2, has C tanh(S).
    """
    if not 0 < cap < np.inf:
        raise ValueError(f"soft_cap: cap is {cap}; expected a finite number above 0")
    return float(cap) * np.tanh(scores / float(cap))


@operation
def weighted_sum(
    weights: Real[Array, "*batch n_q n_k"],
    v: Real[Array, "*batch n_k d_v"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
) -> Float[Array, "*batch n_q d_v"]:
    """Mix the values, each query by its own row of weights.

        out_i = Σ_j A_ij v_j    over the visible keys j

    Returns an array of shape (..., n_q, d_v). What the mask hides has no influence, not even if it
    is infinite or NaN, where plain ``weights @ v`` would give 0 · inf = NaN. A visible NaN has,
    whatever its weight. With a mask this takes memory for n_q · n_k · d_v products.
    """
    if mask is None:
        return weights @ v
    return np.sum(np.where(mask[..., None], weights[..., None] * v[..., None, :, :], 0), axis=-2)


@operation
def scaled_dot_product_attention(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Real[Array, "*#batch #n_q #n_k"] | None = None,
    scale: Number | None = None,
) -> Float[Array, "*batch n_q d_v"]:
    """Look up each query among the keys, softly, and return the mixed values.

        out = softmax(scale · q kᵀ + bias) v    over the visible keys,  scale = 1/√d_k by default

    `mask` is boolean, True = may look: (n_q, n_k), or with every axis of the scores, (..., n_q,
    n_k); any axis may be 1. `bias` is added to the scores before the mask, and decides no dtype.
    `scale` is a number; None stands for 1/√d_k.

    Returns an array of shape (..., n_q, d_v). A query that sees nothing gets zeros. What a query
    may not see has no influence on its row, not even NaN or infinity.

    Source: Vaswani et al. (2017), equation 1.
    """
    scores = dot_product_scores(q, k, scale)
    scores = scores if bias is None else scores + bias
    return weighted_sum(softmax(scores, mask), v, mask)


@operation
def additive_attention(
    q: Real[Array, "*batch n_q d_q"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    w_q: Real[Array, "d_q d_hidden"],
    w_k: Real[Array, "d_k d_hidden"],
    w_v: Real[Array, "d_hidden"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
) -> Float[Array, "*batch n_q d_v"]:
    """Attention with the additive score.

        out = softmax(tanh(q W_q ⊕ k W_k) w_v) v    over the visible keys; ⊕ adds every pair

    Returns an array of shape (..., n_q, d_v). Masks and empty rows are treated as in
    `scaled_dot_product_attention`.

    Source: Bahdanau, Cho and Bengio (2015), section 3.1.
    """
    return weighted_sum(softmax(additive_scores(q, k, w_q, w_k, w_v), mask), v, mask)


@operation
def split_heads(
    x: Real[Array, "*batch n d_model"], n_heads: Integral
) -> Float[Array, "*batch n_heads n d_head"]:
    """Cut each vector into `n_heads` consecutive pieces, and put the heads before the positions.

    Returns an array of shape (..., n_heads, n, d_model / n_heads). Raises ValueError if n_heads is
    not positive or does not divide d_model.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    if n_heads < 1 or x.shape[-1] % n_heads:
        raise ValueError(
            f"split_heads: n_heads is {n_heads}; expected a divisor of d_model = {x.shape[-1]}"
        )
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)
    return np.swapaxes(pieces, -2, -3)


@operation
def merge_heads(x: Real[Array, "*batch n_heads n d_head"]) -> Float[Array, "*batch n d_model"]:
    """Lay the heads side by side again, shape (..., n, n_heads · d_head): undo `split_heads`."""
    pieces = np.swapaxes(x, -2, -3)
    return pieces.reshape(*pieces.shape[:-2], x.shape[-3] * x.shape[-1])


@operation
def multi_head_attention(
    q: Real[Array, "*batch n_q d_q"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    w_q: Real[Array, "d_q d_model"],
    w_k: Real[Array, "d_k d_model"],
    w_v: Real[Array, "d_v d_model"],
    w_o: Real[Array, "d_model d_out"],
    n_heads: Integral,
    mask: Bool[Array, "*#batch #n_q #n_k"]
    | Bool[Array, "*#batch #{n_heads} #n_q #n_k"]
    | None = None,
) -> Float[Array, "*batch n_q d_out"]:
    """Attend with several heads at once, each on its own piece of the projected vectors.

        out = merge(attention(split(q W_q), split(k W_k), split(v W_v))) W_o

    The mask is (n_q, n_k) for all sequences, (..., n_q, n_k) for each, the same for its heads, or
    (..., n_heads, n_q, n_k) for each head; any axis may be 1. Returns an array of shape
    (..., n_q, d_out). Raises ValueError if n_heads does not divide d_model.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    projected = (split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v)))
    if mask is not None and mask.ndim == q.ndim:
        mask = mask[..., None, :, :]
    return merge_heads(scaled_dot_product_attention(*projected, mask=mask)) @ w_o
