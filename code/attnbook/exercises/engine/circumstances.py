"""When a wrong answer is right, and which argument it does not use, where no cause is listed."""

import numpy as np

EXTREME = "it is right on every ordinary input, and wrong on this extreme one"


def division(cases, failing):
    """What the cases that fail have in common and the others lack; None if nothing simple."""
    ordinary = [not c.stress for c in cases]
    if not any(f and o for f, o in zip(failing, ordinary, strict=True)):
        only_dtype = all("the dtype is" in f for f in failing if f)
        return None if only_dtype else EXTREME
    chosen = [(c.arguments, f) for c, f, o in zip(cases, failing, ordinary, strict=True) if o]
    if all(fails for _, fails in chosen):
        return None
    for fact, of in PROPERTIES.items():
        if all(of(arguments) == bool(fails) for arguments, fails in chosen):
            return fact
    return None


def unused(answer, solution, arguments, before):
    """What is said of an argument that the answer returns as it came, or that changes nothing.

    Both functions are called with another argument in the place of each; `before` is what they
    return for these arguments.
    """
    for name, value in arguments.items():
        if isinstance(value, np.ndarray) and _equal(before[0], value):
            return f"it is {name}, as it came in"
    for name, value in arguments.items():
        if (other := _another(value)) is not None:
            after = [f(arguments | {name: other}) for f in (answer, solution)]
            if _equal(before[0], after[0]) and not _equal(before[1], after[1]):
                return f"{name} has no effect on it"
    return None


def _another(value):
    """Something else of the same kind; None where that might be no argument."""
    if isinstance(value, float):
        return 1.5 * value
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return None
    return value + np.arange(value.size, dtype=value.dtype).reshape(value.shape) % 3 + 1


def _equal(a, b):
    """Whether two results are the same; what is not an array, as an error, is like nothing."""
    both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return both and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def _arrays(arguments):
    return [a for a in arguments.values() if isinstance(a, np.ndarray)]


def _axes(arguments):
    return max((a.ndim for a in _arrays(arguments)), default=0)


def _mask(arguments):
    return arguments.get("mask", arguments.get("valid_lens"))


def _sizes(arguments):
    """The numbers of queries and keys, where the arguments have such."""
    if "n_q" in arguments:
        return arguments["n_q"], arguments["n_k"]
    named = [arguments.get(name) for name in ("q", "k")]
    if any(x is None for x in named):
        return 1, 1
    return tuple(x.shape[-2] for x in named)


def _more_queries(arguments, sign):
    n_q, n_k = _sizes(arguments)
    return sign * (n_q - n_k) > 0


PROPERTIES = {
    "it is right for matrices, and wrong as soon as there are batch axes": lambda a: _axes(a) > 2,
    "it is right for one batch axis at most, and wrong for more": lambda a: _axes(a) > 3,
    "it is right for a matrix or more, and wrong for a single row": lambda a: _axes(a) < 2,
    "it is right for a single row, and wrong for more of them": lambda a: _axes(a) > 1,
    "it is right without a mask, and wrong with one": lambda a: _mask(a) is not None,
    "it is right with a mask, and wrong without one": lambda a: _mask(a) is None,
    "it is right where n_q = n_k, and wrong elsewhere": lambda a: len(set(_sizes(a))) > 1,
    "it is wrong exactly where there are more queries than keys": lambda a: _more_queries(a, 1),
    "it is wrong exactly where there are fewer queries than keys": lambda a: _more_queries(a, -1),
    "it is right for float64, and wrong for other dtypes": lambda a: any(
        x.dtype.kind == "f" and x.dtype != np.float64 for x in _arrays(a)
    ),
}
