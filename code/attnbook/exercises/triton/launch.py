"""Call a function that launches a kernel with arrays in the place of tensors, and watch it."""

import contextlib
import functools

import numpy as np
import torch

from attnbook.exercises.attempt import refuse_huge
from attnbook.exercises.surroundings import Unfit
from attnbook.exercises.twins.settings import plain_settings
from attnbook.kernels import triton, watch


def on_kernels(function):
    """The function on tensors, which must launch a kernel, as a function of arrays.

    A kernel that touches what lies outside its arrays is stopped before it does; what it does not
    store is NaN.
    """

    @functools.wraps(function)
    def call(*arguments):
        if hasattr(function, "fn") and hasattr(function, "run"):
            raise Unfit("the check wants the function that launches your kernel, not the kernel")
        tensors = list(map(_tensor, arguments))
        with plain_settings(), _nan_where_nothing_is_stored(), watch(strict=True) as seen:
            out = _launched(function, tensors)
        for array, tensor in zip(arguments, tensors, strict=True):
            if isinstance(array, np.ndarray) and tensor.device.type != "cpu":
                np.copyto(array, tensor.cpu().numpy())
        result = tuple(map(_array, out)) if isinstance(out, tuple) else _array(out)
        if triton.knobs.runtime.interpret and not any(a.kind != "load" for a in seen):
            raise Unfit("no kernel has stored anything; launch one, as in kernel[grid](…)")
        return result

    return call


def _tensor(argument):
    if not isinstance(argument, np.ndarray):
        return argument
    return torch.from_numpy(argument).to("cuda" if torch.cuda.is_available() else "cpu")


def _launched(function, tensors):
    """What the function returns; what its kernel raises, without the interpreter's wrapping."""
    try:
        return function(*tensors)
    except Exception as error:
        cause = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        if "NotImplementedError" in f"{type(cause).__name__} {cause}":
            raise NotImplementedError from None
        raise cause.with_traceback(cause.__traceback__) from None


@contextlib.contextmanager
def _nan_where_nothing_is_stored():
    """New tensors hold NaN: in memory that was used before, the right numbers may lie about."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


def _array(out):
    if out is None:
        raise Unfit("nothing was returned: is a `return` missing?")
    if not isinstance(out, torch.Tensor):
        raise Unfit(f"the result is of type {type(out).__name__}; expected a tensor")
    refuse_huge(out.shape)
    return out.detach().cpu().numpy()
