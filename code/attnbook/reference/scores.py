"""How well a key answers a query."""

import numpy as np
from jaxtyping import Float

from attnbook.checks import above_0, finite_above_0, resolve_scale
from attnbook.operation import Array, Real, Scalar, check_and_cast


@check_and_cast
def gaussian_scores(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    width: Scalar = 1.0,
) -> Float[Array, "*batch n_q n_k"]:
    """Score a key by its distance from the query; softmax of it is the Gaussian kernel.

        S_ij = -|q_i - k_j|² / (2 width²)

    Returns scores of shape (..., n_q, n_k). Raises ValueError if width is not positive.

    Source: Nadaraya (1964), Watson (1964), with a Gaussian kernel of bandwidth `width`.
    """
    above_0(width=width)
    steps = (q[..., :, None, :] - k[..., None, :, :]) / float(width)
    return -0.5 * np.sum(steps**2, axis=-1)


@check_and_cast
def dot_product_scores(
    q: Real[Array, "*batch n_q d_k"], k: Real[Array, "*batch n_k d_k"], scale: Scalar | None = None
) -> Float[Array, "*batch n_q n_k"]:
    """Score a key by its dot product with the query.

        S = scale · q kᵀ,    scale = 1/√d_k by default

    Returns scores of shape (..., n_q, n_k). Raises ValueError if d_k is 0 and no scale is given.

    Source: Vaswani et al. (2017), equation 1.
    """
    return (resolve_scale(scale, q.shape[-1]) * q) @ np.swapaxes(k, -1, -2)


@check_and_cast
def bilinear_scores(
    q: Real[Array, "*batch n_q d_q"], k: Real[Array, "*batch n_k d_k"], w: Real[Array, "d_q d_k"]
) -> Float[Array, "*batch n_q n_k"]:
    """Score a key by its dot product with the query, after a learned change of width.

        S = q W kᵀ

    Returns scores of shape (..., n_q, n_k).

    Source: Luong, Pham and Manning (2015), section 3.1, "general".
    """
    return (q @ w) @ np.swapaxes(k, -1, -2)


@check_and_cast
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


@check_and_cast
def softcap(scores: Real[Array, "*batch n_q n_k"], cap: Scalar) -> Float[Array, "*batch n_q n_k"]:
    """Bend scores smoothly into (-cap, cap), before bias and mask.

        S' = cap · tanh(S / cap)

    Returns scores of the same shape. Raises ValueError if cap is not positive and finite.

    Source: Gemma Team (2024), section 2; Bello et al. (2017), appendix A.2, has C tanh(S).
    """
    finite_above_0(cap=cap)
    return float(cap) * np.tanh(scores / float(cap))
