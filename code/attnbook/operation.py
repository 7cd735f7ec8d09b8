"""How every public function of the package treats its arguments: shapes, dtypes and warnings."""

import functools
import inspect
import math
import re
from typing import ClassVar

import numpy as np
from beartype import beartype
from jaxtyping import AbstractDtype, TypeCheckError, jaxtyped

Array = np.ndarray


class Real(AbstractDtype):
    """The dtypes that operations take."""

    dtypes: ClassVar = ["float16", "float32", "float64", re.compile(r"u?int(8|16|32|64)$")]


def checked(function):
    """Check the shapes and types in a signature at each call.

    Raises
    ------
    TypeError
        If an argument has the wrong shape or type: one sentence that names the argument, what it
        was and what it should be.
    """
    return _wrap(function, lambda arguments: (arguments, None))


def operation(function):
    """Check as `checked` does, and return the dtype that came in.

    Arrays annotated ``Real[Array, ...]`` may be float16, float32, float64 or integers. They are
    brought to one dtype, as NumPy does it (integers become float64), and float16 is computed in
    float32. The result has the common dtype of the inputs.

    Infinities and NaNs are returned, not warned about: they are the answer of IEEE arithmetic.
    """
    parameters = inspect.signature(function).parameters
    real = [name for name, p in parameters.items() if "Real[" in str(p.annotation)]
    return _wrap(function, lambda arguments: _one_dtype(arguments, real))


def _wrap(function, prepare):
    call_checked = refusing(function)
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        given = dict(signature.bind(*args, **kwargs).arguments)
        arguments, dtype = prepare(given)
        with np.errstate(all="ignore"):
            out = call_checked(arguments, given)
            return out if dtype is None else out.astype(dtype, copy=False)

    return call


def refusing(function):
    """The function, called with arguments by name, that refuses a wrong one in one sentence.

    The sentence speaks of the argument as it was given, before it was prepared.
    """
    inner = jaxtyped(typechecker=beartype)(function)

    def call(arguments, given):
        try:
            return inner(**arguments)
        except TypeCheckError as error:
            sentence = _sentence(function, given, str(error))
        raise TypeError(sentence)

    return call


def _one_dtype(arguments, real):
    """The arguments with their real arrays in the dtype to compute in, and the dtype to return."""
    arrays = {name: arguments[name] for name in real if _is_real(arguments.get(name))}
    dtype = np.result_type(*arrays.values()) if arrays else np.dtype(np.float64)
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    inside = np.float32 if dtype == np.float16 else dtype
    return arguments | {n: x.astype(inside, copy=False) for n, x in arrays.items()}, dtype


def _is_real(x):
    return isinstance(x, np.ndarray) and x.dtype.kind in "fiu"


def _sentence(function, given, report):
    """One sentence from jaxtyping's report of several lines."""
    name = re.search(r"parameter '(\w+)'", report)
    if not name:
        return report
    annotation = inspect.signature(function).parameters[name[1]].annotation
    report = re.sub(r"torch\.Size\(\[(.*)\]\)", r"(\1)", report)
    sizes = ", ".join(re.findall(r"^\w+=.+$", report.partition("are as follows.")[2], re.MULTILINE))
    where = f" where {sizes}" if sizes else ""
    was = describe(given[name[1]]) + _entries(given[name[1]])
    should = _should(annotation, given)
    return f"{function.__qualname__}: {name[1]} is {was}; expected {should}{where}"


def describe(value):
    """A value in a few words: dtype and shape of an array, type and repr of anything else."""
    if _is_array(value):
        return f"{str(value.dtype).rpartition('.')[2]} {_kind(value)} of shape {tuple(value.shape)}"
    if value is None:
        return "None"
    return f"{type(value).__name__} {value!r:.80}"


def _is_array(value):
    """Whether it is an array or a tensor, without an import of what makes tensors."""
    return isinstance(value, np.ndarray) or hasattr(value, "requires_grad")


def _kind(value):
    return "array" if isinstance(value, np.ndarray) else "tensor"


def _entries(value):
    """The entries of an array that is small enough to read in a sentence."""
    small = _is_array(value) and 0 < math.prod(value.shape) <= 8
    return f" {value.tolist()!r:.80}" if small else ""


def _should(annotation, given):
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    text = text.format(**given)  # a width that the module knows: {self.w_q.in_features}
    text = re.sub(r"(numbers\.)?Integral\b", "an integer", text)
    text = re.sub(r"numbers\.Real\b|^Real$", "a number", text)
    return re.sub(r"\b(\w+\.)+|#", "", text).replace("ndarray", "array")
