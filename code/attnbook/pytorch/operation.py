"""How every public function on tensors treats its arguments: shapes and dtypes."""

import functools
import inspect
from typing import ClassVar

import torch
from jaxtyping import AbstractDtype

from attnbook.arguments import annotated, checker
from attnbook.operation import Function, call_state


class Float(AbstractDtype):
    """The dtypes of the tensors that operations take."""

    dtypes: ClassVar = ["float16", "bfloat16", "float32", "float64"]


class FloatOrDouble(AbstractDtype):
    """The dtypes of tensors that need their digits: an operation leaves them as they are."""

    dtypes: ClassVar = ["float32", "float64"]


def check_shapes(function: Function) -> Function:
    """Check the shapes and types in a signature at each call; none under `torch.compile`.

    Raises
    ------
    TypeError
        If an argument has the wrong shape or type: one sentence that names the argument, what it
        was and what it should be.
    """
    check = checker(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        if call_state.checked or torch.compiler.is_compiling():
            return function(*args, **kwargs)
        arguments = check(*args, **kwargs)
        with call_state.inside(function, cast=_is_settled(_real(arguments))):
            return function(**arguments)

    return _of_its_own(call)


def check_and_cast(function: Function) -> Function:
    """Check as `check_shapes` does, and return the dtype that came in.

    Tensors of real numbers are brought to one dtype, the widest of them; float16 and bfloat16 are
    computed in float32, and the result is rounded once, to the common dtype of the inputs, in which
    a bias does not count. Integers are refused, as PyTorch's own softmax refuses them. Tensors
    annotated ``FloatOrDouble[Tensor, ...]`` stay as they are, and do not count either.

    Under `torch.autocast`, inputs and result have its dtype, as in PyTorch's own
    `scaled_dot_product_attention`, unless they are float64; between them it has no effect.
    """
    check, wide = checker(function), annotated(function, FloatOrDouble)
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*args, **kwargs):
        if torch.compiler.is_compiling():
            return _in_one_dtype(function, dict(zip(names, args, strict=False)) | kwargs, wide)
        if call_state.cast:
            return function(*args, **kwargs)
        arguments = dict(zip(names, args, strict=False)) | kwargs
        arguments = arguments if call_state.checked else check(*args, **kwargs)
        with call_state.inside(function, cast=True):
            return _in_one_dtype(function, arguments, wide)

    return _of_its_own(call)


def _of_its_own(call):
    """With code of its own: `torch.compile` (2.13) counts recompilations by code, not by function,
    and allows 8, which all functions of the package would share.
    """
    call.__code__ = call.__code__.replace(co_name=call.__name__)
    return call


def _in_one_dtype(function, arguments, wide):
    real = _real(arguments, wide)
    if _is_settled(real):
        return function(**arguments)
    device = next(iter(real.values())).device.type
    if not is_autocast(device):
        return _widened(function, arguments, real)
    lower = torch.get_autocast_dtype(device)
    real = {name: x if x.dtype == torch.float64 else x.to(lower) for name, x in real.items()}
    with torch.autocast(device, enabled=False):
        return _widened(function, arguments, real)


def _widened(function, arguments, real):
    dtype = _common_dtype(x.dtype for name, x in real.items() if name != "bias")
    inner = _common_dtype([torch.float32, *(x.dtype for x in real.values())])
    out = function(**arguments | {name: x.to(inner) for name, x in real.items()})
    return tuple(x.to(dtype) for x in out) if isinstance(out, tuple) else out.to(dtype)


def _common_dtype(dtypes):
    return functools.reduce(torch.promote_types, dtypes)


def _real(arguments, wide=frozenset()):
    return {
        name: x
        for name, x in arguments.items()
        if isinstance(x, torch.Tensor) and x.is_floating_point() and name not in wide
    }


def _is_settled(real):
    """Whether all are in the dtype to compute in and to return, so that nothing inside need ask."""
    wide = {x.dtype for x in real.values()} in ({torch.float32}, {torch.float64})
    return wide and not any(is_autocast(x.device.type) for x in real.values())


def is_autocast(device):
    """Whether `torch.autocast` chooses dtypes on a type of device."""
    return device != "meta" and torch.is_autocast_enabled(device)


def has_values(x):
    """Not so on another device, in a fake tensor, and where a function is transformed or traced."""
    if x.device.type != "cpu" or x.numel() == 0:
        return False
    try:
        x[(0,) * x.ndim].item()  # where a gradient is taken, it has a number but no storage
        return x.data_ptr() != 0
    except RuntimeError:
        return False
