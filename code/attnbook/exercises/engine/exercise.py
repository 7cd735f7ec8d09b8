"""What all exercises share: a check that is recorded, hints, a solution."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from attnbook.exercises.engine import record
from attnbook.show import Markdown, source


class Mistake(NamedTuple):
    """A known wrong answer, the sentence that its reader must see, and the line it is made of."""

    answer: object
    sentence: str
    line: str = ""


class Verdict(NamedTuple):
    """The outcome of a check, "open" (not attempted), "wrong" or "right", and its text."""

    state: str
    text: str


OPEN = Verdict("open", "Not attempted yet.")


def as_it_is(function):
    return function


@dataclass(kw_only=True, repr=False)
class Exercise:
    """One exercise. `answer` is a function: the answer, or one that returns the answer.

    `known` returns the known mistakes: they are made when a check needs them, and no page does.

    Where a function does not take and return arrays, `through` makes one of it that does. Where
    the reader writes a kernel that the function launches, `written` is that kernel.
    """

    name: str
    title: str
    level: str
    minutes: int
    answer: Callable
    explanation: str = ""
    hints: tuple = ()
    known: Callable[[], Iterable] = tuple
    notice: str = ""
    through: Callable[[Callable], Callable] = as_it_is
    written: Callable | None = None
    kind = "Exercise"
    _hints_shown: int = field(default=0, init=False)

    @cached_property
    def mistakes(self):
        return tuple(self.known())

    def __repr__(self):
        return f"Exercise {self.name} ({self.title}): check, hint, solution"

    def header(self):
        """Kind, difficulty and time."""
        return f"{self.kind} · {self.level} · {self.minutes} min"

    def check(self, *answer):
        """Say whether an answer is right, and if not, why; count the try until it is solved."""
        try:
            verdict = self.verdict(*answer)
        except KeyboardInterrupt:
            print("Interrupted: the check did not come to its end, and no try is counted.")
            return
        print(verdict.text)
        if verdict.state != "open":
            record.add(self.name, solved=verdict.state == "right")

    def verdict(self, *answer):
        """What `check` prints, as a `Verdict`; nothing is kept."""
        raise NotImplementedError

    def hint(self, number=None):
        """Print one more hint each time, or the one of this number."""
        number = self._hints_shown + 1 if number is None else number
        if number not in range(1, len(self.hints) + 1):
            print("No more hints; hint(1) shows the first again, solution() the solution.")
            return
        self._hints_shown = number
        print(f"Hint {number} of {len(self.hints)}: {self.hints[number - 1]}")

    def solution(self):
        """The solution's source, highlighted, and why it is so."""
        return Markdown(self.solution_markdown())

    def solution_markdown(self):
        """The solution as Markdown: source, then explanation."""
        return f"{source(*self.parts())}\n\n{self.explanation}"

    def parts(self):
        """The functions of the solution."""
        return (self.answer,)

    def _right(self, *details):
        return Verdict("right", "\n".join((f"Correct. {self.notice}", *details)))


def not_yet(sentence, **details):
    """The verdict on a wrong answer: a sentence, then named details, aligned below it."""
    return Verdict("wrong", "\n".join((f"Not yet: {sentence}", *aligned(**details))))


def aligned(**details):
    """The lines of named details, one below the other; what is empty is left out."""
    shown = {name.replace("_", " "): text for name, text in details.items() if text}
    width = max(map(len, shown), default=0)
    margin = "\n" + " " * (width + 4)
    return [f"  {name:{width}}  " + text.replace("\n", margin) for name, text in shown.items()]


def parameter_names(function):
    """The names of a function's parameters."""
    return list(inspect.signature(function).parameters)
