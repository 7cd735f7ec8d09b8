"""Attention with the log-sum-exp of its scores, by which blocks of keys are merged, on tensors."""

import torch
from jaxtyping import Bool
from jaxtyping import Float as AnyFloat
from torch import Tensor

from attnbook.operation import Scalar
from attnbook.pytorch.attention import weighted_sum
from attnbook.pytorch.operation import Float, check_and_cast, check_shapes
from attnbook.pytorch.scores import dot_product_scores
from attnbook.pytorch.weights import softmax_with_lse


@check_and_cast
def attention_with_lse(
    q: Float[Tensor, "*batch n_q d_k"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Tensor, "*#batch #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
) -> tuple[Float[Tensor, "*batch n_q d_v"], Float[Tensor, "*batch n_q"]]:
    """Attention, and the log-sum-exp of each query's scores, as `attnbook.online`'s.

        out = softmax(S) v,    L_i = log Σ_j exp(S_ij),    j visible

    The arguments are those of `scaled_dot_product_attention`. Returns the output (..., n_q, d_v)
    and L (..., n_q), in natural logarithms; both have gradients.
    """
    scores = dot_product_scores(q, k, scale)
    scores = scores if bias is None else scores + bias
    weights, lse = softmax_with_lse(scores, mask)
    return weighted_sum(weights, v, mask), lse


@check_shapes
def merge(
    out_a: Float[Tensor, "*batch n_q d_v"],
    lse_a: Float[Tensor, "*batch n_q"],
    out_b: Float[Tensor, "*batch n_q d_v"],
    lse_b: Float[Tensor, "*batch n_q"],
) -> tuple[AnyFloat[Tensor, "*batch n_q d_v"], AnyFloat[Tensor, "*batch n_q"]]:
    """The output and the log-sum-exp of two blocks of keys together, as `attnbook.online.merge`.

        L = log(exp L_a + exp L_b),    out = exp(L_a - L) out_a + exp(L_b - L) out_b

    Returns both. Where neither block shows anything, L = -inf, and out = 0.

    Source: Milakov and Gimelshein (2018); for outputs Rabe and Staats (2021).
    """
    top = torch.maximum(lse_a, lse_b)
    shift = torch.where(torch.isfinite(top), top, 0)  # -inf - (-inf) would be NaN
    share_a, share_b = torch.exp(lse_a - shift), torch.exp(lse_b - shift)
    total = share_a + share_b
    out = share_a[..., None] * out_a + share_b[..., None] * out_b
    return out / torch.where(total == 0, 1, total)[..., None], shift + torch.log(total)
