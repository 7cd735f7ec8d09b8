"""Several heads at once."""

from numbers import Integral

import torch
from jaxtyping import Bool
from torch import Tensor

from attnbook.pytorch.attention import scaled_dot_product_attention
from attnbook.pytorch.operation import Float, operation
from attnbook.pytorch.products import product


@operation
def split_heads(
    x: Float[Tensor, "*batch n d_model"], n_heads: Integral
) -> Float[Tensor, "*batch n_heads n d_head"]:
    """Cut each vector into `n_heads` consecutive pieces, and put the heads before the positions.

    Returns a tensor of shape (..., n_heads, n, d_model / n_heads). Raises ValueError if n_heads is
    not positive or does not divide d_model.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    if n_heads < 1 or x.shape[-1] % n_heads:
        raise ValueError(
            f"split_heads: n_heads is {n_heads}; expected a divisor of d_model = {x.shape[-1]}"
        )
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)
    return torch.swapaxes(pieces, -2, -3)


@operation
def merge_heads(x: Float[Tensor, "*batch n_heads n d_head"]) -> Float[Tensor, "*batch n d_model"]:
    """Lay the heads of each position side by side again: the inverse of `split_heads`.

    Returns a tensor of shape (..., n, n_heads · d_head).
    """
    pieces = torch.swapaxes(x, -2, -3)
    return pieces.reshape(*pieces.shape[:-2], x.shape[-3] * x.shape[-1])


@operation
def multi_head_attention(
    q: Float[Tensor, "*batch n_q d_q"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
    w_q: Float[Tensor, "d_q d_model"],
    w_k: Float[Tensor, "d_k d_model"],
    w_v: Float[Tensor, "d_v d_model"],
    w_o: Float[Tensor, "d_model d_out"],
    n_heads: Integral,
    mask: Bool[Tensor, "*#batch #n_q #n_k"]
    | Bool[Tensor, "*#batch #{n_heads} #n_q #n_k"]
    | None = None,
) -> Float[Tensor, "*batch n_q d_out"]:
    """Attend with several heads at once, each on its own piece of the projected vectors.

        out = merge(attention(split(q W_q), split(k W_k), split(v W_v))) W_o

    The mask is (n_q, n_k) for all sequences, (..., n_q, n_k) for each, the same for its heads, or
    (..., n_heads, n_q, n_k) for each head; any axis may be 1. Returns a tensor of shape
    (..., n_q, d_out). Raises ValueError if n_heads does not divide d_model.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    projected = (split_heads(product(x, w), n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v)))
    if mask is not None and mask.ndim == q.ndim:
        mask = mask[..., None, :, :]
    return merge_heads(scaled_dot_product_attention(*projected, mask=mask)) @ w_o
