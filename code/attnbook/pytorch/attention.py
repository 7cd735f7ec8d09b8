"""Attention: the values, mixed by the weights."""

from jaxtyping import Bool
from torch import Tensor

from attnbook.operation import Scalar
from attnbook.pytorch.operation import Float, check_and_cast
from attnbook.pytorch.products import visible_sum
from attnbook.pytorch.scores import additive_scores, dot_product_scores
from attnbook.pytorch.weights import softmax


@check_and_cast
def weighted_sum(
    weights: Float[Tensor, "*batch n_q n_k"],
    v: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
) -> Float[Tensor, "*batch n_q d_v"]:
    """Mix the values, each query by its own row of weights.

        out_i = Σ_j A_ij v_j    over the visible keys j

    Returns a tensor of shape (..., n_q, d_v). What the mask hides has no influence, not even if it
    is infinite or NaN, where plain ``weights @ v`` would give 0 · inf = NaN; nor on gradients. What
    it shows counts as in ``weights @ v``: a visible infinity gives an infinity, and NaN if its
    weight is 0 or if the other infinity is visible too.

    With a mask the gradients of a row that sees a number that is not finite are NaN, and so are
    those of all values, hidden ones too, where `attnbook.gradients` keeps it out.
    """
    if mask is None:
        return weights @ v
    return visible_sum(weights, v, mask)


@check_and_cast
def scaled_dot_product_attention(
    q: Float[Tensor, "*batch n_q d_k"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Tensor, "*#batch #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
) -> Float[Tensor, "*batch n_q d_v"]:
    """Look up each query among the keys, softly, and return the mixed values.

        out = softmax(scale · q kᵀ + bias) v    over the visible keys,  scale = 1/√d_k by default

    `mask` is boolean, True = may look: (n_q, n_k), or with every axis of the scores, (..., n_q,
    n_k); any axis may be 1. `bias` is added to the scores before the mask, and decides no dtype.
    `scale` is a number; None stands for 1/√d_k.

    Returns a tensor of shape (..., n_q, d_v). A query that sees nothing gets zeros. What a query
    may not see has no influence on its row, not even NaN or infinity.

    Source: Vaswani et al. (2017), equation 1.
    """
    scores = dot_product_scores(q, k, scale)
    scores = scores if bias is None else scores + bias
    return weighted_sum(softmax(scores, mask), v, mask)


@check_and_cast
def additive_attention(
    q: Float[Tensor, "*batch n_q d_q"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
    w_q: Float[Tensor, "d_q d_hidden"],
    w_k: Float[Tensor, "d_k d_hidden"],
    w_v: Float[Tensor, "d_hidden"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
) -> Float[Tensor, "*batch n_q d_v"]:
    """Attention with the additive score.

        out = softmax(tanh(q W_q ⊕ k W_k) w_v) v    over the visible keys; ⊕ adds every pair

    Returns a tensor of shape (..., n_q, d_v). Masks and empty rows are treated as in
    `scaled_dot_product_attention`.

    Source: Bahdanau, Cho and Bengio (2015), section 3.1.
    """
    return weighted_sum(softmax(additive_scores(q, k, w_q, w_k, w_v), mask), v, mask)
