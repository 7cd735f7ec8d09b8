"""How every public function on tensors treats its arguments: shapes and dtypes."""

import functools
import inspect

import torch

from attnbook.operation import refusing


def checked(function):
    """Check the shapes and types in a signature at each call; none under `torch.compile`.

    Raises
    ------
    TypeError
        If an argument has the wrong shape or type: one sentence that names the argument, what it
        was and what it should be.
    """
    call_checked = refusing(function)
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        if torch.compiler.is_compiling():
            return function(*args, **kwargs)
        given = signature.bind(*args, **kwargs).arguments
        return call_checked(given, given)

    return _of_its_own(call)


def operation(function):
    """Check as `checked` does, and return the dtype that came in.

    Tensors of real numbers are brought to one dtype, the widest of them; float16 and bfloat16 are
    computed in float32, and the result is rounded once. Integers are refused, as PyTorch's own
    softmax refuses them.
    """
    call_checked = refusing(function)
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        dtype = _common_dtype((*args, *kwargs.values()))
        wide = [_widened(x, dtype) for x in args]
        wide_named = {name: _widened(x, dtype) for name, x in kwargs.items()}
        if torch.compiler.is_compiling():
            out = function(*wide, **wide_named)
        else:
            given = signature.bind(*args, **kwargs).arguments
            out = call_checked(signature.bind(*wide, **wide_named).arguments, given)
        return out if dtype is None else out.to(dtype)

    return _of_its_own(call)


def _of_its_own(call):
    """With code of its own: `torch.compile` counts recompilations by code, not by function."""
    call.__code__ = call.__code__.replace(co_name=call.__name__)
    return call


def _common_dtype(values):
    """The dtype to return; None where no tensor of real numbers came in."""
    dtypes = [x.dtype for x in values if _is_real(x)]
    return functools.reduce(torch.promote_types, dtypes) if dtypes else None


def _widened(x, dtype):
    """A tensor of real numbers in the dtype to compute in; anything else as it is."""
    if not _is_real(x):
        return x
    return x.to(torch.promote_types(dtype, torch.float32))


def _is_real(x):
    return isinstance(x, torch.Tensor) and x.is_floating_point()
