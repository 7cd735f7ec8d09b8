"""Several heads at once."""

from numbers import Integral

import numpy as np
from jaxtyping import Bool, Float

from attnbook.checks import at_least, divides, shared_heads
from attnbook.operation import Array, Real, check_and_cast
from attnbook.reference.attention import scaled_dot_product_attention


@check_and_cast
def split_heads(
    x: Real[Array, "*batch n d_model"], n_heads: Integral
) -> Float[Array, "*batch n_heads n d_head"]:
    """Cut each vector into `n_heads` consecutive pieces, and put the heads before the positions.

    Returns an array of shape (..., n_heads, n, d_model / n_heads). Raises ValueError if n_heads is
    not positive or does not divide d_model.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    divides("n_heads", n_heads, "d_model", x.shape[-1])
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)
    return np.swapaxes(pieces, -2, -3)


@check_and_cast
def merge_heads(x: Real[Array, "*batch n_heads n d_head"]) -> Float[Array, "*batch n d_model"]:
    """Lay the heads side by side again, shape (..., n, n_heads · d_head): undo `split_heads`."""
    pieces = np.swapaxes(x, -2, -3)
    return pieces.reshape(*pieces.shape[:-2], x.shape[-3] * x.shape[-1])


@check_and_cast
def repeat_heads(
    x: Real[Array, "*batch n_kv_heads n d_head"], times: Integral
) -> Float[Array, "*batch n_heads n d_head"]:
    """Let each head of keys or values stand `times` times in a row, for as many query heads.

        out_h = x_(h // times)

    Returns an array of shape (..., n_kv_heads · times, n, d_head). Raises ValueError if times is
    below 1.

    Source: Ainslie et al. (2023).
    """
    at_least(1, times=times)
    return np.repeat(x, times, axis=-3)


@check_and_cast
def multi_head_attention(
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
) -> Float[Array, "*batch n_q d_out"]:
    """Attend with several heads at once, each on its own piece of the projected vectors.

        out = merge(attention(split(q W_q), split(k W_k), split(v W_v))) W_o

    With `n_kv_heads` below `n_heads`, W_k and W_v have n_kv_heads · d_head columns, d_head =
    d_model / n_heads, and head h of the queries reads head h // (n_heads / n_kv_heads) of the keys
    and values. The mask is (n_q, n_k) for all sequences, (..., n_q, n_k) for each, the same for its
    heads, or (..., n_heads, n_q, n_k) for each head; any axis may be 1.

    Returns an array of shape (..., n_q, d_out). Raises ValueError if n_heads does not divide
    d_model, n_kv_heads does not divide n_heads, or W_k and W_v have another number of columns.

    Source: Vaswani et al. (2017), section 3.2.2; shared keys and values: Ainslie et al. (2023).
    """
    if mask is not None and mask.ndim == q.ndim:
        mask = mask[..., None, :, :]
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    q = split_heads(q @ w_q, n_heads)
    shared_heads(n_heads, n_kv_heads, w_k.shape[-1], q.shape[-1])
    k, v = (split_heads(x @ w, n_kv_heads) for x, w in ((k, w_k), (v, w_v)))
    k, v = (repeat_heads(x, n_heads // n_kv_heads) for x in (k, v))
    return merge_heads(scaled_dot_product_attention(q, k, v, mask)) @ w_o
