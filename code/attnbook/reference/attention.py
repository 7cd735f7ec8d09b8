"""The sum of the values by their weights, and attention with the two common scores."""

import numpy as np
from jaxtyping import Bool, Float

from attnbook.operation import Array, Real, Scalar, check_and_cast
from attnbook.reference.scores import additive_scores, dot_product_scores
from attnbook.reference.weights import softmax


@check_and_cast
def weighted_sum(
    weights: Real[Array, "*batch n_q n_k"],
    v: Real[Array, "*batch n_k d_v"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
) -> Float[Array, "*batch n_q d_v"]:
    """Mix the values, each query by its own row of weights.

        out_i = Σ_j A_ij v_j    over the visible keys j

    Returns an array of shape (..., n_q, d_v). What the mask hides has no influence, not even if it
    is infinite or NaN, where plain ``weights @ v`` would give 0 · inf = NaN. What it shows counts
    as in ``weights @ v``: a visible infinity gives an infinity, and NaN if its weight is 0 or if
    the other infinity is visible too. So a mask that shows everything changes nothing.
    """
    if mask is None:
        return weights @ v
    is_finite, shown = np.isfinite(v), np.broadcast_to(mask, weights.shape)
    out = np.where(mask, weights, 0) @ np.where(is_finite, v, 0)
    for j in np.unique(np.nonzero(~is_finite)[-2]):  # one such key at a time
        counts = shown[..., j, None] & ~is_finite[..., j, None, :]
        out += np.where(counts, weights[..., j, None] * v[..., j, None, :], 0)
    return out


@check_and_cast
def scaled_dot_product_attention(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Real[Array, "*#batch #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
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


@check_and_cast
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
