"""Wrong versions of PyTorch's layer: the solution with one of its steps exchanged."""

import torch
import torch.nn.functional as F

from attnbook import pytorch
from attnbook.exercises.modules.joint import by_head
from attnbook.exercises.solutions import modules as solutions


def layer(
    project=lambda x, w: x @ w.T,
    split=pytorch.split_heads,
    attend=pytorch.scaled_dot_product_attention,
    merge=pytorch.merge_heads,
    finish=lambda x, w: x @ w.T,
    order=(0, 1, 2),
    read=lambda mask: mask,
):
    """The solution with one of its steps exchanged."""

    def self_attention(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
        parts = project(x, in_proj_weight).chunk(3, dim=-1)
        q, k, v = (split(parts[i], n_heads) for i in order)
        mask = None if mask is None else read(mask)[..., None, :, :]
        return finish(merge(attend(q, k, v, mask)), out_proj_weight)

    return self_attention


def by_rows(x, w):
    """x W for each of the three square matrices, where x Wᵀ is meant."""
    return torch.cat([x @ part for part in w.chunk(3)], dim=-1)


def scaled_by(factor):
    def attend(q, k, v, mask):
        return pytorch.scaled_dot_product_attention(q, k, v, mask, scale=factor(q))

    return attend


def over(dim):
    """The softmax along another axis of scores of shape (..., heads, n_q, n_k)."""

    def attend(q, k, v, mask):
        scores = pytorch.dot_product_scores(q, k)
        scores = scores if mask is None else torch.where(mask, scores, -torch.inf)
        return torch.nan_to_num(torch.softmax(scores, dim=dim)) @ v

    return attend


def weighed(weights_of):
    """Attention in which `weights_of` makes weights of scores and mask, where there is one."""

    def attend(q, k, v, mask):
        scores = pytorch.dot_product_scores(q, k)
        mask = torch.ones(1, 1, dtype=torch.bool) if mask is None else mask
        return weights_of(scores, mask) @ v

    return attend


def filled(fill):
    return weighed(lambda scores, mask: torch.softmax(torch.where(mask, scores, fill), dim=-1))


def filled_with_lowest(scores, mask):
    return torch.softmax(torch.where(mask, scores, torch.finfo(scores.dtype).min), dim=-1)


def opened_if_empty(scores, mask):
    return pytorch.softmax(scores, mask | ~mask.any(dim=-1, keepdim=True))


def filled_and_zeroed(fill):
    return weighed(
        lambda scores, mask: torch.softmax(torch.where(mask, scores, fill), dim=-1) * mask
    )


def zeroed_after(scores, mask):
    return torch.softmax(scores, dim=-1) * mask


def mended(scores, mask):
    bias = torch.where(mask, scores.new_zeros(()), -torch.inf)
    return torch.nan_to_num(torch.softmax(scores + bias, dim=-1))


def small_number_added(scores, mask):
    kept = torch.where(mask, scores, -torch.inf)
    top = kept.detach().amax(dim=-1, keepdim=True)
    exp = torch.exp(kept - torch.where(top.isfinite(), top, 0))
    return exp / (exp.sum(dim=-1, keepdim=True) + 1e-9)


def without_slope(scores, mask):
    return pytorch.softmax(scores, mask).detach()


def shifted_by(bias):
    return lambda scores, mask: pytorch.softmax(scores + torch.where(mask, 0.0, bias))


def by_option(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, is_causal=mask is not None)


def always_by_option(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def mask_added(q, k, v, mask):
    bias = None if mask is None else mask.to(q.dtype)
    return pytorch.scaled_dot_product_attention(q, k, v, bias=bias)


def over_heads(q, k, v, mask):
    """At each position the heads look at each other; a mask of positions fits nowhere."""
    q, k, v = (x.swapaxes(-2, -3) for x in (q, k, v))
    return pytorch.scaled_dot_product_attention(q, k, v).swapaxes(-2, -3)


def with_weights(change):
    """Attention whose weights, (..., heads, n, n), are changed."""

    def attend(q, k, v, mask):
        return change(pytorch.softmax(pytorch.dot_product_scores(q, k), mask)) @ v

    return attend


def first_head(weights):
    return weights[..., :1, :, :]


def mean_of_heads(weights):
    return weights.mean(dim=-3, keepdim=True)


def masked_first(q, k, v, mask):
    """The mask meets the first head alone."""
    masked = pytorch.scaled_dot_product_attention(q, k, v, mask)
    free = pytorch.scaled_dot_product_attention(q, k, v)
    return torch.cat([masked[..., :1, :, :], free[..., 1:, :, :]], dim=-3)


def parts_of_x(places):
    """The solution with x itself, not projected, as its queries, keys or values."""

    def self_attention(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
        parts = list((x @ in_proj_weight.T).chunk(3, dim=-1))
        for place in places:
            parts[place] = x
        q, k, v = (pytorch.split_heads(part, n_heads) for part in parts)
        mask = None if mask is None else mask[..., None, :, :]
        out = pytorch.scaled_dot_product_attention(q, k, v, mask)
        return pytorch.merge_heads(out) @ out_proj_weight.T

    return self_attention


def finished(change):
    """The solution, and something done to its output, of which x may be a part."""
    return lambda x, *rest: change(solutions.self_attention(x, *rest), x)


def merged_by_reshape(x):
    return x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1])


def merged_backwards(x):
    return pytorch.merge_heads(x.flip(-3))


def merged_interleaved(x):
    return x.movedim(-3, -1).flatten(-2)


def alike(reduce):
    """Every head's place in the merged vector gets the heads' mean, or sum."""
    return lambda x: reduce(x, dim=-3).repeat(*[1] * (x.ndim - 2), x.shape[-3])


def joint_by_head(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    q, k, v = by_head(x @ in_proj_weight.T, n_heads)
    mask = None if mask is None else mask[..., None, :, :]
    out = pytorch.scaled_dot_product_attention(q, k, v, mask)
    return pytorch.merge_heads(out) @ out_proj_weight.T


def mask_by_head(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    """Without an axis for the heads, a mask for each sequence meets the heads."""
    return _with_mask(x, in_proj_weight, out_proj_weight, n_heads, mask)


def mask_meets_heads(attend, widened=lambda mask: mask):
    """The same by hand, or by SDPA, and with the axis that the heads lack in front."""

    def self_attention(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
        mask = mask if mask is None else widened(mask)
        return _with_mask(x, in_proj_weight, out_proj_weight, n_heads, mask, attend)

    return self_attention


def by_hand(q, k, v, mask):
    weights = pytorch.softmax(pytorch.dot_product_scores(q, k), mask)
    return pytorch.weighted_sum(weights, v, mask)


def mask_behind_first_axis(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    """The axis for the heads, where there is one batch axis."""
    mask = mask if mask is None or mask.ndim == 2 else mask[:, None]
    return _with_mask(x, in_proj_weight, out_proj_weight, n_heads, mask)


def _with_mask(
    x, in_proj_weight, out_proj_weight, n_heads, mask, attend=pytorch.scaled_dot_product_attention
):
    parts = (x @ in_proj_weight.T).chunk(3, dim=-1)
    q, k, v = (pytorch.split_heads(part, n_heads) for part in parts)
    return pytorch.merge_heads(attend(q, k, v, mask)) @ out_proj_weight.T


def one_head(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    return solutions.self_attention(x, in_proj_weight, out_proj_weight, 1, mask)


def detached(x, *rest):
    return solutions.self_attention(x.detach(), *rest)


def in_float32(x, w, w_o, *rest):
    return solutions.self_attention(x.float(), w.float(), w_o.float(), *rest)


def in_float64(x, w, w_o, *rest):
    return solutions.self_attention(x.double(), w.double(), w_o.double(), *rest)


def by_way_of_float32(x, *rest):
    return in_float32(x, *rest).to(x.dtype)
