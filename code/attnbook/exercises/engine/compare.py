"""Say in words how a result differs from the one that is wanted."""

import math
import re

import numpy as np

from attnbook.arguments import shortened
from attnbook.exercises.engine.sandbox import Unfit

LARGEST = 100_000  # numbers in an answer that is typed
EXACT = 2**53  # below it a float holds each whole number
READ = 8  # numbers that are compared at a glance
# Above the rounding of a short chain of operations, far below what any mistake makes.
TOLERANCE = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-11}
NUMBERS = (bool, int, float, np.generic)


class Fault(str):
    """What is wrong, in words; whether "values", "shape" or "dtype" `differs`, of which result."""

    def __new__(cls, words, differs=None, result=None):
        fault = super().__new__(cls, words)
        fault.differs, fault.result = differs, result
        return fault


def is_huge(value):
    """Whether an array or a tensor is no answer that anybody typed."""
    shape = getattr(value, "shape", ())
    return isinstance(shape, tuple) and math.prod(shape) > LARGEST


def numbers(answer):
    """What a reader typed, fractions and tensors too, as an array; None where it cannot be one."""
    if is_huge(answer) or (isinstance(answer, range) and answer[LARGEST:]):
        return None
    try:
        array = np.asarray(_of_tensor(answer) if hasattr(answer, "detach") else answer)
        return array.astype(float) if array.dtype.char in "Og" else array
    except Exception:  # what converts it may be the reader's
        return None


def _of_tensor(tensor):
    """A tensor as an array of its shape and dtype, if NumPy has that dtype."""
    try:
        return tensor.detach().cpu().numpy()
    except TypeError:  # bfloat16
        return tensor.tolist()


def difference(want, got, exact_zeros=False, dtype_matters=True, to_the_bit=False):
    """None where `got` is as wanted; else a `Fault`, what is wrong with it without the values.

    Arrays and numbers agree within the tolerance of the wanted dtype, or `to_the_bit`. With
    `exact_zeros`, what should be 0 must be exactly 0. A list of numbers is the array of them, and
    a list of results their tuple. An int of Python, which has no dtype, may stand for a float.
    """
    if got is None:
        return Fault("nothing was returned: is a `return` missing?")
    if isinstance(want, tuple):
        return _tuples(want, got, exact_zeros, dtype_matters, to_the_bit)
    want, got = np.asarray(want), _array_of_list(got)
    if type(got) is not np.ndarray and not isinstance(got, NUMBERS):
        return Fault(f"a {type(got).__name__} was returned; expected {_kind(want)}")
    if np.shape(got) != want.shape:
        return Fault(f"the shape is {np.shape(got)}; expected {want.shape}", "shape")
    if type(got) is int and abs(got) < EXACT and want.dtype.kind == "f":
        got = want.dtype.type(got)
    if dtype_matters and not _same_dtype(want, got):
        return Fault(f"the dtype is {np.asarray(got).dtype}; expected {want.dtype}", "dtype")
    if not _close(want, np.asarray(got), exact_zeros, to_the_bit):
        return Fault("the values differ", "values")
    return None


def _array_of_list(got):
    """A list of numbers, or of rows of them, as an array; anything else as it is."""
    array = numbers(got) if isinstance(got, list) else None
    return got if array is None or array.dtype.kind not in "biuf" else array


def _tuples(want, got, *options):
    if fault := _are_not(len(want), got):
        return Fault(fault)
    for name, *pair in zip(_names(want), want, got, strict=True):
        if fault := difference(*pair, *options):
            return Fault(f"{name}: {fault}", fault.differs, name)
    return None


def _are_not(number, results):
    """What is wrong with results that are no tuple or list of this number; None if they are."""
    several = isinstance(results, tuple | list)
    if several and len(results) == number:
        return None
    was = f"a {type(results).__name__} was"
    if several:
        was = "1 result was" if len(results) == 1 else f"{len(results)} results were"
    return f"{was} returned; expected a tuple of {number}"


def with_counts(results, number, *counts):
    """What a reader's call returned, so many results, with what was counted of it behind them."""
    if results is None:
        return None
    if number == 1 and isinstance(results, tuple):
        raise Unfit("a tuple was returned; expected one array")
    results = (results,) if number == 1 else results
    if fault := _are_not(number, results):
        raise Unfit(fault)
    return (*results, *counts)


def _names(results):
    """What the results of a tuple are called."""
    return getattr(results, "_fields", [f"result {i + 1}" for i in range(len(results))])


def _kind(want):
    article = "an" if want.dtype.name[0] in "io" else "a"
    kind = f"array of shape {want.shape}" if want.ndim else "number"
    return f"{article} {want.dtype} {kind}"


def _same_dtype(want, got):
    got = np.asarray(got).dtype
    return got.kind in "iu" if want.dtype.kind in "iu" else got == want.dtype


def _close(want, got, exact_zeros, to_the_bit):
    if want.dtype.kind not in "fiu" or got.dtype.kind not in "fiub":
        return np.array_equal(want, got)
    tolerance = 0 if to_the_bit else TOLERANCE.get(want.dtype.name, 0)
    with np.errstate(all="ignore"):
        close = np.isclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)
    return bool(np.all(close & ((want != 0) | (got == 0)) if exact_zeros else close))


def show(value):
    """A value for a message: the numbers of a small array, dtype and shape of a large one."""
    if isinstance(value, np.number) or _is_float(value):
        return f"{value:.6g}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return "\n".join(f"{name} {show(x)}" for name, x in zip(value._fields, value, strict=True))
    if type(value) is not np.ndarray:  # a subclass may answer NumPy as it likes
        return _representation(value)
    if value.size > 32:
        return f"{value.dtype} array of shape {value.shape}"
    text = np.array2string(value, precision=4, suppress_small=False, max_line_width=80)
    text = re.sub(r"\n{2,}", "\n", text)  # between matrices, of which there may be many
    return text if value.dtype.name in ("float64", "bool", "int64") else f"{text} ({value.dtype})"


def _representation(value):
    try:
        return shortened(repr(value), 200)
    except Exception:
        return f"a {type(value).__name__}"


def told_apart(want, got):
    """Both values for a message, with more digits where two numbers would look the same."""
    shown = show(want), show(got)
    if shown[0] == shown[1] and _is_float(want) and _is_float(got):
        shown = f"{want:.12g}", f"{got:.12g}"
    return shown


def _is_float(value):
    """Whether it is one number, which may be an array without axes."""
    one = isinstance(value, float | np.floating | np.ndarray) and np.ndim(value) == 0
    return one and np.asarray(value).dtype.kind == "f"


def first_difference(want, got):
    """Where two arrays of one shape first differ, if what `show` prints does not tell.

    Of several results it is where the first one differs that is wrong.
    """
    if hasattr(want, "_fields") and getattr(got, "_fields", None) == want._fields:
        named = zip(want._fields, want, got, strict=True)
        wrong = next(((name, *pair) for name, *pair in named if difference(*pair)), None)
        first = first_difference(*wrong[1:]) if wrong else None
        return first and f"{wrong[0]} {first}"
    if not type(want) is type(got) is np.ndarray:
        return None
    tells = show(want) != show(got) and want.size <= READ
    if tells or got.shape != want.shape or got.dtype.kind not in "biuf":
        return None
    with np.errstate(all="ignore"):
        where = np.argwhere(~np.isclose(got, want, rtol=1e-11, atol=0, equal_nan=True))
    if not len(where):
        return None
    index = tuple(map(int, where[0]))
    return f"at {list(index)}: expected {want[index]:.12g}, got {got[index]:.12g}"
