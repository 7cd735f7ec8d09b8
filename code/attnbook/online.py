"""Attention one block of keys at a time: no matrix of all the weights, forward or backward.

What a block has seen is its output and one number for each query, the log-sum-exp L of its scores:
with the two, blocks are merged into what all their keys together would have given. In a block in
which a query sees nothing its output is 0 and L = -inf.
"""

from numbers import Integral

import numpy as np
from jaxtyping import Bool, Float

from attnbook.checks import at_least
from attnbook.gradients import dot_product_scores_backward, weighted_sum_backward
from attnbook.operation import Array, Real, Scalar, check_and_cast, check_shapes
from attnbook.reference import dot_product_scores, weighted_sum
from attnbook.reference.weights import softmax_with_lse

__all__ = [
    "attention_blockwise",
    "attention_blockwise_backward",
    "attention_with_lse",
    "merge",
    "visible_blocks",
]


@check_and_cast
def attention_with_lse(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Real[Array, "*#batch #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
) -> tuple[Float[Array, "*batch n_q d_v"], Float[Array, "*batch n_q"]]:
    """Attention, and the log-sum-exp of each query's scores.

        out = softmax(S) v,    L_i = log Σ_j exp(S_ij),    j visible

    The arguments are those of `attnbook.reference.scaled_dot_product_attention`. Returns the output
    (..., n_q, d_v) and L (..., n_q), in natural logarithms.
    """
    scores = dot_product_scores(q, k, scale)
    scores = scores if bias is None else scores + bias
    weights, lse = softmax_with_lse(scores, mask)
    return weighted_sum(weights, v, mask), lse


@check_and_cast
def merge(
    out_a: Real[Array, "*batch n_q d_v"],
    lse_a: Real[Array, "*batch n_q"],
    out_b: Real[Array, "*batch n_q d_v"],
    lse_b: Real[Array, "*batch n_q"],
) -> tuple[Float[Array, "*batch n_q d_v"], Float[Array, "*batch n_q"]]:
    """The output and the log-sum-exp of two blocks of keys together.

        L = log(exp L_a + exp L_b),    out = exp(L_a - L) out_a + exp(L_b - L) out_b

    The order in which more than two are merged changes nothing but roundings. Returns both. Where
    neither block shows anything, L = -inf, and out = 0.

    Source: Milakov and Gimelshein (2018); for outputs Rabe and Staats (2021).
    """
    top = np.maximum(lse_a, lse_b)
    shift = np.where(np.isfinite(top), top, 0)  # -inf - (-inf) would be NaN
    share_a, share_b = np.exp(lse_a - shift), np.exp(lse_b - shift)
    total = share_a + share_b
    out = share_a[..., None] * out_a + share_b[..., None] * out_b
    return out / np.where(total == 0, 1, total)[..., None], shift + np.log(total)


@check_and_cast
def attention_blockwise(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Real[Array, "*#batch #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
    block: Integral = 128,
) -> tuple[Float[Array, "*batch n_q d_v"], Float[Array, "*batch n_q"]]:
    """`attention_with_lse`, from `block` keys at a time, each merged with those before.

    Blocks in which no query sees anything are skipped. Returns the output and L. Raises ValueError
    if block is not positive.

    Source: Rabe and Staats (2021), section 2; the forward pass of Dao et al. (2022), algorithm 1.
    """
    out = np.zeros((*q.shape[:-1], v.shape[-1]), q.dtype)
    lse = np.full(q.shape[:-1], -np.inf, q.dtype)
    for keys in _blocks(k.shape[-2], block, mask):
        here = k[..., keys, :], v[..., keys, :], _cut(mask, keys), _cut(bias, keys)
        out, lse = merge(out, lse, *attention_with_lse(q, *here, scale))
    return out, lse


@check_and_cast
def attention_blockwise_backward(
    grad_out: Real[Array, "*batch n_q d_v"],
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    out: Real[Array, "*batch n_q d_v"],
    lse: Real[Array, "*batch n_q"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Real[Array, "*#batch #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
    block: Integral = 128,
) -> tuple[
    Float[Array, "*batch n_q d_k"], Float[Array, "*batch n_k d_k"], Float[Array, "*batch n_k d_v"]
]:
    """The gradients of queries, keys and values, from the output and L alone.

        A = exp(S - L),    grad_S = A ∘ (grad_O vᵀ - rowsum(grad_O ∘ O))

    and from grad_S as in `attnbook.gradients`, one block of keys after the other: its weights are
    computed again, and none is kept. Returns the gradients, of the shapes of q, k and v.

    Source: Dao et al. (2022), appendix B.4, algorithm 4; the row sum is equation 4, in B.2.
    """
    delta = np.sum(grad_out * out, axis=-1, keepdims=True)  # Σ_l A_il grad_A_il
    shift = np.where(lse == -np.inf, 0, lse)[..., None]  # a row of NaN stays one
    grad_q, grad_k, grad_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for keys in _blocks(k.shape[-2], block, mask):
        here, seen = k[..., keys, :], _cut(mask, keys)
        scores = dot_product_scores(q, here, scale)
        weights = np.exp((scores if bias is None else scores + _cut(bias, keys)) - shift)
        grad_weights, grad_v[..., keys, :] = weighted_sum_backward(
            grad_out, weights, v[..., keys, :], seen
        )
        grad_scores = weights * (grad_weights - delta)
        part, grad_k[..., keys, :] = dot_product_scores_backward(grad_scores, q, here, scale, seen)
        grad_q += part
    return grad_q, grad_k, grad_v


@check_shapes
def visible_blocks(
    mask: Bool[Array, "*batch n_q n_k"], rows: Integral, columns: Integral
) -> tuple[
    Bool[Array, "*batch row_blocks column_blocks"], Bool[Array, "*batch row_blocks column_blocks"]
]:
    """In which blocks, of `rows` queries by `columns` keys, anything is visible, and in which all.

        some_IJ = M_ij for one i in I, j in J at least,    every_IJ = M_ij for all of them

    A block without anything is empty and can be skipped; one with everything is full and needs no
    mask; any other is partial. The last blocks are smaller where the sizes do not divide. Returns
    both, of shape (..., blocks of queries, blocks of keys). Raises ValueError if a size is not
    positive.

    Source: Dao et al. (2022), section 3.3, where whole blocks of a mask are left out.

    >>> visible_blocks(np.tri(4, 4, dtype=bool), 2, 2)[0].astype(int)
    array([[1, 0],
           [1, 1]])
    """
    at_least(1, rows=rows, columns=columns)
    starts = [(-2, _starts(mask.shape[-2], rows)), (-1, _starts(mask.shape[-1], columns))]
    some = every = mask
    for axis, first in starts:
        some = np.logical_or.reduceat(some, first, axis=axis)
        every = np.logical_and.reduceat(every, first, axis=axis)
    return some, every


def _starts(n, block):
    return list(range(0, n, block))


def _blocks(n_k, block, mask):
    """The blocks of keys of which a mask shows anything."""
    at_least(1, block=block)
    blocks = [slice(start, start + block) for start in _starts(n_k, block)]
    return [keys for keys in blocks if mask is None or np.any(_cut(mask, keys))]


def _cut(x, keys):
    """These keys of a mask or a bias; an axis of 1 stands for all of them."""
    return x if x is None or x.shape[-1] == 1 else x[..., keys]
