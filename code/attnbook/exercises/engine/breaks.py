"""Exercises in which the reader finds an input on which a given wrong version fails."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Number, Real
from typing import NamedTuple

import numpy as np

from attnbook.arguments import describe
from attnbook.exercises.engine.attempt import attempt
from attnbook.exercises.engine.compare import (
    difference,
    first_difference,
    is_huge,
    numbers,
    show,
    told_apart,
)
from attnbook.exercises.engine.exercise import OPEN, Exercise, aligned, not_yet, parameter_names


class Miss(NamedTuple):
    """A known input that breaks nothing: an example, when the sentence applies, the sentence."""

    answer: tuple
    applies: Callable
    sentence: str


@dataclass(kw_only=True, repr=False)
class Break(Exercise):
    """The broken version and the right one must differ on the input that the reader finds.

    They differ beyond rounding, or, if the exercise is on rounding, `to_the_bit`. `allowed` gives a
    sentence for an input that is none. Both versions and the solution are judged by what the two
    are `stated` to return on it, the right one first. What they return is shown as that of
    these `versions`.
    """

    broken: Callable
    right: Callable
    allowed: Callable
    stated: object = None
    to_the_bit: bool = False
    versions: tuple = ("right version", "wrong version")
    kind = "Break"

    def __post_init__(self):
        if not callable(self.allowed):
            raise ValueError(
                f"{self.name}: allowed is {describe(self.allowed)}; expected a function"
            )

    def verdict(self, *answer):
        """Run the wrong and the right version on the reader's input."""
        if any(a is ... for a in answer):
            return OPEN
        names = parameter_names(self.right)
        inputs = tuple(map(plain_input, answer))
        if refusal := self._refusal(names, inputs):
            for plain, typed in zip(inputs, answer, strict=True):
                refusal = refusal.replace(describe(plain), describe(typed))
            return not_yet(refusal)
        arguments = dict(zip(names, inputs, strict=True))
        right, broken = (attempt(self.through(f), arguments) for f in (self.right, self.broken))
        if right.raised:
            return not_yet(f"the right version refuses this input: {right.message}")
        if broken.raised:
            return self._right(f"  it raises {broken.message}")
        equal = np.array_equal if self.to_the_bit else lambda *both: not difference(*both)
        if not equal(right.value, broken.value):
            return self._right(*_side_by_side(self.versions, right.value, broken.value))
        applying = (m.sentence for m in self.mistakes if m.applies(*inputs))
        sentence = next(applying, "on this input the wrong version is right.")
        return not_yet(sentence, both_return=show(right.value))

    def _refusal(self, names, inputs):
        if len(inputs) != len(names):
            wanted = ", ".join(names)
            return f"the check wants {wanted}, and the number of inputs given is {len(inputs)}."
        for name, value in zip(names, inputs, strict=True):
            if value is None or callable(value):
                return f"{name} is {describe(value)}; the check wants the input itself."
            if is_huge(value):
                return f"{name} has the shape {tuple(value.shape)}: that is far too large."
        return self.allowed(*inputs)


def plain_input(value):
    """Rows as an array, a number as Python's; the rest stays as it is, for `allowed` to refuse.

    Integers become int64, whose differences do not wrap around, and floats float64: an input
    breaks by its numbers, not by its dtype. So a single float that is whole becomes an integer.
    """
    rows = isinstance(value, (list, tuple, np.ndarray, Number)) or hasattr(value, "detach")
    array = numbers(value) if rows else None
    if array is None:
        return value
    dtype = {"i": np.int64, "u": np.int64, "f": np.float64}.get(array.dtype.kind, array.dtype)
    array = array.astype(dtype)
    if array.ndim:
        return array
    number = array.item()
    whole = isinstance(number, float) and number.is_integer() and abs(number) < 2**53
    return int(number) if whole else number


def whole_numbers(low, high, **arguments):
    """A sentence if one of these is no whole number from `low` to `high`, or None."""
    return _numbers(Integral, f"a whole number from {low} to {high}", low, high, arguments)


def real_numbers(low, high, **arguments):
    """A sentence if one of these is no number from `low` to `high`, or None."""
    return _numbers(Real, f"a number from {low:g} to {high:g}", low, high, arguments)


def _numbers(kind, wanted, low, high, arguments):
    for name, n in arguments.items():
        if isinstance(n, bool) or not isinstance(n, kind) or not low <= n <= high:
            return f"{name} is {describe(n)}; the check wants {wanted}."
    return None


def a_row(shortest, longest, low, high, **arguments):
    """A sentence if one of these is no row of so many numbers from `low` to `high`, or None."""
    for name, x in arguments.items():
        if not _is_real(x, 1):
            return f"{name} is {describe(x)}; the check wants a list of numbers, [1, 2, 3]."
        if not shortest <= x.size <= longest:
            wanted = shortest if shortest == longest else f"{shortest} to {longest}"
            return f"{name} has {x.size} numbers; the check wants {wanted}."
        if (beyond := ~((low <= x) & (x <= high))).any():
            held = f"{name} holds {x[beyond][0]:g}"
            return f"{held}; the check wants numbers from {low:g} to {high:g}."
    return None


def finite_arrays(n_axes, wanted, **arguments):
    """A sentence if one of these has other axes, no number or one that is not finite, or None."""
    for name, x in arguments.items():
        if not _is_real(x, n_axes) or not x.size:
            return f"{name} is {describe(x)}; expected {wanted}, not empty."
        if not np.isfinite(x).all():
            return f"{name} holds infinity or NaN; expected finite numbers."
    return None


def a_mask(shape, wanted, mask):
    """A sentence if this is no mask of a shape, where None is any length but 0, or None."""
    boolean = isinstance(mask, np.ndarray) and mask.dtype == bool and mask.ndim == len(shape)
    if boolean and all(n > 0 and m in (None, n) for m, n in zip(shape, mask.shape, strict=True)):
        return None
    return f"mask is {describe(mask)}; expected {wanted}."


def _is_real(x, n_axes):
    return isinstance(x, np.ndarray) and x.dtype.kind in "fiu" and x.ndim == n_axes


def _side_by_side(versions, right, broken):
    """Both values, and more digits where these would look the same."""
    shown = dict(zip(versions, told_apart(right, broken), strict=True))
    if len(set(shown.values())) == 1:
        shown["first"] = first_difference(right, broken)
    return aligned(**shown)
