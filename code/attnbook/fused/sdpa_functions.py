"""The functions of `attnbook.pytorch` through SDPA."""

from numbers import Integral

import torch
from jaxtyping import Bool
from torch import Tensor

from attnbook import pytorch
from attnbook.fused.guarantees import guarded, in_one_dtype
from attnbook.fused.sdpa import sdpa
from attnbook.fused.visible import ByMask
from attnbook.operation import Scalar
from attnbook.pytorch.heads import in_heads
from attnbook.pytorch.operation import Float, check_shapes


@check_shapes
def scaled_dot_product_attention(
    q: Float[Tensor, "*batch n_q d_k"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Tensor, "*#batch #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
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
    """`attnbook.pytorch.multi_head_attention`, with SDPA between the projections.

        out = merge(attention(split(q W_q), split(k W_k), split(v W_v))) W_o

    Returns a tensor of shape (..., n_q, d_out). Raises ValueError if n_heads does not divide
    d_model, n_kv_heads does not divide n_heads, or W_k and W_v have another number of columns.

    Source: Vaswani et al. (2017), section 3.2.2; shared keys and values: Ainslie et al. (2023).
    """
    tensors = in_one_dtype(q, k, v, w_q, w_k, w_v, w_o)
    return in_heads(scaled_dot_product_attention, *tensors, n_heads, mask, n_kv_heads)
