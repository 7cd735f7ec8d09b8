"""Exercises in which the reader commits to an answer before running anything."""

from dataclasses import dataclass

import numpy as np

from attnbook.exercises.compare import numbers
from attnbook.exercises.exercise import OPEN, Exercise, wrong
from attnbook.operation import describe


@dataclass(kw_only=True, repr=False)
class Predict(Exercise):
    """The answer is one of a few words, or numbers within `atol` of what the solution computes."""

    atol: float = 0.0
    kind = "Predict"

    def verdict(self, *answer):
        """Compare the answer with what the solution computes; several numbers are one answer."""
        answer = answer[0] if len(answer) == 1 else answer
        if answer is ...:
            return OPEN
        want = self.solution_of()
        if answer is None or callable(answer):
            given = "nothing" if answer is None else "a function"
            return wrong(f"the check wants {_kind(want)}, but got {given}.")
        if self._agree(want, answer):
            return self._right()
        for known in self.misconceptions:
            if self._agree(known.wrong, answer):
                return wrong(known.sentence)
        return wrong(self._fault(want, answer))

    def _agree(self, want, answer):
        if isinstance(want, str):
            return isinstance(answer, str) and answer.strip().lower() == want
        given = _real(answer)
        if given is None or given.shape != np.shape(want):
            return False
        return bool(np.allclose(given, want, rtol=0, atol=self.atol))

    def _fault(self, want, answer):
        given = None if isinstance(want, str) else _real(answer)
        if given is None:
            same_kind = isinstance(want, str) and isinstance(answer, str)
            return f"{answer!r} is not it." if same_kind else _wants(want, answer)
        if given.shape != np.shape(want):
            return f"your answer has the shape {given.shape}; expected {_kind(want)}."
        off = tuple(np.argwhere(~np.isclose(given, want, rtol=0, atol=self.atol))[0])
        place = f", at {list(map(int, off))}," if off else ""
        return f"{given[off]:.10g}{place} is not it."


def _real(answer):
    array = numbers(answer)
    return array if array is not None and array.dtype.kind in "biuf" else None


def _wants(want, answer):
    return f"the check wants {_kind(want)}, but got {describe(answer)}."


def _kind(want):
    if isinstance(want, str):
        return "a word"
    shape = np.shape(want)
    return f"numbers of shape {shape}" if shape else "one number"
