"""Exercises in which the reader commits to an answer before running anything."""

from dataclasses import dataclass

import numpy as np

from attnbook.arguments import describe
from attnbook.exercises.engine.compare import numbers
from attnbook.exercises.engine.diagnose.predictions import ORDINALS, near
from attnbook.exercises.engine.exercise import OPEN, Exercise, not_yet


@dataclass(kw_only=True, repr=False)
class Predict(Exercise):
    """The answer is one of a few words, or numbers within `atol` of what the solution computes.

    The solution itself is judged by the answer as it is `stated`, which no code computes.
    """

    atol: float = 0.0
    stated: object = None
    kind = "Predict"

    def verdict(self, *answer):
        """Compare the answer with what the solution computes; several numbers are one answer."""
        if not answer:
            return not_yet(f"the check wants {_kind(self.answer())}, but got nothing.")
        answer = answer[0] if len(answer) == 1 else answer
        if answer is ...:
            return OPEN
        want = self.answer()
        if answer is None or callable(answer):
            got = "nothing" if answer is None else "a function"
            return not_yet(f"the check wants {_kind(want)}, but got {got}.")
        answer = _without_brackets(want, answer)
        if self.agree(want, answer):
            return self._right()
        known = self._known(want, answer)
        return not_yet(known.sentence if known else self._fault(want, answer))

    def _known(self, want, answer):
        """The known mistake that is in the answer, perhaps beside others.

        A mistake is in the answer where all the numbers that it gets wrong are there, and wrong
        there too: one as near to the right number is no sign of it. Of several, the one in most
        parts is named, and then the first: a reader mends one at a time.
        """
        if fit := [known for known in self.mistakes if self.agree(known.answer, answer)]:
            return fit[0]
        fit = [known for known in self.mistakes if _rounds_to(known.answer, answer)]
        if len({known.sentence for known in fit}) == 1:
            return fit[0]
        if isinstance(want, str) or (got := _real(answer)) is None:
            return None
        sizes = {}
        for known in self.mistakes:
            if got.shape == np.shape(want) == np.shape(known.answer) != ():
                wrong_there = ~self._close(known.answer, want)
                shown = self._close(got, known.answer) & ~self._close(got, want)
                if np.all(shown[wrong_there]):
                    parts = wrong_there.reshape(len(wrong_there), -1).any(axis=1)
                    size = -parts.sum(), np.argmax(parts), -wrong_there.sum()
                    sizes.setdefault(size, known)
        return sizes[min(sizes)] if sizes else None

    def _close(self, a, b):
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        return np.isclose(a, b, rtol=0, atol=self.atol)

    def agree(self, want, answer):
        if isinstance(want, str):
            return isinstance(answer, str) and answer.strip().lower() == want
        got = _real(answer)
        if got is None or got.shape != np.shape(want):
            return False
        return bool(np.allclose(got, want, rtol=0, atol=self.atol))

    def _fault(self, want, answer):
        if uneven := _uneven(want, answer):
            return uneven
        got = None if isinstance(want, str) else _real(answer)
        if got is None:
            same_kind = isinstance(want, str) and isinstance(answer, str)
            return f"{answer!r} is not it." if same_kind else _wants(want, answer)
        if got.shape != np.shape(want):
            return f"your answer has the shape {got.shape}; expected {_kind(want)}."
        want, got = np.asarray(want, dtype=float), got.astype(float)
        right = self._close(got, want)
        to_two = _rounded(want, got, 2)
        if np.all(right | to_two | _rounded(want, got, 1)):
            decimals = "two decimals" if to_two[~right].flat[0] else "one decimal"
            return f"{got[~right].flat[0]:g} is right to {decimals}: give more of them."
        return near(want, got, right)


def _real(answer):
    array = numbers(answer)
    return array if array is not None and array.dtype.kind in "biuf" else None


def _rounds_to(number, answer):
    """Whether an answer has two decimals, which are those of a number or of each number."""
    got = None if isinstance(number, str) else _real(answer)
    if got is None or got.shape != np.shape(number):
        return False
    has_two = np.allclose(got, np.round(got.astype(float), 2), rtol=0, atol=1e-9)
    return bool(has_two and np.allclose(got, number, rtol=0, atol=0.005 + 1e-9))


def _rounded(want, got, decimals):
    """Where an answer has the first decimals, rounded, of a number that isn't 0 with them.

    A whole number has not one decimal: it may be another answer than the right one rounded.
    """
    rounded = np.round(want, decimals)
    told = (rounded != 0) & ((decimals > 1) | (rounded != np.round(rounded)))
    return told & np.isclose(got, rounded, rtol=0, atol=1e-9)


def _without_brackets(want, answer):
    """The answer in the shape that is wanted, where only brackets around a single thing differ."""
    got = None if isinstance(want, str) else _real(answer)
    if got is None or got.squeeze().shape != np.squeeze(want).shape:
        return answer
    return got.reshape(np.shape(want))


def _wants(want, answer):
    return f"the check wants {_kind(want)}, but got {describe(answer)}."


def _uneven(want, answer):
    """A sentence on the first row that is too short or too long, of as many as are wanted."""
    if np.ndim(want) < 2 or not isinstance(answer, (list, tuple)) or len(answer) != len(want):
        return None
    for ordinal, row, right in zip(ORDINALS, answer, want, strict=False):
        if isinstance(row, (list, tuple)) and len(row) != len(right):
            return f"of the rows, the {ordinal} has the length {len(row)}; expected {len(right)}."
    return None


def _kind(want):
    if isinstance(want, str):
        return "a word"
    shape = np.shape(want)
    if len(shape) == 1:
        return f"{shape[0]} numbers"
    return f"numbers of shape {shape}" if shape else "one number"
