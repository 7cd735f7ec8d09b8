"""NaN and infinity pass through a function, but not into its gradients.

A key that the mask hides has scores with gradient 0. The chain rule multiplies that 0 by the
numbers around it, and 0 · NaN = NaN: one hidden NaN would be in every gradient. So a gradient is
that of the function with 0 in the place of what is not finite, and where such a number reaches the
result, it is a constant.
"""

import functools

import torch


def finite_rows(function, x):
    """function(x), for a function that treats each row of x alone."""
    return _through(function, lambda rows: rows[..., None], x)


def finite_pairs(function):
    """Decorate a function of each row of q with each row of k, such as a score."""

    @functools.wraps(function)
    def call(q, k, *rest, **named):
        return _through(lambda q, k: function(q, k, *rest, **named), _pairs, q, k)

    return call


def known(condition):
    """Whether it holds everywhere; where no branch can see data, False."""
    blind = torch.compiler.is_compiling() or condition.is_meta
    return not blind and bool(condition.all())


def zero_if_not_finite(x):
    """x with 0 for NaN and infinity."""
    return torch.where(torch.isfinite(x), x, 0)


def _pairs(rows, columns):
    return rows[..., :, None] & columns[..., None, :]


def _through(function, together, *xs):
    finite = [torch.isfinite(x).all(dim=-1) for x in xs]
    if not torch.is_grad_enabled() or all(map(known, finite)):
        return function(*xs)
    out = function(*map(zero_if_not_finite, xs))
    return torch.where(together(*finite), out, function(*xs).detach())
