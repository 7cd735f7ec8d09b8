"""Attention through PyTorch's `scaled_dot_product_attention`, SDPA for short.

Its fused backends want four axes, keys and values of one width, and contiguous rows;
given anything else, SDPA takes the backend that writes all scores, without a word. So what we give
it has that form.
"""

import torch
import torch.nn.functional as F

from attnbook.checks import resolve_scale
from attnbook.pytorch.products import positive


def sdpa(q, k, v, **options):
    """softmax(scale · q kᵀ + bias) v over the visible keys, with heads that may be shared.

    The options are those of `arguments`. Where a query sees nothing, the result is finite, and of
    no meaning.
    """
    return with_arguments(q, v, *arguments(q, k, v, **options))


def with_arguments(q, v, four_axes, named):
    """SDPA's answer to its `arguments`, in the shape that q and v ask for."""
    out = F.scaled_dot_product_attention(*four_axes, **named)
    return out[..., : v.shape[-1]].reshape(*q.shape[:-1], v.shape[-1])


def arguments(q, k, v, mask=None, bias=None, scale=None, is_causal=False):
    """What SDPA is given: q, k and v, and a dict of its options."""
    scale, sign = positive(resolve_scale(scale, q.shape[-1]))
    q = q if sign == 1 else q * sign  # backends differ in what they make of a scale below 0
    four = [four_axes(_contiguous(x)) for x in _of_one_width(q, k, v)]
    attn_mask = _attn_mask(q, mask, bias)
    options = {"attn_mask": attn_mask, "is_causal": is_causal, "scale": scale}
    return four, options | {"enable_gqa": four[0].shape[1] != four[1].shape[1]}


def _attn_mask(q, mask, bias):
    """One mask of both; an empty row is shown everything, so that no backend divides by 0."""
    if bias is None:
        if mask is None:
            return None
        return with_axes(mask | ~mask.any(dim=-1, keepdim=True), q)
    shown = bias != -torch.inf
    shown = shown if mask is None else shown & mask
    shown = shown | ~shown.any(dim=-1, keepdim=True)
    finite = torch.where(torch.isfinite(bias), bias, 0)
    half_on_cpu = q.device.type == "cpu" and q.dtype in (torch.float16, torch.bfloat16)
    dtype = torch.float32 if half_on_cpu else q.dtype  # on a GPU it must have the dtype of q
    return with_axes(torch.where(shown, finite, -torch.inf).to(dtype), q)


def _of_one_width(q, k, v):
    """Zeros make keys and values equally wide, and change neither scores nor the rest of v."""
    width = max(q.shape[-1], v.shape[-1])
    return [x if x.shape[-1] == width else F.pad(x, (0, width - x.shape[-1])) for x in (q, k, v)]


def _contiguous(x):
    return x if x.stride(-1) == 1 else x.contiguous()


def four_axes(x):
    """(..., n, d) as (batch, heads, n, d)."""
    if x.ndim < 4:
        return x[(None,) * (4 - x.ndim)]
    return x.flatten(0, x.ndim - 4)


def with_axes(mask, q):
    """A mask with four axes: each that is not for all must be there."""
    if mask.ndim > 4:
        mask = mask.expand(*q.shape[:-3], *mask.shape[-3:])
    return four_axes(mask)
