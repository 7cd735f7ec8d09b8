"""What wrong numbers are to the right ones: facts, for a prediction that nobody has listed."""

import numpy as np

from attnbook.exercises.engine.diagnose.relations import power_of

ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
LISTED = 6  # parts, of which each right one is named; of more they are counted


def near(want, got, right):
    """A sentence on numbers `got` for `want`; `right` says which of them are right."""
    if not want.ndim:
        return f"{got:.10g} is {_size(want, got)}."
    if _holds_weights(want) and (sentence := _as_weights(want, got)):
        return sentence
    if factor := _factor(want, got):
        return f"each number is {factor:.7g} times the right one."
    if np.array_equal(np.sort(got, axis=None), np.sort(want, axis=None)):
        return "these are the right numbers, in another order."
    return _which(want, got, right)


SLIPS = {
    "the right number with the other sign": lambda want: -want,
    "the right number in percent": lambda want: 100 * want,
}
OF_WHOLE = SLIPS | {"off by one": lambda want: np.array([want - 1, want + 1])}
OF_OTHERS = SLIPS | {
    "off by a factor of 2": lambda want: np.array([want / 2, 2 * want]),
    "one over the right number": lambda want: 1 / want,
    "what the right number leaves of 1": lambda want: 1 - want,
    "the square of the right number": lambda want: want**2,
    "the root of the right number": np.sqrt,
    "the logarithm of the right number": np.log,
    "the exponential of the right number": np.exp,
}


def _size(want, got):
    """How one number compares: the one slip that makes it of the right one, or its size."""
    whole = want == np.round(want)
    slips, rounding = (OF_WHOLE, 1e-6) if whole else (OF_OTHERS, 2e-3)
    with np.errstate(all="ignore"):
        close = [s for s, of in slips.items() if np.isclose(of(want), got, rounding, 0).any()]
    if want and len(close) == 1:
        return close[0]
    return "too large" if got > want else "too small" if got < want else "no number"


def _holds_weights(want):
    return np.allclose(want.sum(axis=-1), 1) and np.all(want >= 0) and want.shape[-1] > 1


def _as_weights(want, got):
    if np.allclose(got.sum(axis=-1), 100, atol=1):
        return "these are percentages: the weights of a row sum to 1."
    if np.any(got < 0):
        return f"{got.min():.4g} is no weight: a weight is never negative."
    if np.allclose(got, got.sum(axis=-1, keepdims=True) * want, rtol=1e-3):
        return "the ratios are right, and the sum is not: the weights of a row sum to 1."
    totals = got.sum(axis=-1)
    off = np.abs(totals - 1) > 0.02
    if off.any():
        which = f"row {np.argmax(off)}" if totals.ndim else "they"
        verb = "sums" if totals.ndim else "sum"
        return f"{which} {verb} to {totals[off].flat[0]:.4g}: weights sum to 1."
    power = power_of(want, got, atol=0.05) if want.shape[-1] > 2 else None
    if power and abs(power - 1) > 0.1:
        each = "each row is" if totals.ndim else "the weights are"
        return f"{each} too {'sharp' if power > 1 else 'even'}, as at another temperature."
    return None


def _factor(want, got):
    """The number by which all are too large or too small, of several that are not 0; or None."""
    seen = want != 0
    if seen.sum() < 2 or not np.allclose(got[~seen], 0):
        return None
    factors = got[seen] / want[seen]
    exact = all(np.array_equal(x, np.round(x)) for x in (want, got))  # whole: nothing is rounded
    alike = np.allclose(factors, factors[0], rtol=1e-6 if exact else 2e-3, atol=0)
    alike = alike and np.isfinite(factors[0]) and abs(factors[0] - 1) > 5e-3
    return factors[0] if factors[0] and alike else None


def _which(want, got, right):
    """Which parts are right, and the first that is not."""
    parts = right.reshape(len(right), -1).all(axis=-1)
    part = int(np.argmin(parts))
    index = tuple(np.argwhere(~right)[0])
    named = "numbers" if right.ndim == 1 else "rows"
    what = f"{got[index]:.8g}" + (f", at {list(map(int, index))}," if right.ndim > 1 else "")
    size = _size(want[index], got[index])
    which = ORDINALS[part] if part < len(ORDINALS) else f"one at {part}"
    return f"of the {named}, the {which} is wrong: {what} is {size}; {_right_parts(parts)}."


def _right_parts(parts):
    """Which parts are right, or how many."""
    if not parts.any():
        return "none is right yet"
    if len(parts) > LISTED:
        return f"{parts.sum()} of {len(parts)} are right"
    return f"right: the {', '.join(ORDINALS[i] for i in np.flatnonzero(parts))}"
