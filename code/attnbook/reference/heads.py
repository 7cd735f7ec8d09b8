"""Several heads at once."""

from numbers import Integral

import numpy as np
from jaxtyping import Bool, Float

from attnbook.operation import Array, Real, operation
from attnbook.reference.attention import scaled_dot_product_attention


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
