"""Call a function of tensors with arrays, as the checks do."""

import functools
from typing import NamedTuple

import numpy as np
import torch

from attnbook.exercises.attempt import Unfit


class Differentiated(NamedTuple):
    """A result, and the gradient of a weighted sum of it with respect to the first argument."""

    result: np.ndarray
    gradient: np.ndarray


def differentiated(function):
    """The function on tensors, of which the first is differentiated."""

    @functools.wraps(function)
    def call(first, *rest):
        x, *others = map(_floats, (first, *rest))
        out = _tensor(function(x.requires_grad_(), *others))
        gradient = _gradient(_uneven_sum(out), x) if out.requires_grad else None
        if gradient is None:
            raise Unfit("autograd has no record that leads from the result to the first argument")
        return Differentiated(_array(out), _array(gradient))

    return call


def placed(function):
    """The function whose last argument is the device of its result.

    The meta device, which every machine has, keeps no numbers: there a result is all zeros.
    """

    @functools.wraps(function)
    def call(*arguments):
        out, device = _tensor(function(*arguments)), arguments[-1]
        if out.device.type != device:
            raise Unfit(f"the result is on the device {out.device.type}; expected {device}")
        return _array(torch.zeros_like(out, device="cpu") if out.is_meta else out)

    return call


def _floats(array):
    """The array as a tensor of the same memory; integers, which have no gradient, as floats."""
    return torch.from_numpy(array.astype(np.float64) if array.dtype.kind == "i" else array)


def _gradient(number, x):
    return torch.autograd.grad(number, x, allow_unused=True)[0]


def _tensor(out):
    if out is None:
        raise Unfit("nothing was returned: is a `return` missing?")
    if not isinstance(out, torch.Tensor):
        raise Unfit(f"the result is of type {type(out).__name__}; expected a tensor")
    return out


def _array(tensor):
    if tensor.dtype == torch.bfloat16:
        raise Unfit("the dtype is bfloat16; no bfloat16 came in")
    return tensor.detach().clone().numpy()


def _uneven_sum(out):
    """A sum in which every entry counts differently."""
    factors = torch.cos(torch.arange(out.numel(), dtype=torch.float64)).to(out.dtype)
    return torch.sum(out * factors.reshape(out.shape))
