"""How well each key fits each query: the four scores, and a cap on them."""

from numbers import Real as Number

import torch
from jaxtyping import Float
from torch import Tensor

from attnbook.pytorch.finite import finite_pairs
from attnbook.pytorch.operation import operation


@operation
@finite_pairs
def gaussian_scores(
    q: Float[Tensor, "*batch n_q d_k"], k: Float[Tensor, "*batch n_k d_k"], width: Number = 1.0
) -> Float[Tensor, "*batch n_q n_k"]:
    """Score a key by its distance from the query; softmax of it is the Gaussian kernel.

        S_ij = -|q_i - k_j|² / (2 width²)

    Returns scores of shape (..., n_q, n_k). Raises ValueError if width is not positive.

    Source: Nadaraya (1964), Watson (1964), with a Gaussian kernel of bandwidth `width`.
    """
    if not width > 0:
        raise ValueError(f"gaussian_scores: width is {width}; expected a number above 0")
    steps = (q[..., :, None, :] - k[..., None, :, :]) / float(width)
    return -0.5 * torch.sum(steps**2, dim=-1)


@operation
@finite_pairs
def dot_product_scores(
    q: Float[Tensor, "*batch n_q d_k"],
    k: Float[Tensor, "*batch n_k d_k"],
    scale: Number | None = None,
) -> Float[Tensor, "*batch n_q n_k"]:
    """Score a key by its dot product with the query.

        S = scale · q kᵀ,    scale = 1/√d_k by default

    Returns scores of shape (..., n_q, n_k).

    Source: Vaswani et al. (2017), equation 1.
    """
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    return (scale * q) @ torch.swapaxes(k, -1, -2)


@operation
@finite_pairs
def bilinear_scores(
    q: Float[Tensor, "*batch n_q d_q"],
    k: Float[Tensor, "*batch n_k d_k"],
    w: Float[Tensor, "d_q d_k"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """Score a key by its dot product with the query, after a learned change of width.

        S = q W kᵀ

    Returns scores of shape (..., n_q, n_k).

    Source: Luong, Pham and Manning (2015), section 3.1, "general".
    """
    return (q @ w) @ torch.swapaxes(k, -1, -2)


@operation
@finite_pairs
def additive_scores(
    q: Float[Tensor, "*batch n_q d_q"],
    k: Float[Tensor, "*batch n_k d_k"],
    w_q: Float[Tensor, "d_q d_hidden"],
    w_k: Float[Tensor, "d_k d_hidden"],
    w_v: Float[Tensor, "d_hidden"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """Score a key by a network with one hidden layer, for queries and keys of any two widths.

        S_ij = tanh(q_i W_q + k_j W_k) · w_v

    Returns scores of shape (..., n_q, n_k). The hidden layer has n_q · n_k · d_hidden numbers.

    Source: Bahdanau, Cho and Bengio (2015), section A.1.2.
    """
    hidden = torch.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
    return hidden @ w_v


@operation
def soft_cap(
    scores: Float[Tensor, "*batch n_q n_k"], cap: Number
) -> Float[Tensor, "*batch n_q n_k"]:
    """Bend scores smoothly into (-cap, cap), before bias and mask.

        S' = cap · tanh(S / cap)

    Returns scores of the same shape. Raises ValueError if cap is not positive and finite.

    Source: Gemma Team (2024), section 2, "logit soft-capping".
    """
    if not 0 < cap < torch.inf:
        raise ValueError(f"soft_cap: cap is {cap}; expected a finite number above 0")
    return float(cap) * torch.tanh(scores / float(cap))
