"""Which cause a check names for a wrong answer, and what it says where it knows none."""

from dataclasses import fields, replace
from fractions import Fraction

import numpy as np

from attnbook import exercises
from attnbook.exercises.break_it import Break
from attnbook.exercises.exercise import Exercise, Misconception
from attnbook.exercises.write import Write, case, stress

DOUBLE = Write(
    name="test.double",
    title="Double",
    level="easy",
    minutes=1,
    solution_of=lambda x: 2 * x,
    misconceptions=(Misconception(lambda x: x**2, "that is the square."),),
    cases=(case(x=np.array([2.0])), case(x=np.array([3.0])), case(x=np.ones((2, 40)))),
)


def text(answer):
    return DOUBLE.verdict(answer).text


def test_a_misconception_comes_with_the_smallest_input_that_shows_it():
    assert text(lambda x: x * x).split("\n") == [
        "Not yet: that is the square.",
        "  input     x = [3.]",
        "  expected  [6.]",
        "  got       [9.]",
    ]


def test_a_mistake_that_only_resembles_a_misconception_is_not_called_one():
    assert "square" not in text(lambda x: x**2 + (x > 2.5))


def test_a_misconception_is_named_though_an_extreme_input_fails_for_a_second_reason():
    def square_in_single_precision(x):
        return (x.astype(np.float32) ** 2).astype(np.float64)

    extreme = replace(DOUBLE, cases=(*DOUBLE.cases, stress(x=np.array([1e300]))))
    assert "that is the square" in extreme.verdict(square_in_single_precision).text
    assert "that is the square" not in extreme.verdict(lambda x: 2 * x % 1e300).text


def test_a_misconception_that_only_extremes_show_must_explain_all_that_fails():
    capped = Misconception(lambda x: np.minimum(2 * x, 1e200), "there is no such limit.")
    extremes = (stress(x=np.array([1e300])), stress(x=np.array([-1e300])))
    extreme = replace(DOUBLE, misconceptions=(capped,), cases=(*DOUBLE.cases, *extremes))
    assert "no such limit" in extreme.verdict(capped.wrong).text
    assert "no such limit" not in extreme.verdict(lambda x: np.clip(2 * x, -1e200, 1e200)).text


def test_an_input_breaks_by_its_numbers_and_not_by_its_dtype():
    shared = {f.name: getattr(DOUBLE, f.name) for f in fields(Exercise) if f.init}
    fails_above_ten = Break(
        **shared | {"misconceptions": ()},
        wrong=lambda x: np.float64(1) * x,
        right=lambda x: x + (x > 10),
        allowed=lambda x: None,
    )
    assert fails_above_ten.verdict(np.float32([1, 2])).state == "wrong"
    assert fails_above_ten.verdict([1.0, 20.0]).state == "right"


def test_fractions_and_several_numbers_are_an_answer():
    answer = Fraction(1, 26), Fraction(9, 26), Fraction(16, 26)
    assert exercises.temperature.colder.verdict(list(answer)).state == "right"
    assert exercises.temperature.colder.verdict(*answer).state == "right"
    assert exercises.temperature.colder.verdict(*reversed(answer)).state == "wrong"
    assert exercises.weighted_average.not_a_lookup.verdict(Fraction(5, 2)).state == "right"
    assert exercises.weighted_average.not_a_lookup.verdict(10**400).state == "wrong"
