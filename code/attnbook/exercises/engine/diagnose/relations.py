"""What a wrong result is to the right one: facts, for an answer whose cause nobody has listed."""

from itertools import permutations

import numpy as np

from attnbook.exercises.engine.compare import difference

NEARLY = "it is nearly right: the difference is in small digits"
CLOSE = {"rtol": 1e-6, "atol": 1e-12}


def relation(pairs):
    """How, in each pair (want, got), the second comes from the first; None if that is unclear."""
    pairs = [[np.asarray(first_wrong(*pair)(x)) for x in pair] for pair in pairs]
    if any(x.dtype.kind not in "biuf" for pair in pairs for x in pair):
        return None
    single = len(pairs) and all(w.shape == g.shape and w.size == 1 for w, g in pairs)
    if single and np.allclose(*zip(*(map(np.ravel, p) for p in pairs), strict=True), 1e-5, 1e-6):
        return NEARLY
    if not (pairs := [pair for pair in pairs if pair[0].size > 1]):
        return None
    with np.errstate(all="ignore"):
        holding = (fact for fact, holds in RELATIONS.items() if all(holds(*p) for p in pairs))
        return next(holding, None)


def first_wrong(want, got):
    """What takes, of results in a tuple, as a value and its gradient, the first that differs."""
    if not isinstance(want, tuple):
        return lambda result: result
    pairs = enumerate(zip(want, got, strict=True))
    index = next((i for i, pair in pairs if difference(*pair)), 0)
    return lambda results: results[index] if isinstance(results, tuple) else None


def in_order(pairs):
    """What is said of results that have, in each pair (want, got), the shapes of another order."""
    names = getattr(pairs[0][0], "_fields", ())
    shapes = [[[getattr(x, "shape", ()) for x in results] for results in p] for p in pairs if names]
    for order in permutations(names):  # begins with the order that is wanted
        if all(got == [want[names.index(name)] for name in order] for want, got in shapes):
            return f"these have the shapes of {', '.join(order)}" if order != names else None
    return None


def right_results(pairs):
    """Which of several results are right in each pair (want, got); None if there are none."""
    names = enumerate(getattr(pairs[0][0], "_fields", ()))
    right = [name for i, name in names if not any(difference(w[i], g[i]) for w, g in pairs)]
    return f"right: {' and '.join(right)}" if right else None


def _same(a, b):
    return a.shape == b.shape and bool(np.allclose(a, b, equal_nan=True, **CLOSE))


def _transposed(want, got):
    return want.ndim > 1 and _same(np.swapaxes(want, -1, -2), got)


def _other_axes(want, got):
    orders = permutations(range(want.ndim))
    return want.ndim > 2 and any(_same(want.transpose(order), got) for order in orders)


def _other_shape(want, got):
    return want.shape != got.shape and _same(want.ravel(), got.ravel())


def _other_order(want, got):
    return _finite(want, got) and _same(np.sort(want, axis=None), np.sort(got, axis=None))


def _other_signs(want, got):
    return _finite(want, got) and _same(np.abs(want), np.abs(got))


def power_of(want, got, atol):
    """The power to which weights, over their sums, are others; None if to none, or below 0."""
    seen = want > 0
    if not np.array_equal(seen, got > 0) or not seen.any():
        return None
    number = np.maximum(seen.sum(axis=-1, keepdims=True), 1)
    logs = (np.log(np.where(seen, x, 1)) for x in (want, got))
    right, others = (np.where(seen, x - x.sum(axis=-1, keepdims=True) / number, 0) for x in logs)
    power = np.sum(right * others) / max(np.sum(right**2), 1e-9)
    return power if power > 0 and np.allclose(others, power * right, rtol=0, atol=atol) else None


def _another_temperature(is_it):
    def holds(want, got):
        seen = want.any(axis=-1)
        if not _finite(want, got) or not (_sums(want[seen], -1) and _sums(got[seen], -1)):
            return False
        return is_it(power_of(want, got, atol=1e-6) or 1)

    return holds


def _differs(diagonal):
    """Whether matrices of as many rows as columns differ on their diagonal alone, or beside it."""

    def holds(want, got):
        if want.shape != got.shape or want.ndim < 2 or not 1 < want.shape[-1] == want.shape[-2]:
            return False
        there = np.eye(want.shape[-1], dtype=bool) == diagonal
        return _same(want[..., ~there], got[..., ~there]) and not _same(want, got)

    return holds


def _booleans(want, got):
    return want.dtype == got.dtype == bool and want.shape == got.shape


def _finite(want, got):
    alike = want.shape == got.shape and bool not in (want.dtype, got.dtype)
    return alike and np.isfinite(want).all() and np.isfinite(got).all() and got.any()


def _constant(x):
    """Whether each row is one number; where it is NaN it may be any, as 0 / 0 is."""
    rows = x[~np.isnan(x).all(axis=-1)]
    top, spread = np.nanmax(np.abs(rows), axis=-1), np.nanmax(rows, -1) - np.nanmin(rows, -1)
    return bool(np.all(spread <= 1e-9 * (1 + top)))


def _factor(of_each_row):
    def holds(want, got):
        if not _finite(want, got) or want.shape[-1:] < (2,) or _same(want == 0, got != 0):
            return False
        factors = got / want if of_each_row else (got / want).ravel()
        return bool(np.array_equal(want == 0, got == 0)) and _constant(factors)

    return holds


def _offset(want, got):
    return _finite(want, got) and want.shape[-1:] >= (2,) and _constant(got - want)


def _sums(x, axis):
    return x.ndim >= -axis and _same(x.sum(axis=axis), np.ones_like(x.sum(axis=axis)))


def _rows(want, got):
    seen = want.any(axis=-1)
    return _finite(want, got) and _sums(want[seen], -1) and not _sums(got[seen], -1)


def _sum_elsewhere(axis):
    """Whether what should sum to 1 in each row does so along another axis, or several."""

    def holds(want, got):
        if want.ndim < 2 or not _rows(want, got) or not got[want.any(axis=-1)].any(axis=-1).all():
            return False
        totals = np.sum(got, axis=axis)
        return _same(totals[totals != 0], np.ones_like(totals[totals != 0]))

    return holds


def _largest_alone(want, got):
    """Whether weights of 0 and 1 took the place of others, in rows that see anything."""
    seen = want.any(axis=-1)
    if not _finite(want, got) or not _sums(want[seen], -1) or not np.isin(got, (0, 1)).all():
        return False
    alike = np.argmax(want[seen], -1) == np.argmax(got[seen], -1)
    return _sums(got[seen], -1) and bool(alike.all())


def _only_where_zeros(want, got):
    if want.shape != got.shape or want.ndim < 1 or bool in (want.dtype, got.dtype):
        return False
    empty = ~want.any(axis=-1)
    return empty.any() and _same(want[~empty], got[~empty])


def _only_nan(want, got):
    some = ~np.isnan(got)
    return bool(some.any()) and want.shape == got.shape and _same(want[some], got[some])


def _imprecise(want, got):
    return _finite(want, got) and bool(
        np.allclose(got, want, rtol=5e-3, atol=5e-4 * np.abs(want).max())
    )


def _at_one_place(number, differs):
    """Whether of three numbers, or of a few more, one alone differs, or one alone does not."""

    def holds(want, got):
        if not _finite(want, got) or want.ndim != 1 or not max(3, number + 1) <= want.size <= 6:
            return False
        there = np.isclose(want, got, **CLOSE) != differs
        return bool(there[number]) and there.sum() == 1

    return holds


def _of_each_row(number, differs):
    """The same for the last axis of a matrix or more."""

    def holds(want, got):
        if not _finite(want, got) or want.ndim < 2 or not 2 <= want.shape[-1] <= 8:
            return False
        right = np.isclose(want, got, **CLOSE).reshape(-1, want.shape[-1]).all(axis=0)
        there = right != differs
        return number < len(there) and bool(there[number]) and there.sum() == 1

    return holds


def _half(wrong):
    """Whether one half of the last axis is wrong, and the other is right."""

    def holds(want, got):
        if not _finite(want, got) or want.ndim < 1 or not want.shape[-1] or want.shape[-1] % 2:
            return False
        right = [_same(*both) for both in zip(_halves(want), _halves(got), strict=True)]
        return right[1 - wrong] and not right[wrong]

    return holds


def _halves(x):
    return np.split(x, 2, axis=-1)


def _more(want, got):
    return _booleans(want, got) and bool(np.all(got | ~want))


def _fewer(want, got):
    return _booleans(want, got) and bool(np.all(want | ~got))


RELATIONS = {
    NEARLY: _imprecise,
    "it is the right result, transposed": _transposed,
    "it is the right result with its axes in another order": _other_axes,
    "it has the right numbers, in another shape": _other_shape,
    "True and False are exchanged everywhere": lambda w, g: _booleans(w, g) and _same(w, ~g),
    "too much is visible, and nothing is hidden that should be seen": _more,
    "too much is hidden, and nothing is visible that should not be": _fewer,
    "it is the right result with the opposite sign": lambda w, g: _finite(w, g) and _same(-w, g),
    "the numbers are right but for their signs": _other_signs,
    "only rows that should be zeros are wrong": _only_where_zeros,
    "it is right but for NaN": _only_nan,
    "each row is 1 at its largest number and 0 elsewhere": _largest_alone,
    "its rows are too sharp, as at a lower temperature": _another_temperature(lambda p: p > 1.01),
    "its rows are too even, as at a higher temperature": _another_temperature(lambda p: p < 0.99),
    "only its diagonal is wrong": _differs(diagonal=True),
    "its diagonal is right, and what stands beside it is not": _differs(diagonal=False),
    "every number is the right one times the same factor": _factor(of_each_row=False),
    "its columns sum to 1, and its rows should": _sum_elsewhere(-2),
    "it sums to 1 over its first axis, and should over its last": _sum_elsewhere(0),
    "all its numbers together sum to 1, and each row should": _sum_elsewhere(None),
    "the numbers of each matrix sum to 1, and each row should": _sum_elsewhere((-2, -1)),
    "each row is the right one times a factor of its own": _factor(of_each_row=True),
    "each row is the right one plus a number of its own": _offset,
    "its last axis is in reverse order": lambda w, g: w.ndim > 0 and _same(w[..., ::-1], g),
    "its rows are in reverse order": lambda w, g: w.ndim > 1 and _same(w[..., ::-1, :], g),
    "it has the right numbers, in another order": _other_order,
    "it is the square of the right result": lambda w, g: _finite(w, g) and _same(w**2, g),
    "it is the exponential of the right result": lambda w, g: _finite(w, g) and _same(np.exp(w), g),
    "it is the logarithm of the right result": lambda w, g: _finite(w, g) and _same(w, np.exp(g)),
    "it is the softmax of the right result": lambda w, g: _finite(w, g) and _softmax_of(w, g),
    "its rows do not sum to 1, as they should": _rows,
}
for _number, _ordinal in enumerate(("first", "second", "third", "fourth")):
    RELATIONS[f"only its {_ordinal} number is wrong"] = _at_one_place(_number, differs=True)
    RELATIONS[f"only its {_ordinal} number is right"] = _at_one_place(_number, differs=False)
    RELATIONS[f"only the {_ordinal} number of each row is wrong"] = _of_each_row(_number, True)
    RELATIONS[f"only the {_ordinal} number of each row is right"] = _of_each_row(_number, False)
RELATIONS["the first half of its last axis is right, and the second is not"] = _half(1)
RELATIONS["the second half of its last axis is right, and the first is not"] = _half(0)


def _softmax_of(want, got):
    if want.ndim < 1:
        return False
    exp = np.exp(want - want.max(axis=-1, keepdims=True))
    return _same(exp / exp.sum(axis=-1, keepdims=True), got)
