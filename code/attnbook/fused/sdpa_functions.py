"""The functions of `attnbook.pytorch` through SDPA."""

import torch
from torch import Tensor

from attnbook import pytorch
from attnbook.fused.guarantees import guarded, in_one_dtype
from attnbook.fused.sdpa import sdpa
from attnbook.fused.visible import ByMask
from attnbook.operation import called_as
from attnbook.pytorch.heads import in_heads
from attnbook.pytorch.operation import Float, check_shapes


@check_shapes
@called_as(pytorch.scaled_dot_product_attention)
def scaled_dot_product_attention(
    q, k, v, mask=None, bias=None, scale=None
) -> Float[Tensor, "*batch n_q d_v"]:
    """`attnbook.pytorch.scaled_dot_product_attention`, through SDPA.

        out = softmax(scale · q kᵀ + bias) v    over the visible keys,  scale = 1/√d_k by default

    The arguments are those of `attnbook.pytorch`. Returns a tensor of shape (..., n_q, d_v), in the
    dtype of q, k and v. A query that sees nothing gets zeros. What a query may not see has no
    influence on its row, not even NaN or infinity; one that it sees makes its row NaN. Raises
    ValueError if d_k is 0 and no scale is given.

    Source: Vaswani et al. (2017), equation 1; computed in blocks as by Dao et al. (2022).
    """
    q, k, v = in_one_dtype(q, k, v)
    if 0 in (q.numel(), k.numel(), v.numel()):
        return pytorch.scaled_dot_product_attention(q, k, v, mask, bias, scale)
    visible = ByMask(mask)
    options = {"mask": mask, "bias": bias, "scale": scale}
    out = guarded(lambda *clean: sdpa(*clean, **options), q, k, v, visible)
    return out if bias is None else with_bias(out, mask, bias)


def with_bias(out, mask, bias):
    """Zeros for a query whose visible keys all have the bias -inf, NaN for one that sees NaN."""
    shown = bias != -torch.inf
    shown = shown if mask is None else shown & mask
    sees_nonfinite = (shown & ~torch.isfinite(bias)).any(dim=-1, keepdim=True)
    shown = shown.any(dim=-1, keepdim=True) | torch.isnan(out)
    return torch.where(sees_nonfinite, torch.nan, torch.where(shown, out, 0))


@check_shapes
@called_as(pytorch.multi_head_attention)
def multi_head_attention(
    q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None, n_kv_heads=None
) -> Float[Tensor, "*batch n_q d_out"]:
    """`attnbook.pytorch.multi_head_attention`, with SDPA between the projections.

        out = merge(attention(split(q W_q), split(k W_k), split(v W_v))) W_o

    Returns a tensor of shape (..., n_q, d_out). Raises ValueError if n_heads does not divide
    d_model, n_kv_heads does not divide n_heads, or W_k and W_v have another number of columns.

    Source: Vaswani et al. (2017), section 3.2.2; shared keys and values: Ainslie et al. (2023).
    """
    tensors = in_one_dtype(q, k, v, w_q, w_k, w_v, w_o)
    return in_heads(scaled_dot_product_attention, *tensors, n_heads, mask, n_kv_heads)
