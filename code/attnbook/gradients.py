"""The backward passes of `reference`, derived by hand with the chain rule.

grad_x, in equations G_x, holds the derivatives of one number with respect to x, and has the shape
of x. Each function takes the gradient of a result, and what the result was computed from, and
returns those of its arguments in their order. What a mask hides has gradient 0, and no part in any
other. Parameters serve the whole batch: their gradients are summed over it.
"""

from numbers import Integral

import numpy as np
from jaxtyping import Bool, Float, Integer

from attnbook.checks import divides, resolve_scale, shared_heads
from attnbook.operation import Array, Real, Scalar, check_and_cast
from attnbook.positions import rotate
from attnbook.reference import (
    dot_product_scores,
    merge_heads,
    repeat_heads,
    scaled_dot_product_attention,
    softmax,
    split_heads,
    weighted_sum,
)


@check_and_cast
def linear_backward(
    grad_out: Real[Array, "*batch n d_out"],
    x: Real[Array, "*batch n d_in"],
    w: Real[Array, "d_in d_out"],
) -> tuple[Float[Array, "*batch n d_in"], Float[Array, "d_in d_out"]]:
    """The gradients of vectors and of the matrix that projects them, from that of x w.

        G_x = G_out wᵀ    (n, d_out)(d_out, d_in)

        G_w = Σ xᵀ G_out    (d_in, n)(n, d_out), summed over the batch

    Returns both, of the shapes of x and w.
    """
    return grad_out @ w.T, _summed(_transposed(x) @ grad_out)


@check_and_cast
def softmax_backward(
    grad_weights: Real[Array, "*batch n_q n_k"],
    weights: Real[Array, "*batch n_q n_k"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
) -> Float[Array, "*batch n_q n_k"]:
    """The gradient of scores from that of their weights.

        (G_S)_ij = A_ij ((G_A)_ij - Σ_l A_il (G_A)_il)

    Returns an array of the same shape: 0 where the mask is False, and in an empty row.

    Source: the Jacobian of softmax, diag(A_i) - A_i A_iᵀ, times (G_A)_i.
    """
    if mask is not None:
        grad_weights = np.where(mask, grad_weights, 0)
    delta = np.sum(weights * grad_weights, axis=-1, keepdims=True)
    return weights * (grad_weights - delta)


@check_and_cast
def weighted_sum_backward(
    grad_out: Real[Array, "*batch n_q d_v"],
    weights: Real[Array, "*batch n_q n_k"],
    v: Real[Array, "*batch n_k d_v"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
) -> tuple[Float[Array, "*batch n_q n_k"], Float[Array, "*batch n_k d_v"]]:
    """The gradients of weights and values from that of their sums.

        G_A = G_O vᵀ    (n_q, d_v)(d_v, n_k)

        G_v = Aᵀ G_O    (n_k, n_q)(n_q, d_v)

    Returns both, of the shapes of weights and v.
    """
    grad_weights = grad_out @ _transposed(v)
    if mask is not None:
        grad_weights = np.where(mask, grad_weights, 0)
    grad_v = weighted_sum(_transposed(weights), grad_out, _transposed(mask))
    return grad_weights, grad_v


@check_and_cast
def dot_product_scores_backward(
    grad_scores: Real[Array, "*batch n_q n_k"],
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    scale: Scalar | None = None,
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
) -> tuple[Float[Array, "*batch n_q d_k"], Float[Array, "*batch n_k d_k"]]:
    """The gradients of queries and keys from that of their scores, which is 0 where hidden.

        G_q = scale · G_S k    (n_q, n_k)(n_k, d_k)

        G_k = scale · (G_S)ᵀ q    (n_k, n_q)(n_q, d_k)

    Returns both, of the shapes of q and k. Raises ValueError if d_k is 0 and no scale is given.
    """
    grad_scores = resolve_scale(scale, q.shape[-1]) * grad_scores
    grad_q = weighted_sum(grad_scores, k, mask)
    grad_k = weighted_sum(_transposed(grad_scores), q, _transposed(mask))
    return grad_q, grad_k


@check_and_cast
def scaled_dot_product_attention_backward(
    grad_out: Real[Array, "*batch n_q d_v"],
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Real[Array, "*#batch #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
) -> tuple[
    Float[Array, "*batch n_q d_k"], Float[Array, "*batch n_k d_k"], Float[Array, "*batch n_k d_v"]
]:
    """The gradients of queries, keys and values from that of the output of attention.

    The three steps of attention, backward: from the sum to weights and values, from the weights to
    scores, from the scores to queries and keys. Returns three arrays, of the shapes of q, k and v.
    The bias counts, but has no gradient here: a learned one has it in `attnbook.pytorch`.

    Source: Dao et al. (2022), appendix B.2.
    """
    scores = dot_product_scores(q, k, scale)
    weights = softmax(scores if bias is None else scores + bias, mask)
    grad_weights, grad_v = weighted_sum_backward(grad_out, weights, v, mask)
    grad_scores = softmax_backward(grad_weights, weights, mask)
    return *dot_product_scores_backward(grad_scores, q, k, scale, mask), grad_v


@check_and_cast
def additive_attention_backward(
    grad_out: Real[Array, "*batch n_q d_v"],
    q: Real[Array, "*batch n_q d_q"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    w_q: Real[Array, "d_q d_hidden"],
    w_k: Real[Array, "d_k d_hidden"],
    w_v: Real[Array, "d_hidden"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
) -> tuple[
    Float[Array, "*batch n_q d_q"],
    Float[Array, "*batch n_k d_k"],
    Float[Array, "*batch n_k d_v"],
    Float[Array, "d_q d_hidden"],
    Float[Array, "d_k d_hidden"],
    Float[Array, "d_hidden"],
]:
    """The gradients of all six arguments of additive attention from that of its output.

        G_p = G_S (1 - u²) ∘ w_v,    u = tanh(p),    p_ij = q_i W_q + k_j W_k

        G_q = (Σ_j G_p) (W_q)ᵀ,    gradient of W_q = qᵀ (Σ_j G_p)

        gradient of w_v = Σ_ij (G_S)_ij u_ij

    with G_S from `softmax_backward`; keys as queries, with Σ_i. Returns them in the order of the
    arguments, those of the parameters summed over the batch.
    """
    units = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
    weights = softmax(units @ w_v, mask)
    grad_weights, grad_v = weighted_sum_backward(grad_out, weights, v, mask)
    grad_scores = softmax_backward(grad_weights, weights, mask)[..., None]
    units = units if mask is None else np.where(mask[..., None], units, 0)
    grad_push = grad_scores * (1 - units**2) * w_v
    grad_q, grad_w_q = linear_backward(np.sum(grad_push, axis=-2), _used(q, mask, -1), w_q)
    grad_k, grad_w_k = linear_backward(np.sum(grad_push, axis=-3), _used(k, mask, -2), w_k)
    grad_w_v = np.sum(grad_scores * units, axis=tuple(range(units.ndim - 1)))
    return grad_q, grad_k, grad_v, grad_w_q, grad_w_k, grad_w_v


@check_and_cast
def repeat_heads_backward(
    grad_out: Real[Array, "*batch n_heads n d_head"], times: Integral
) -> Float[Array, "*batch n_kv_heads n d_head"]:
    """The gradient of heads that `attnbook.reference.repeat_heads` repeats: the sum over copies.

        (G_x)_g = Σ_h (G_out)_h    over the heads h that read head g, h // times = g

    Returns an array of shape (..., n_heads / times, n, d_head). Raises ValueError if times is below
    1, or does not divide n_heads.
    """
    n_heads = grad_out.shape[-3]
    divides("times", times, "n_heads", n_heads)
    copies = grad_out.reshape(*grad_out.shape[:-3], -1, times, *grad_out.shape[-2:])
    return np.sum(copies, axis=-3)


@check_and_cast
def multi_head_attention_backward(
    grad_out: Real[Array, "*batch n_q d_out"],
    q: Real[Array, "*batch n_q d_q"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    w_q: Real[Array, "d_q d_model"],
    w_k: Real[Array, "d_k d_kv"],
    w_v: Real[Array, "d_v d_kv"],
    w_o: Real[Array, "d_model d_out"],
    n_heads: Integral,
    mask: Bool[Array, "*#batch #n_q #n_k"]
    | Bool[Array, "*#batch #{n_heads} #n_q #n_k"]
    | None = None,
    n_kv_heads: Integral | None = None,
) -> tuple[Float[Array, "..."], ...]:
    """The gradients of q, k, v and of the four matrices, from that of the output of the layer.

        G_heads = split(G_out (W_o)ᵀ),    gradient of W_o = Σ mergedᵀ G_out

    then through attention in each head, and through the three projections as in `linear_backward`.
    The arguments are those of `attnbook.reference.multi_head_attention`, and so are the errors.
    Returns seven arrays, of the shapes of q, k, v, w_q, w_k, w_v and w_o.
    """
    if mask is not None and mask.ndim == q.ndim:
        mask = mask[..., None, :, :]
    inputs, w = _used_by_heads(q, k, v, mask), (w_q, w_k, w_v)
    heads, times = _heads(inputs, w, n_heads, n_kv_heads)
    merged = merge_heads(scaled_dot_product_attention(*heads, mask=mask))
    grad_merged, grad_w_o = linear_backward(grad_out, merged, w_o)
    grad_heads = split_heads(grad_merged, n_heads)
    grad_q, *kv = scaled_dot_product_attention_backward(grad_heads, *heads, mask=mask)
    grads = grad_q, *(repeat_heads_backward(grad, times) for grad in kv)
    projected = map(linear_backward, map(merge_heads, grads), inputs, w)
    grad_inputs, grad_w = zip(*projected, strict=True)
    return *grad_inputs, *grad_w, grad_w_o


@check_and_cast
def rope_backward(
    grad_out: Real[Array, "*batch n d"],
    positions: Integer[Array, "*#batch n"],
    frequencies: Float[Array, "pairs"],
    pairing: str = "neighbours",
) -> Float[Array, "*batch n d"]:
    """The gradient of the vectors that `attnbook.positions.rope` turns: its own, turned back.

        (a, b) → (a cos φ + b sin φ, -a sin φ + b cos φ),    φ = position · θ_m for pair m

    Returns an array of the shape of grad_out. Raises ValueError as `rope` does.

    Source: a rotation is an orthogonal matrix, so that its transpose is the rotation back.
    """
    angles = positions[..., None] * frequencies
    return rotate(grad_out, np.cos(angles), -np.sin(angles), pairing)


def _heads(inputs, matrices, n_heads, n_kv_heads):
    """Queries, keys and values of each head, and how many queries share a key-value head."""
    q, k, v = (x @ w for x, w in zip(inputs, matrices, strict=True))
    q = split_heads(q, n_heads)
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    shared_heads(n_heads, n_kv_heads, k.shape[-1], q.shape[-1])
    times = n_heads // n_kv_heads
    k, v = (repeat_heads(split_heads(x, n_kv_heads), times) for x in (k, v))
    return (q, k, v), times


def _used(x, mask, axis):
    """Rows of x, with 0 in those that are hidden from everything: 0 · NaN would be NaN."""
    return x if mask is None else np.where(np.any(mask, axis=axis)[..., None], x, 0)


def _used_by_heads(q, k, v, mask):
    """The same for queries, keys and values; a row counts as soon as one head sees it."""
    seen = mask if mask is None or mask.ndim < 3 else np.any(mask, axis=-3)
    return _used(q, seen, -1), _used(k, seen, -2), _used(v, seen, -2)


def _summed(x):
    """The sum over all batch axes."""
    return np.sum(x, axis=tuple(range(x.ndim - 2)))


def _transposed(x):
    """Rows for columns; None stays None, and so does an axis of 1 that stands for all."""
    return None if x is None else np.swapaxes(x, -1, -2)
