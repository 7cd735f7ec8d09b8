"""The smallest exercise, on which the checks of the engine are tried."""

from dataclasses import fields

import numpy as np

from attnbook.exercises.engine.exercise import Exercise, Mistake
from attnbook.exercises.engine.writes import Write, case

DOUBLE = Write(
    name="test.double",
    title="Double",
    level="easy",
    minutes=1,
    answer=lambda x: 2 * x,
    explanation="Twice.",
    hints=("Add it to itself.", "Or multiply."),
    known=lambda: (Mistake(lambda x: x**2, "that is the square."),),
    notice="Doubling is linear.",
    cases=(case(x=np.array([2.0])), case(x=np.array([3.0])), case(x=np.ones((2, 40)))),
)


def like_double(kind, **changes):
    """An exercise of another kind with the texts of this one, but for what is changed."""
    shared = {f.name: getattr(DOUBLE, f.name) for f in fields(Exercise) if f.init}
    return kind(**shared | changes)


def text(answer):
    return DOUBLE.verdict(answer).text
