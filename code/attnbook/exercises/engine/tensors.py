"""Call a function of tensors with arrays, as the checks do."""

import contextlib
import functools
from typing import NamedTuple

import numpy as np
import torch

from attnbook.exercises.engine.attempt import refuse_huge
from attnbook.exercises.engine.sandbox import Unfit
from attnbook.exercises.engine.settings import plain_settings


class Differentiated(NamedTuple):
    """A result, and the gradient of a weighted sum of it with respect to the first argument."""

    result: np.ndarray
    gradient: np.ndarray


def differentiated(function):
    """The function on tensors, of which the first is differentiated."""

    @functools.wraps(function)
    def call(*arrays):
        x, *others = tensors = list(map(_floats, arrays))
        with nothing_in_place(arrays, tensors):
            compute = functools.partial(function, x.requires_grad_(), *others)
            return Differentiated(*with_gradients(compute, "the first argument", x))

    return call


def with_gradients(compute, name, *tensors):
    """What is computed, and the gradients of a weighted sum of it with respect to tensors.

    A record must lead to the first of them, which is called `name` where none does.
    """
    with plain_settings():
        out = _tensor(compute())
    with plain_settings():
        gradients = _gradients(out, name, tensors)
    return (_array(out).copy(), *map(_array, gradients))


def on_tensors(function):
    """The function on tensors, as a function of arrays."""

    @functools.wraps(function)
    def call(*arrays):
        tensors = list(map(torch.from_numpy, arrays))
        with plain_settings(), nothing_in_place(arrays, tensors):
            return _array(_tensor(function(*tensors)))

    return call


def placed(function):
    """The function whose last argument is the device of its result.

    The meta device, which every machine has, keeps no numbers: there a result is all zeros.
    """

    @functools.wraps(function)
    def call(*arguments):
        arrays, device = [a for a in arguments if isinstance(a, np.ndarray)], arguments[-1]
        tensors = list(map(torch.from_numpy, arrays))
        with plain_settings(), nothing_in_place(arrays, tensors):
            out = _tensor(function(*tensors, *arguments[len(tensors) :]))
        if out.device.type != device:
            raise Unfit(f"the result is on the device {out.device.type}; expected {device}")
        return _array(torch.zeros_like(out, device="cpu") if out.is_meta else out)

    return call


def differentiated_if_floats(function):
    """The function on tensors and other things; with respect to a first array of floats."""

    @functools.wraps(function)
    def call(*arguments):
        positions = [i for i, value in enumerate(arguments) if isinstance(value, np.ndarray)]

        def of_tensors(*tensors):
            filled = dict(enumerate(arguments)) | dict(zip(positions, tensors, strict=True))
            return function(*filled.values())

        arrays = [arguments[i] for i in positions]
        if arrays[0].dtype.kind == "f":
            return differentiated(of_tensors)(*arrays)
        return placed(lambda *args: of_tensors(*args[:-1]))(*arrays, "cpu")

    return call


AS = ", as x += 1, x[0] = 1 and functions with a final underscore do; make a new tensor"
IN_PLACE = {
    "leaf Variable that requires grad": f"your function writes into its argument{AS}",
    "modified by an inplace operation": f"a result that backward needs was written into{AS}",
}


@contextlib.contextmanager
def nothing_in_place(arrays, tensors):
    """Say in our words what autograd says of writing; see what was written and written back."""
    try:
        yield
    except RuntimeError as error:
        ours = (text for theirs, text in IN_PLACE.items() if theirs in str(error))
        raise next(map(Unfit, ours), error).with_traceback(error.__traceback__) from None
    for array, tensor in zip(arrays, tensors, strict=True):
        if not array.flags.writeable and tensor._version:
            raise ValueError("the tensor is read-only")


def _floats(array):
    """The array as a tensor of the same memory; integers, which have no gradient, as floats."""
    return torch.from_numpy(array.astype(np.float64) if array.dtype.kind == "i" else array)


def _gradients(out, name, tensors):
    """Zeros have the gradient 0, also where there is no record of them: they may be constants."""
    found = [None] * len(tensors)
    if out.requires_grad:
        found = torch.autograd.grad(_uneven_sum(out), tensors, allow_unused=True)
    if found[0] is None and out.any():
        raise Unfit(f"autograd has no record that leads from the result to {name}")
    pairs = zip(tensors, found, strict=True)
    return [torch.zeros_like(x) if gradient is None else gradient for x, gradient in pairs]


def _tensor(out):
    if out is None:
        raise Unfit("nothing was returned: is a `return` missing?")
    if not isinstance(out, torch.Tensor):
        raise Unfit(f"the result is of type {type(out).__name__}; expected a tensor")
    refuse_huge(out.shape)
    return out


def _array(tensor):
    if tensor.dtype == torch.bfloat16:
        raise Unfit("the dtype is bfloat16; no bfloat16 came in")
    return tensor.detach().numpy()


def _uneven_sum(out):
    """A sum in which every entry counts differently."""
    factors = torch.cos(torch.arange(out.numel(), dtype=torch.float64)).to(out.dtype)
    return torch.sum(out * factors.reshape(out.shape))
