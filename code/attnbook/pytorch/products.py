"""Sums in which a number behind the mask has no part, neither in a result nor in a gradient.

What is hidden has weight 0, and gradient 0 if all that is visible is finite. The chain rule
multiplies that 0 by the numbers around it, and 0 · NaN = NaN: one hidden NaN would be in every
gradient. So no product here meets a number that is not finite: 0 stands in its place, and what it
is part of gets it back afterwards.
These are the same steps for all data, so that no program waits for a number of its device.
"""

import torch


def product(x, y):
    """x y, and NaN for a row of x, or a column of y, with a number that is not finite."""
    return finite(x) @ finite(y) + _nan_or_0(x, dim=-1) + _nan_or_0(y, dim=-2)


def visible_sum(weights, v, mask):
    """Σ_j A_ij v_j over the visible j; where one of them is not finite, the gradient is NaN.

    Each such product is +inf, -inf or NaN, and so is their sum: infinite if all have one sign.
    """
    weights, is_finite = torch.where(mask, weights, 0), torch.isfinite(v)
    out = weights @ torch.where(is_finite, v, 0)
    shown = mask * v.new_ones(v.shape[-2])  # 1 and 0, for every key
    odd = shown @ (~is_finite).to(v.dtype)  # how many a query sees
    infinities = torch.where(torch.isinf(v), torch.sign(v), 0)
    signs = torch.sign(weights.detach()) @ infinities.detach()  # as many if all are alike
    limit = torch.where(signs.abs() == odd, signs * torch.inf, torch.nan)
    limit = limit + out.detach()
    return torch.where(odd > 0, limit, out * torch.where(odd > 0, torch.nan, v.new_ones(())))


def positive(scale):
    """A scale above 0, and what queries are multiplied by for it: maxima stay maxima."""
    return (abs(scale), 1 if scale > 0 else -1) if scale else (1.0, 0)


def finite(x):
    """x with 0 for NaN and infinity."""
    return torch.nan_to_num(x, 0.0, 0.0, 0.0)


def constant_unless_finite(x):
    """x, in whose gradient what is not finite is a constant."""
    return torch.where(torch.isfinite(x), x, x.detach())


def _nan_or_0(x, dim):
    """NaN where a number along an axis is not finite, as 0 · inf is, and 0 elsewhere."""
    return torch.sum(0 * x.detach(), dim, keepdim=True)
