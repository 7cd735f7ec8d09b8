"""Which cause a check names for a wrong answer, and what it says where it knows none."""

from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest

from attnbook import exercises
from attnbook.exercises.break_it import Break
from attnbook.exercises.dot_product import wrong_attention
from attnbook.exercises.exercise import Exercise, Misconception
from attnbook.exercises.predict import Predict
from attnbook.exercises.relations import RELATIONS, division, relation
from attnbook.exercises.three_ways import wrong_moved
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


def test_who_changes_nothing_is_not_said_to_change_an_argument():
    def square_in_place(x):
        x **= 2
        return x

    known = (Misconception(square_in_place, "the argument is changed."),)
    in_place = replace(DOUBLE, misconceptions=known)
    assert "the argument is changed" in in_place.verdict(square_in_place).text
    assert "the argument is changed" not in in_place.verdict(lambda x: x**2).text


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


ONCE_PASSED = {
    "items of a batch look at each other": (
        "dot_product.scaled_dot_product_attention",
        wrong_attention.all_items_at_once,
    ),
    "lengths of a softmax in int8": (
        "masks.masked_softmax",
        lambda scores, valid_lens=None: exercises.masks.masked_softmax.solution_of(
            scores, None if valid_lens is None else valid_lens.astype(np.int8)
        ),
    ),
    "lengths of cross-attention in int8": (
        "three_ways.cross_attention",
        lambda *inputs: exercises.three_ways.cross_attention.solution_of(
            *inputs[:-1], inputs[-1].astype(np.int8)
        ),
    ),
    "positions in the dtype of the lengths": (
        "masks.left_padding_mask",
        lambda lens, n: np.arange(n).astype(lens.dtype) >= (n - lens.astype(int))[..., None],
    ),
    "a seed": (
        "three_ways.first_moved",
        wrong_moved.checker(change=lambda w: np.random.default_rng(7).normal(size=w.shape[-1])),
    ),
}


@pytest.mark.parametrize("case", ONCE_PASSED)
def test_what_ordinary_inputs_do_not_show_is_found(case):
    name, answer = ONCE_PASSED[case]
    assert exercises.find(name).verdict(answer).state == "wrong"


def test_a_chance_that_is_nearly_right_is_wrong():
    assert exercises.modules.dropout.verdict([3, 3, 4, 1 / 15]).state == "wrong"
    assert exercises.modules.dropout.verdict([3, 3, 4, 0.06]).state == "right"


def test_lengths_of_a_small_dtype_meet_many_keys():
    mask = exercises.masks.left_padding_mask.solution_of(np.array([255], np.uint8), 300)
    assert mask.sum() == 255 and mask[0, -255:].all()


WEIGHTS = np.array([[0.25, 0.75], [0.5, 0.5]])
RELATED = {
    "it is the right result, transposed": WEIGHTS.T,
    "it is the right result with the opposite sign": -WEIGHTS,
    "every number is the right one times the same factor": 3 * WEIGHTS,
    "each row is the right one times a factor of its own": WEIGHTS * [[1.0], [2.0]],
    "each row is the right one plus a number of its own": np.add(WEIGHTS, [[1.0], [2.0]]),
    "its rows do not sum to 1, as they should": np.add(WEIGHTS, [[0.1, 0.3], [0.0, 0.2]]),
    "its columns sum to 1, and its rows should": np.array([[0.3, 0.6], [0.7, 0.4]]),
    "it is the exponential of the right result": np.exp(WEIGHTS),
    "it is right but for NaN": np.array([[0.25, np.nan], [0.5, 0.5]]),
    "it is nearly right: the difference is in small digits": np.add(WEIGHTS, [[0, 1e-5], [0, 0]]),
    "it has the right numbers, in another shape": WEIGHTS[None],
    "it has the right numbers, in other places": np.array([[0.5, 0.25], [0.75, 0.5]]),
    "the numbers are right but for their signs": WEIGHTS * [[1, -1], [-1, 1]],
    "each row is 1 at its largest number and 0 elsewhere": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "only its diagonal is wrong": np.array([[0.1, 0.75], [0.5, 0.7]]),
    "its rows are too sharp, as at a lower temperature": np.array([[0.1, 0.9], [0.5, 0.5]]),
    "its rows are too even, as at a higher temperature": np.array([[0.4, 0.6], [0.5, 0.5]]),
    "its diagonal is right, and what stands beside it is not": np.array([[0.25, 0.1], [0.9, 0.5]]),
}


@pytest.mark.parametrize("fact", RELATED)
def test_a_relation_is_named_where_all_results_have_it(fact):
    assert fact in RELATIONS
    assert relation([(WEIGHTS, RELATED[fact])]) == fact
    other = (WEIGHTS, np.array([[0.9, 0.1], [0.2, 0.8]]))
    assert relation([(WEIGHTS, RELATED[fact]), other]) != fact


def test_no_relation_is_made_up():
    assert relation([(WEIGHTS, np.array([[0.25, 0.75], [0.9, 0.1]]))]) is None
    assert relation([(np.array(2.0), np.array(4.0))]) is None


def test_axes_in_another_order_are_told_from_rounding():
    cube, other_axes = np.arange(8.0).reshape(2, 2, 2), "axes in another order"
    assert other_axes in relation([(cube, cube.transpose(1, 2, 0))])
    assert other_axes in relation([(cube[:1], cube[:1].transpose(1, 0, 2))])
    for factor in (1 + 1e-8, 1.003):
        assert "nearly right" in relation([(cube, cube * factor)])
    assert "times the same factor" in relation([(cube, cube * 1.01)])


def test_rows_that_see_nothing_do_not_count_among_rows_that_should_sum_to_1():
    empty = np.concatenate([WEIGHTS, [[0.0, 0.0]]])
    assert "do not sum to 1" in relation([(empty, empty**0.5)])
    assert "1 at its largest" in relation([(empty, (empty > 0.5) + [[0, 0], [1, 0], [0, 0]])])


def test_a_square_and_rows_of_zeros_are_seen():
    assert "square of the right" in relation(
        [(np.array([1.0, 2.0, 5.0]), np.array([1.0, 4.0, 25.0]))]
    )
    empty = np.concatenate([WEIGHTS, [[0.0, 0.0]]])
    assert "times the same factor" in relation([(empty, 3 * empty)])
    assert "a factor of its own" in relation([(empty, empty * [[3.0], [2.0], [1.0]])])


def test_what_a_result_of_another_shape_is_to_the_right_one_is_told():
    told = DOUBLE.verdict(lambda x: 2 * x[None]).text
    assert "the shape is (1, 1); expected (1,); it has the right numbers, in another shape" in told


def test_where_an_answer_is_right_is_told():
    batches = replace(
        DOUBLE, cases=(*DOUBLE.cases, case(x=np.ones((2, 2, 2))), stress(x=np.array([9.0])))
    )
    told = batches.verdict(lambda x: 2 * x if x.ndim < 3 else x**3).text
    assert "right for matrices, and wrong as soon as there are batch axes" in told
    told = batches.verdict(lambda x: 2 * x if x[0].max() < 9 else x**3).text
    assert "right on every ordinary input, and wrong on this extreme one" in told
    told = batches.verdict(lambda x: 5 * x).text
    assert "right with" not in told and "right where" not in told


SIZES = [case(n_q=2, n_k=2), case(n_q=3, n_k=2), case(n_q=2, n_k=3)]
MASKED = [case(x=np.eye(2), mask=mask) for mask in (None, np.eye(2) > 0)]
DTYPES = [case(x=np.eye(2, dtype=dtype)) for dtype in (np.float64, np.float32)]


@pytest.mark.parametrize(
    ("cases", "failing", "fact"),
    [
        (SIZES, (0, 1, 1), "right where n_q = n_k, and wrong elsewhere"),
        (SIZES, (0, 1, 0), "wrong exactly where there are more queries than keys"),
        (SIZES, (0, 0, 1), "wrong exactly where there are fewer queries than keys"),
        (MASKED, (0, 1), "right without a mask, and wrong with one"),
        (MASKED, (1, 0), "right with a mask, and wrong without one"),
        (DTYPES, (0, 1), "right for float64, and wrong for other dtypes"),
    ],
)
def test_what_the_cases_that_fail_have_in_common_is_told(cases, failing, fact):
    assert fact in division(cases, failing)


def test_a_common_mistake_is_named_though_it_meets_extremes_better_than_the_known_one():
    twice = replace(
        DOUBLE,
        misconceptions=(Misconception(lambda x: np.float64(x) ** 2, "that is the square."),),
        cases=(*DOUBLE.cases[1:], stress(x=np.array([1e200]))),
    )
    answer = lambda x: 2 * x if x.max() > 1e100 else x**2  # noqa: E731
    assert "that is the square" in twice.verdict(answer).text
    rare = replace(twice, cases=(*(case(x=np.array([2.0])),) * 3, *twice.cases[1:]))
    assert "that is the square" not in rare.verdict(answer).text


def test_two_explanations_that_fit_alike_are_none():
    other = Misconception(lambda x: np.where(x > 1e100, 5, x * x), "that is something else.")
    first = Misconception(lambda x: x**2, "that is the square.")
    twice = replace(
        DOUBLE,
        misconceptions=(first, other),
        cases=(*DOUBLE.cases[1:], stress(x=np.array([1e200]))),
    )
    told = twice.verdict(lambda x: 2 * x if x.max() > 1e100 else x**2).text
    assert "square" not in told and "something else" not in told


PREDICTIONS = {
    "row": (0.25, 0.75),
    "number": 12,
    "weight": 0.2,
    "list": (1, 2, 3),
    "three": (0.1, 0.3, 0.6),
    "table": ((1, 2), (3, 4)),
}
SAID = [
    ("row", (25, 75), "these are percentages"),
    ("row", (0.5, 1.5), "the ratios are right, and the sum is not"),
    ("row", (0.75, 0.25), "these are the right numbers, in another order"),
    ("row", (0.25, 0.5), "they sum to 0.75: weights sum to 1"),
    ("row", (-0.25, 1.25), "-0.25 is no weight"),
    ("number", -12, "the right number with the other sign"),
    ("number", 13, "off by one"),
    ("number", 99, "99 is too large"),
    ("number", 24, "24 is too large"),
    ("weight", 0.1, "off by a factor of 2"),
    ("weight", 0.8, "what the right number leaves of 1"),
    ("weight", 5, "one over the right number"),
    ("weight", 0.04, "the square of the right number"),
    ("weight", 0.447, "the root of the right number"),
    ("weight", -1.609, "the logarithm of the right number"),
    ("weight", 1.221, "the exponential of the right number"),
    ("weight", 0.21, "0.21 is too large"),
    ("three", (0.022, 0.196, 0.783), "too sharp, as at another temperature"),
    ("three", (0.193, 0.335, 0.473), "too even, as at another temperature"),
    ("three", (0.11, 0.3, 0.59), "the first is wrong"),
    ("table", ((1, 2), (3, 4, 5)), "the second has the length 3; expected 2"),
    ("table", 7, "expected numbers of shape (2, 2)"),
    ("list", (1, 2), "expected 3 numbers"),
    ("list", (1, 7, 3), "the second is wrong: 7 is too large; right: the first, third."),
]


@pytest.mark.parametrize(("kind", "answer", "said"), SAID)
def test_a_wrong_prediction_hears_what_it_is_to_the_right_one(kind, answer, said):
    shared = {f.name: getattr(DOUBLE, f.name) for f in fields(Exercise) if f.init}
    right = PREDICTIONS[kind]
    known = (Misconception(np.full(np.shape(right), 55), "these are all 55."),)
    shared |= {"misconceptions": known, "solution_of": lambda: right}
    exercise = Predict(**shared)
    assert said in exercise.verdict(answer).text
    assert exercise.verdict(right).state == "right"
    assert "but got nothing" in exercise.verdict().text


def test_a_known_mistake_is_named_for_its_two_decimals_and_for_nothing_as_near():
    toy_keys = exercises.dot_product.toy_keys
    assert "divided by d_k = 2" in toy_keys.verdict([0.73, 0.27]).text
    assert "divided by d_k = 2" not in toy_keys.verdict([0.75, 0.25]).text
    fill = exercises.museum.fill
    assert "so do the weights" in fill.verdict(0.33).text
    assert "0.336 is too large" in fill.verdict(0.336).text


def test_what_the_wrong_version_raises_is_told():
    shared = {f.name: getattr(DOUBLE, f.name) for f in fields(Exercise) if f.init}
    shared |= {"misconceptions": (), "allowed": lambda x: None, "right": lambda x: 1}
    told = Break(**shared, wrong=lambda x: 1 // int(x)).verdict(0).text
    assert told.endswith("  it raises ZeroDivisionError: integer division or modulo by zero")


@pytest.mark.parametrize("answer", [[0.2], [[0.2]], np.array([0.2])], ids=repr)
def test_brackets_around_one_number_are_no_mistake(answer):
    assert exercises.museum.fill.verdict(answer).state == "right"
    assert exercises.museum.fill.verdict([0.2, 0.2]).state == "wrong"


@pytest.mark.parametrize("answer", [[[8, 6, 5]], [[8], [6], [5]]], ids=repr)
def test_brackets_around_three_numbers_are_no_mistake(answer):
    assert exercises.museum.named.verdict(answer).state == "right"
    assert "C are exchanged" in exercises.museum.named.verdict([[8, 5, 6]]).text


def test_a_known_mistake_is_found_beside_others():
    rows = exercises.three_ways.rows_that_move
    assert "in the second case row 2 moves as well" in rows.verdict([6, 3, 1, 4, 99]).text


def test_of_several_known_mistakes_the_one_that_explains_most_is_named():
    shared = {f.name: getattr(DOUBLE, f.name) for f in fields(Exercise) if f.init}
    known = [([9, 2, 3, 4], "one is wrong."), ([9, 8, 3, 4], "two are wrong.")]
    for order in (known, known[::-1]):
        shared |= {"misconceptions": [Misconception(*each) for each in order]}
        exercise = Predict(**shared | {"solution_of": lambda: [1, 2, 3, 4]})
        assert "two are wrong" in exercise.verdict([9, 8, 3, 77]).text
        assert "one is wrong" in exercise.verdict([9, 2, 3, 77]).text


def test_an_exercise_that_could_not_refuse_anything_is_no_exercise():
    with pytest.raises(ValueError, match="has no cases, so every answer would be"):
        replace(DOUBLE, cases=())
    shared = {f.name: getattr(DOUBLE, f.name) for f in fields(Exercise) if f.init}
    with pytest.raises(ValueError, match="None; expected a function"):
        Break(**shared, wrong=abs, right=abs, allowed=None)


def test_unsigned_inputs_and_a_stub_among_inputs():
    shared = {f.name: getattr(DOUBLE, f.name) for f in fields(Exercise) if f.init}
    smaller = Break(
        **shared | {"misconceptions": ()},
        wrong=lambda x, y: np.abs(x - y),
        right=lambda x, y: x - y,
        allowed=lambda x, y: None,
    )
    assert smaller.verdict(np.array([3], np.uint8), np.array([1], np.uint8)).state == "wrong"
    assert "[-2]" in smaller.verdict(np.array([1], np.uint8), np.array([3], np.uint8)).text
    assert smaller.verdict([1], ...).state == "open"
    assert "the number of inputs given is 0" in smaller.verdict().text
    huge = np.broadcast_to(np.ones(1), (10**9, 10**3))
    assert "far too large" in smaller.verdict(huge, [1]).text
