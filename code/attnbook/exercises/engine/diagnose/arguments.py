"""What functions do when they are called again with other arguments: facts about a wrong answer."""

from itertools import combinations, permutations

import numpy as np

REAL = "biuf"


def substitutes(names):
    """What could stand in the place of arguments: words, and a function of a dict of them."""
    for a, b in combinations(names, 2):
        yield f"{a} and {b} exchanged", _instead({a: b, b: a})
    for a, b in permutations(names, 2):
        yield f"{b} in the place of {a}", _instead({a: b})
    for name in names:
        for words, kinds, axes, change in CHANGES:
            yield words.format(name), _changed(name, kinds, axes, change)


def _instead(instead):
    def substituted(arguments):
        if not {*instead, *instead.values()} <= arguments.keys():
            return arguments
        return arguments | {a: arguments[b] for a, b in instead.items()}

    return substituted


def _changed(name, kinds, axes, change):
    def substituted(arguments):
        x = arguments.get(name)
        several = isinstance(x, tuple | list)  # shapes and axes: not an array of numbers
        fits = not several and np.asarray(x).dtype.kind in kinds and np.ndim(x) >= axes
        with np.errstate(all="ignore"):
            return arguments | {name: change(x)} if fits else arguments

    return substituted


def _first(x):
    return np.broadcast_to(x[:1], x.shape).copy()


CHANGES = (  # words, kinds of numbers and the fewest axes to which it applies
    ("{0} inverted", "b", 0, np.logical_not),
    ("{0} = None", "biu", 1, lambda x: None),
    ("-{0} in the place of {0}", "f", 0, lambda x: -x),
    ("2 * {0} in the place of {0}", "f", 0, lambda x: 2 * x),
    ("{0} / 2 in the place of {0}", "f", 0, lambda x: x / 2),
    ("{0}² in the place of {0}", "f", 0, lambda x: x * x),
    ("{0} = 0", "f", 0, lambda x: 0 * x),
    ("{0} + 1 in the place of {0}", "iu", 0, lambda x: x + 1),
    ("{0} - 1 in the place of {0}", "iu", 0, lambda x: x - 1),
    ("the first of {0} in the place of all", REAL, 1, _first),
    ("{0} transposed", REAL, 2, lambda x: np.swapaxes(x, -1, -2)),
    ("{0} in reverse order", REAL, 1, lambda x: x[::-1]),
    ("each row of {0} in reverse order", REAL, 2, lambda x: x[..., ::-1]),
    ("{0} / √d in the place of {0}", "f", 2, lambda x: x / np.sqrt(x.shape[-1], dtype=x.dtype)),
    ("{0} · √d in the place of {0}", "f", 2, lambda x: x * np.sqrt(x.shape[-1], dtype=x.dtype)),
)


def returned(several, results):
    """What is said of an argument that comes back as it came in, in each of several calls."""
    for name in several[0]:
        if all(_equal(args.get(name), out) for args, out in zip(several, results, strict=True)):
            return f"it is {name}, as it came in"
    return None


def unused(answer, solution, arguments, every):
    """What is said of an argument that the answer returns as it came, or that changes nothing.

    In the case of these arguments it should change something, and in `every` case it changes
    nothing. Of results that are no arrays nothing is said: a word or a count often stays.
    """
    before = answer(arguments), solution(arguments)
    if not all(isinstance(result, np.ndarray) for result in before):
        return None
    if said := returned([arguments], before[:1]):
        return said
    if _holds_nan(before[0]):  # it hides what else would change
        return None
    for name, value in arguments.items():
        if (other := _another(value)) is not None:
            after = [f(arguments | {name: other}) for f in (answer, solution)]
            if _equal(before[0], after[0]) and not _equal(before[1], after[1]):
                if not any(_moves(answer, case, name) for case in every):
                    return f"{name} has no effect on it"
    return None


def _moves(answer, arguments, name):
    """Whether a result that is not hidden by NaN becomes another with something else as `name`."""
    other, before = _another(arguments.get(name)), answer(arguments)
    if other is None or _holds_nan(before):
        return False
    return not _equal(before, answer(arguments | {name: other}))


def _holds_nan(x):
    return isinstance(x, np.ndarray) and x.dtype.kind == "f" and bool(np.isnan(x).any())


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


PARTS = {"last": slice(-1, None), "others": slice(None, -1)}


def mixed(answer, solution, several):
    """An argument whose last row moves other rows of what the answer returns, and should not.

    It has a row for each of the result, and its last one moves the last of the right result, and
    nothing else of it in any of several cases.
    """
    for name in several[0]:
        pairs = [(a, a | {name: x}) for a in several for x in _with_another_last(a.get(name))]
        wanted = [_moved(solution, name, *pair) for pair in pairs]
        if any("others" in parts for parts in wanted):
            continue
        telling = (pair for pair, parts in zip(pairs, wanted, strict=True) if parts)
        if any("others" in _moved(answer, name, *pair) for pair in telling):
            return f"all of it depends on the last of {name}, and only its last should"
    return None


def _with_another_last(x):
    """The array with another last row, twice: what stays under one change may stay by chance."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.ndim and len(x) > 1:
        for last in (_another(x[-1:]), x.dtype.type(1.37) * x[-1:] + x.dtype.type(0.21)):
            yield np.concatenate([x[:-1], last])


def _moved(function, name, before, after):
    """Which parts of a result change with an argument; none, if it has not a row for each."""
    results = function(before), function(after)
    n = len(before[name])
    if any(not isinstance(r, np.ndarray) or not r.ndim or len(r) != n for r in results):
        return set()
    return {part for part, rows in PARTS.items() if not _equal(*(r[rows] for r in results))}
