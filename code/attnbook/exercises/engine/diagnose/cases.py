"""When a wrong answer is right, where no cause is listed."""

import numpy as np

EXTREME = "it is right on every ordinary input, and wrong on this extreme one"


def division(cases, failing):
    """What the cases that fail have in common and the others lack; None if nothing simple."""
    ordinary = [not c.stress for c in cases]
    if not any(f and o for f, o in zip(failing, ordinary, strict=True)):
        only_dtype = all(f.differs == "dtype" for f in failing if f)
        return None if only_dtype else EXTREME + _extreme(cases, failing)
    chosen = [(c.arguments, f) for c, f, o in zip(cases, failing, ordinary, strict=True) if o]
    if all(fails for _, fails in chosen):
        return None
    for fact, of in PROPERTIES.items():
        if all(of(arguments) == bool(fails) for arguments, fails in chosen):
            return fact
    return None


def _extreme(cases, failing):
    """What makes all the cases that fail extreme, where it is one thing, and no ordinary case."""
    extreme = [c.arguments for c, f in zip(cases, failing, strict=True) if f]
    ordinary = [c.arguments for c in cases if not c.stress]
    for what, of in EXTREMES.items():
        if all(map(of, extreme)) and not any(map(of, ordinary)):
            return f", which {what}"
    return ""


def _arrays(arguments):
    return [a for a in arguments.values() if isinstance(a, np.ndarray)]


def _axes(arguments):
    return max((a.ndim for a in _arrays(arguments)), default=0)


def _mask(arguments):
    return arguments.get("mask", arguments.get("valid_lens"))


def _lengths(arguments):
    named = (arguments.get(name) for name in ("lens", "valid_lens"))
    return [x for x in named if x is not None]


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
EXTREMES = {
    "holds NaN": lambda a: any(np.isnan(x).any() for x in _arrays(a)),
    "holds infinity": lambda a: any(np.isinf(x).any() for x in _arrays(a)),
    "holds numbers far from 0": lambda a: any((np.abs(x) > 80).any() for x in _arrays(a)),
    "has a length of 0": lambda a: any(np.any(x == 0) for x in _lengths(a)),
    "is not of float64": lambda a: all(x.dtype != np.float64 for x in _arrays(a)[:1]),
}
