"""Several heads at once."""

from numbers import Integral

import torch
from jaxtyping import Bool
from torch import Tensor

from attnbook.checks import at_least, divides, shared_heads
from attnbook.pytorch.attention import scaled_dot_product_attention
from attnbook.pytorch.operation import Float, check_and_cast
from attnbook.pytorch.products import product


@check_and_cast
def split_heads(
    x: Float[Tensor, "*batch n d_model"], n_heads: Integral
) -> Float[Tensor, "*batch n_heads n d_head"]:
    """Cut each vector into `n_heads` consecutive pieces, and put the heads before the positions.

    Returns a tensor of shape (..., n_heads, n, d_model / n_heads). Raises ValueError if n_heads is
    not positive or does not divide d_model.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    divides("n_heads", n_heads, "d_model", x.shape[-1])
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)
    return torch.swapaxes(pieces, -2, -3)


@check_and_cast
def merge_heads(x: Float[Tensor, "*batch n_heads n d_head"]) -> Float[Tensor, "*batch n d_model"]:
    """Lay the heads of each position side by side again: the inverse of `split_heads`.

    Returns a tensor of shape (..., n, n_heads · d_head).
    """
    pieces = torch.swapaxes(x, -2, -3)
    return pieces.reshape(*pieces.shape[:-2], x.shape[-3] * x.shape[-1])


@check_and_cast
def repeat_heads(
    x: Float[Tensor, "*batch n_kv_heads n d_head"], times: Integral
) -> Float[Tensor, "*batch n_heads n d_head"]:
    """Let each head of keys or values stand `times` times in a row, for as many query heads.

        out_h = x_(h // times)

    Returns a tensor of shape (..., n_kv_heads · times, n, d_head). Raises ValueError if times is
    below 1.

    Source: Ainslie et al. (2023).
    """
    at_least(1, times=times)
    return x.repeat_interleave(times, dim=-3)


@check_and_cast
def multi_head_attention(
    q: Float[Tensor, "*batch n_q d_q"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
    w_q: Float[Tensor, "d_q d_model"],
    w_k: Float[Tensor, "d_k d_kv"],
    w_v: Float[Tensor, "d_v d_kv"],
    w_o: Float[Tensor, "d_model d_out"],
    n_heads: Integral,
    mask: Bool[Tensor, "*#batch #n_q #n_k"]
    | Bool[Tensor, "*#batch #{n_heads} #n_q #n_k"]
    | None = None,
    n_kv_heads: Integral | None = None,
) -> Float[Tensor, "*batch n_q d_out"]:
    """Attend with several heads at once, each on its own piece of the projected vectors.

        out = merge(attention(split(q W_q), split(k W_k), split(v W_v))) W_o

    With `n_kv_heads` below `n_heads`, W_k and W_v have n_kv_heads · d_head columns, d_head =
    d_model / n_heads, and head h of the queries reads head h // (n_heads / n_kv_heads) of the keys
    and values. The mask is (n_q, n_k) for all sequences, (..., n_q, n_k) for each, the same for its
    heads, or (..., n_heads, n_q, n_k) for each head; any axis may be 1.

    Returns a tensor of shape (..., n_q, d_out). Raises ValueError if n_heads does not divide
    d_model, n_kv_heads does not divide n_heads, or W_k and W_v have another number of columns.

    Source: Vaswani et al. (2017), section 3.2.2; shared keys and values: Ainslie et al. (2023).
    """
    projections = w_q, w_k, w_v, w_o
    return in_heads(scaled_dot_product_attention, q, k, v, *projections, n_heads, mask, n_kv_heads)


def in_heads(attend, q, k, v, w_q, w_k, w_v, w_o, n_heads, mask, n_kv_heads):
    """`multi_head_attention`, with any function `attend` between the projections."""
    if mask is not None and mask.ndim == q.ndim:
        mask = mask[..., None, :, :]
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    q = split_heads(product(q, w_q), n_heads)
    shared_heads(n_heads, n_kv_heads, w_k.shape[-1], q.shape[-1])
    k, v = (split_heads(product(x, w), n_kv_heads) for x, w in ((k, w_k), (v, w_v)))
    k, v = (repeat_heads(x, n_heads // n_kv_heads) for x in (k, v))
    return merge_heads(attend(q, k, v, mask)) @ w_o
