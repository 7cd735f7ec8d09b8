"""The backward pass of attention in tiles, from the output and L alone."""

import math

import numpy as np
from jaxtyping import Float

from attnbook.checks import resolve_scale
from attnbook.online import attention_blockwise_backward
from attnbook.operation import Array, Real, check_and_cast
from attnbook.tiled.forward import KEYS, ROWS


@check_and_cast
def attention_tiled_backward(
    grad_out: Real[Array, "*batch n_q d_v"],
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    out: Real[Array, "*batch n_q d_v"],
    lse: Real[Array, "*batch n_q"],
) -> tuple[
    Float[Array, "*batch n_q d_k"], Float[Array, "*batch n_k d_k"], Float[Array, "*batch n_k d_v"]
]:
    """`attention_blockwise_backward`, fast: from what `attention_tiled` returns.

        A = exp(S - L),    grad_S = A ∘ (grad_O vᵀ - rowsum(grad_O ∘ O))

    Both differences are products with one column more, as in the forward pass. Returns the
    gradients, of the shapes of q, k and v. Raises ValueError if d_k is 0.

    Source: Dao et al. (2022), appendix B.4, algorithm 4; the row sum is equation 4, in B.2.
    """
    resolve_scale(None, q.shape[-1])  # refuses a width of 0
    grads = [np.zeros(x.shape, x.dtype) for x in (q, k, v)]
    heads = math.prod(q.shape[:-2])
    given = [*grads, grad_out, q, k, v, out, lse[..., None]]
    for head in zip(*(x.reshape(heads, *x.shape[-2:]) for x in given), strict=True):
        _compute(*head)
    return tuple(grads)


def _compute(grad_q, grad_k, grad_v, grad_out, q, k, v, out, lse):
    """The gradients of one head, into zeros."""
    scale = q.shape[-1] ** -0.5
    scaled = scale * q
    delta = np.sum(grad_out * out, axis=-1, keepdims=True)
    q1, k1 = _with_column(scaled, -lse), _with_column(k, 1)
    grad1, v1 = _with_column(grad_out, -delta), _with_column(v, 1)
    for i in _slices(len(q), ROWS):
        for j in _slices(len(k), KEYS):
            weights = np.exp(q1[i] @ k1[j].T)
            grad_scores = weights * (grad1[i] @ v1[j].T)
            grad_v[j] += weights.T @ grad_out[i]
            grad_k[j] += grad_scores.T @ scaled[i]
            grad_q[i] += grad_scores @ k[j]
    grad_q *= scale
    if not all(np.all(np.isfinite(x)) for x in (grad_q, grad_k, grad_v)):
        again = attention_blockwise_backward(grad_out, q, k, v, out, lse[:, 0])
        grad_q[...], grad_k[...], grad_v[...] = again


def _with_column(x, column):
    column = np.broadcast_to(np.asarray(column, x.dtype), (len(x), 1))
    return np.concatenate([x, column], axis=-1)


def _slices(n, size):
    return [slice(i, i + size) for i in range(0, n, size)]
