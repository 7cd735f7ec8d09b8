"""A solution agrees with what does not come from it, and a solution with a slip in it does not."""

import copy

import numpy as np
import pytest
from equal_changes import EQUAL
from solution_mutants import mutants

from attnbook import exercises
from attnbook.exercises.engine.attempt import attempt
from attnbook.exercises.engine.breaks import plain_input

ALL = exercises.every()
UNSEEN = (
    "no judge contradicts these changes: add a case that does, or enter them in "
    "tests/equal_changes.py with the reason"
)
name = {"ids": lambda x: x.name}


def contradicted(exercise, answer):
    """What speaks against an answer, of all that does not come from the solution."""
    judge = {"Write": judge_write, "Predict": judge_predict, "Break": judge_break}[exercise.kind]
    return judge(exercise, answer)


def judge_write(exercise, answer):
    for case in exercise.cases:
        wanted = [] if case.gives is None else [case.gives]
        if exercise.oracle:
            wanted.append(exercise.oracle(*copy.deepcopy(case.arguments).values()))
        for want in wanted:
            outcome = attempt(exercise.through(answer), case.arguments)
            if outcome.raised:
                return outcome.message
            if found := exercise.difference(want, outcome.value):
                return found
    return None


def judge_predict(exercise, answer):
    outcome = attempt(answer, {})
    agrees = not outcome.raised and exercise.agree(exercise.stated, outcome.value)
    return None if agrees else f"{outcome.value} is not {exercise.stated}"


def judge_break(exercise, answer):
    given = attempt(answer, {}).value
    given = tuple(map(plain_input, given if isinstance(given, tuple) else (given,)))
    if refusal := exercise.allowed(*given):
        return refusal
    for version, stated in zip((exercise.right, exercise.broken), exercise.stated, strict=True):
        outcome = attempt(lambda *a, f=version: exercise.through(f)(*a), dict(enumerate(given)))
        value = outcome.message if isinstance(stated, str) else outcome.value
        if not agree_roughly(value, stated):
            return f"{value} is not {stated}"
    return None


def agree_roughly(value, stated):
    """As a reader writes it down: four digits. What is raised begins with its name."""
    if isinstance(stated, str):
        return isinstance(value, str) and value.startswith(stated)
    if isinstance(value, tuple):
        return len(value) == len(stated) and all(map(agree_roughly, value, stated))
    if np.shape(value) != np.shape(stated):
        return False
    a, b = np.asarray(value, float), np.asarray(stated, float)
    return bool(np.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True))


@pytest.mark.parametrize("exercise", ALL, **name)
def test_a_solution_agrees_with_what_does_not_come_from_it(exercise):
    if exercise.kind == "Write":
        assert exercise.oracle or any(case.gives is not None for case in exercise.cases)
    else:
        assert exercise.stated is not None
    assert contradicted(exercise, exercise.answer) is None


@pytest.mark.parametrize("exercise", ALL, **name)
def test_a_slip_in_a_solution_is_found(exercise):
    unseen = [
        what
        for what, mutant in mutants(*exercise.parts())
        if contradicted(exercise, mutant) is None
    ]
    equal = EQUAL.get(exercise.name, set())
    assert set(unseen) - equal == set(), UNSEEN
    assert equal - set(unseen) == set(), "tests/equal_changes.py has what a judge contradicts"
