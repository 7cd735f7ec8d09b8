"""How every public function of the package treats its arguments: shapes, dtypes and warnings.

They are checked where a reader's call comes in; what one function passes on to another is right.
"""

import contextlib
import functools
import inspect
import numbers
import re
import threading
from collections.abc import Callable
from typing import ClassVar, ParamSpec, TypeVar

import numpy as np
from jaxtyping import AbstractDtype

from attnbook.arguments import annotated, checker

__all__ = [
    "Array",
    "Function",
    "Real",
    "Scalar",
    "call_state",
    "called_as",
    "check_and_cast",
    "check_shapes",
]

Array = np.ndarray
Scalar = numbers.Real
Function = TypeVar("Function", bound=Callable)  # which a decorator returns with its own signature
Given = ParamSpec("Given")
Returned = TypeVar("Returned")


class Real(AbstractDtype):
    """The dtypes that operations take."""

    dtypes: ClassVar = ["float16", "float32", "float64", re.compile(r"u?int(8|16|32|64)$")]


class CallState(threading.local):
    """What is settled for the call that this thread is inside of: its arguments, its dtype."""

    checked = cast = False

    @contextlib.contextmanager
    def inside(self, function, cast):
        """While `function` runs. An error names it where the call came from outside."""
        before = self.checked, self.cast
        self.checked, self.cast = True, cast
        try:
            yield
        except (TypeError, ValueError, NotImplementedError) as error:
            if not before[0] and not str(error).startswith(f"{function.__qualname__}: "):
                error.args = (f"{function.__qualname__}: {error}",)
            raise
        finally:
            self.checked, self.cast = before


call_state = CallState()


def check_shapes(function: Function) -> Function:
    """Check the shapes and types in a signature at each call from outside the package.

    Raises
    ------
    TypeError
        If an argument has the wrong shape or type: one sentence that names the argument, what it
        was and what it should be.
    """
    return _wrap(function, lambda arguments: (arguments, None))


def check_and_cast(function: Function) -> Function:
    """Check as `check_shapes` does, and return the dtype that came in.

    Arrays annotated ``Real[Array, ...]`` may be float16, float32, float64 or integers. They are
    brought to one dtype, as NumPy does it (integers become float64), and float16 is computed in
    float32. The result has the common dtype of the inputs, in which a bias does not count.

    Infinities and NaNs are returned, not warned about: they are the answer of IEEE arithmetic.
    """
    real = annotated(function, Real)
    return _wrap(function, lambda arguments: _one_dtype(arguments, real))


def called_as(
    other: Callable[Given, object],
) -> Callable[[Callable[..., Returned]], Callable[Given, Returned]]:
    """Give a function the arguments of another one, for whoever asks it: the check, an editor."""

    def named(function):
        signature, returned = inspect.signature(other), inspect.signature(function)
        function.__signature__ = signature.replace(return_annotation=returned.return_annotation)
        return function

    return named


def _wrap(function, prepare):
    check = checker(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        if call_state.checked:
            return function(*args, **kwargs)
        arguments, dtype = prepare(check(*args, **kwargs))
        with call_state.inside(function, cast=True), np.errstate(all="ignore"):
            out = function(**arguments)
            return out if dtype is None else _as_dtype(out, dtype)

    return call


def _as_dtype(out, dtype):
    if isinstance(out, tuple):
        return tuple(x.astype(dtype, copy=False) for x in out)
    return out.astype(dtype, copy=False)


def _one_dtype(arguments, real):
    """The arguments with their real arrays in the dtype to compute in, and the dtype to return."""
    arrays = {name: arguments[name] for name in real if arguments.get(name) is not None}
    widest = np.promote_types(_floating(arrays.values()), np.float32)
    dtype = _floating(x for name, x in arrays.items() if name != "bias")
    return arguments | {n: x.astype(widest, copy=False) for n, x in arrays.items()}, dtype


def _floating(arrays):
    dtype = np.result_type(*arrays)
    return dtype if dtype.kind == "f" else np.dtype(np.float64)
