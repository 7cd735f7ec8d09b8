"""What a wrong answer hears where nobody has listed its cause: what it is to the right one."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from double import DOUBLE, like_double

from attnbook import exercises
from attnbook.exercises.engine.compare import Fault
from attnbook.exercises.engine.diagnose.arguments import mixed
from attnbook.exercises.engine.diagnose.cases import division
from attnbook.exercises.engine.diagnose.relations import RELATIONS, relation
from attnbook.exercises.engine.edits import versions
from attnbook.exercises.engine.exercise import Mistake
from attnbook.exercises.engine.predicts import Predict
from attnbook.exercises.engine.writes import case, stress

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
    "it has the right numbers, in another order": np.array([[0.5, 0.25], [0.75, 0.5]]),
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


ROWS = np.arange(12.0).reshape(2, 6)
IN_ROWS = {
    "the first half of its last axis is right, and the second is not": [1, 1, 1, 2, 3, 4],
    "the second half of its last axis is right, and the first is not": [2, 3, 4, 1, 1, 1],
    "only the first number of each row is wrong": [-7, 1, 1, 1, 1, 1],
    "only the fourth number of each row is right": [2, 3, 4, 1, 5, 6],
}


@pytest.mark.parametrize("fact", IN_ROWS)
def test_what_is_right_in_every_row_is_told(fact):
    want = ROWS + 1
    assert relation([(want, want * IN_ROWS[fact])]) == fact
    assert relation([(want, want * IN_ROWS[fact]), (want, want[:, ::-1])]) != fact


def test_no_relation_is_made_up():
    assert relation([(WEIGHTS, np.array([[0.25, 0.75], [0.9, 0.1]]))]) is None
    assert relation([(np.array(2.0), np.array(4.0))]) is None
    assert relation([(np.array(2.0), np.array([2.0]))]) is None  # no digit differs
    assert relation([(WEIGHTS, np.full((2, 2), np.nan))]) is None  # not right but for NaN


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


def test_a_number_that_alone_is_wrong_or_right_is_told():
    want = np.array([4.0, 1, 20])
    third, first = (want, np.array([4.0, 1, 23])), (want, np.array([5.0, 1, 20]))
    assert relation([third, third]) == "only its third number is wrong"
    assert relation([(want, np.array([5.0, 1, 23]))]) == "only its second number is right"
    assert relation([third, first]) is None


def refuses_float32(x):
    if x.dtype == np.float32:
        raise TypeError("the dtype is float32")
    return 2 * x


def test_where_an_answer_is_right_is_told():
    batches = replace(
        DOUBLE, cases=(*DOUBLE.cases, case(x=np.ones((2, 2, 2))), stress(x=np.array([9.0])))
    )
    told = batches.verdict(lambda x: 2 * x if x.ndim < 3 else x**3).text
    assert "right for matrices, and wrong as soon as there are batch axes" in told
    told = batches.verdict(lambda x: 2 * x if x[0].max() < 9 else x**3).text
    assert "right on every ordinary input, and wrong on this extreme one" in told
    single = replace(DOUBLE, cases=(*DOUBLE.cases, stress(x=np.ones(3, np.float32))))
    told = single.verdict(lambda x: 2 * x.astype(float)).text
    assert "the dtype is float64; expected float32" in told and "extreme" not in told
    told = single.verdict(refuses_float32).text
    assert "raised TypeError: the dtype is float32" in told and "extreme" in told
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


SCALED = replace(
    DOUBLE,
    answer=lambda x, y, by: by * x + y,
    known=tuple,
    cases=(case(x=np.array([1.0, 2.0, 3.0]), y=np.array([3.0, 5.0, 8.0]), by=2.0),),
)


@pytest.mark.parametrize(
    ("answer", "fact"),
    [
        (lambda x, y, by: x, "it is x, as it came in"),
        (lambda x, y, by: by * x * x, "y has no effect on it"),
        (lambda x, y, by: 3 * x * x + y, "by has no effect on it"),
        (lambda x, y, by: by * x * x + y * y, None),
    ],
)
def test_an_argument_that_is_not_used_is_told(answer, fact):
    told = SCALED.verdict(answer).text.split("\n")[0]
    assert told == "Not yet: the values differ" + (f"; {fact}" if fact else "")


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (lambda x, y, by: by * y + x, "x and y exchanged"),
        (lambda x, y, by: by * x + x, "x in the place of y"),
        (lambda x, y, by: y - by * x, "-x in the place of x"),
        (lambda x, y, by: by * x, "y = 0"),
        (lambda x, y, by: by * x + y[0], "the first of y in the place of all"),
        (lambda x, y, by: by * x[::-1] + y, "x in reverse order"),
    ],
)
def test_arguments_with_which_the_solution_does_the_same_are_told(answer, what):
    assert f"; the solution does the same with {what}\n" in SCALED.verdict(answer).text


def test_an_argument_that_has_an_effect_in_another_case_is_not_called_unused():
    cases = *SCALED.cases, case(x=np.array([9.0]), y=np.array([1.0]), by=4.0)
    two = replace(SCALED, cases=cases)
    told = "y has no effect on it"
    assert told in two.verdict(lambda x, y, by: by * x * x).text
    assert told not in two.verdict(lambda x, y, by: by * x * x + y * (x[0] > 8)).text


def test_of_results_that_are_no_arrays_no_argument_is_called_unused():
    count = replace(SCALED, answer=lambda x, y, by: int(by * x[0] + y[0]))
    for answer in (lambda x, y, by: x[:2] * by + y[0], lambda x, y, by: int(by + x[0] + y[0])):
        assert "has no effect" not in count.verdict(answer).text


def test_an_argument_that_a_case_leaves_out_stays_so():
    x = np.array([1.0, 2.0])
    cases = case(x=x, by=3 * x), case(x=x)
    optional = replace(SCALED, answer=lambda x, by=1.0: by * x, cases=cases)
    told = optional.verdict(lambda x, by=1.0: by * x if np.ndim(by) else -x).text
    assert "differ; the solution does the same with -x in the place of x\n" not in told
    assert "Not yet: the values differ" in told


COUNTED = replace(SCALED, answer=lambda x, n, seen: x[:n] if seen.all() else x[n:])
NUMBERS = {"x": np.arange(5.0), "n": 2}
COUNTED = replace(COUNTED, cases=[case(**NUMBERS, seen=np.array([s])) for s in (True, False)])


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (lambda x, n, seen: COUNTED.answer(x, n + 1, seen), "n + 1 in the place of n"),
        (lambda x, n, seen: COUNTED.answer(x, n - 1, seen), "n - 1 in the place of n"),
        (lambda x, n, seen: COUNTED.answer(x, n, ~seen), "seen inverted"),
    ],
)
def test_a_number_that_is_off_by_one_and_a_mask_that_is_inverted_are_told(answer, what):
    assert f"; the solution does the same with {what}\n" in COUNTED.verdict(answer).text
    assert "does the same" not in COUNTED.verdict(lambda x, n, seen: x[1:-1]).text


def centred(x, width):
    far = x - np.mean(x, axis=-1, keepdims=True)
    return np.where(np.abs(far) <= width, far * 2, -far)


ROWS_OF_THREE = np.array([[1.0, 2.0, 6.0], [0.0, 1.0, 2.0]])
CENTRED = [case(x=x, width=1.0) for x in (ROWS_OF_THREE, np.stack([ROWS_OF_THREE] * 2) ** 2)]
CENTRED = replace(DOUBLE, answer=centred, known=tuple, cases=CENTRED)


@pytest.mark.parametrize(
    ("change", "slip"),
    [
        ("x - np → x + np", "with + in the place of -"),
        ("np.mean → np.max", "with max in the place of mean"),
        ("axis=-1 → axis=0", "with axis=0 in the place of axis=-1 in mean"),
        (", axis=-1 →", "without axis=-1 in mean"),
        (", keepdims=True →", "without keepdims=True in mean"),
        ("np.abs(far) → far", "without abs"),
        ("<= width → < width", "with < in the place of <="),
        ("far * 2 → far", "without a factor"),
        ("far * 2 → far * 3", "with 3 in the place of 2"),
        ("-far → far", "without a minus sign"),
        ("np.where(np.abs(far) <= width, far * 2, -far) → far * 2", "held everywhere"),
        ("far * 2, -far → -far, far * 2", "with the sides of a where exchanged"),
    ],
)
def test_a_slip_that_makes_of_the_solution_what_the_answer_is_is_told(change, slip):
    (answer,) = versions(change, centred)
    told = CENTRED.verdict(answer).text.split("\n")[0]
    assert "; the solution does the same with" in told and told.endswith(slip)


@pytest.mark.parametrize("change", ["far * 2 → np.tanh(far)", "np.mean → np.median"])
def test_a_slip_that_nobody_lists_is_not_made_up(change):
    (answer,) = versions(change, centred)
    assert "does the same" not in CENTRED.verdict(answer).text


def hidden(x, seen):
    scores = np.where(seen, x, -np.inf)
    return scores - np.max(scores)


def test_nan_alone_is_no_evidence_of_a_slip():
    cases = [case(x=np.array([1.0, 2.0, 4.0]), seen=np.array([True, False, True]))]
    exercise = replace(DOUBLE, answer=hidden, known=tuple, cases=cases)
    told = exercise.verdict(lambda x, seen: x * np.nan).text
    assert "the values differ" in told and "without a where" not in told
    assert "does the same" in exercise.verdict(lambda x, seen: x - np.max(x)).text


def test_an_error_without_numbers_is_no_evidence_of_a_slip():
    sink = exercises.heads.weights_with_sink
    (answer,) = versions("scores.shape[:-1] → scores.shape[:1]", sink.answer)
    told = sink.verdict(answer).text
    assert "raised ValueError" in told and "does the same" not in told
    (answer,) = versions("axis=-1 → axis=-2", sink.answer)
    assert "the solution does the same with axis=-2" in sink.verdict(answer).text


EACH_ROW = replace(
    SCALED,
    answer=lambda x: np.tanh(x - x.max(axis=-1, keepdims=True)),
    cases=(case(x=np.array([[1.0, 2.0], [5.0, 4.5], [0.0, 0.2]])),),
)


def test_rows_that_depend_on_one_another_are_told():
    told = "; all of it depends on the last of x, and only its last should\n"
    assert told in EACH_ROW.verdict(lambda x: np.tanh(x - x[-1].max())).text
    assert told not in EACH_ROW.verdict(lambda x: np.tanh(x - x[..., :1])).text


def left_out(weights, values):
    return exercises.weights.left_out.answer(weights, values)


def without_its_divisor(weights, values):
    return weights * np.linalg.norm(values - weights @ values, axis=1)


def test_what_stays_by_chance_is_not_called_independent():
    twos = {"weights": np.array([0.5, 0.5]), "values": np.array([[0.0], [4.0]])}
    moved = left_out(twos["weights"] + [0, 1], twos["values"])
    assert moved[0] == left_out(**twos)[0]  # by chance: 6 and 2 are as far from 4
    assert mixed(lambda a: without_its_divisor(**a), lambda a: left_out(**a), [twos]) is None
    rows = {"x": np.array([[1.0, 2.0], [5.0, 4.5], [0.0, 0.2]])}
    own, last = (lambda a: a["x"].max(-1)), (lambda a: a["x"].max(-1) - a["x"][-1].max())
    assert "only its last should" in mixed(last, own, [rows])
    others = {"x": np.array([[1.0], [2.0]])}
    some = lambda a: own(a) if len(a["x"]) > 2 else last(a)  # noqa: E731
    assert mixed(last, some, [rows, others]) is None


def test_no_slip_is_named_that_shows_where_only_the_dtype_is_wrong():
    pages = exercises.cache.pages_needed
    ceil = lambda length, n, size: np.ceil((length + n) / size) - np.ceil(length / size)  # noqa: E731
    told = pages.verdict(ceil).text.split("\n")[0]
    assert told == "Not yet: the dtype is float64; expected int64"
    told = pages.verdict(lambda length, n, size: (length + n) / size - length / size).text
    assert "the solution does the same with / in the place of //" in told


def test_what_is_random_is_told():
    said = "; two calls with the same input differ: is something random?\n"
    rng = np.random.default_rng()
    told = EACH_ROW.verdict(lambda x: np.tanh(x - rng.random(x.shape))).text
    assert said in told and "depends on the last" not in told
    assert said not in EACH_ROW.verdict(lambda x: np.tanh(x - x[-1].max())).text


TWO = replace(EACH_ROW, answer=lambda x: (x.sum(-1), x.max(-1)), results=("total", "top"))


def test_results_that_are_right_beside_a_wrong_one_are_told():
    told = TWO.verdict(lambda x: (x.sum(-1), x.min(-1))).text
    assert "Not yet: top: the values differ" in told and "; right: total\n" in told
    assert "; right: top\n" in TWO.verdict(lambda x: (x.prod(-1), x.max(-1))).text
    assert "; right" not in TWO.verdict(lambda x: (x.prod(-1), x.min(-1))).text


@pytest.mark.parametrize(
    ("x", "what"),
    [
        (np.array([np.nan, 1.0]), ", which holds NaN"),
        (np.array([-np.inf, 1.0]), ", which holds infinity"),
        (np.array([1e3, 1.0]), ", which holds numbers far from 0"),
        (np.array([1, 2], np.int8), ", which is not of float64"),
        (np.array([1.0, 2.0]), ""),
    ],
)
def test_what_makes_an_input_extreme_is_told(x, what):
    told = division([case(x=np.eye(2)), stress(x=x)], (None, Fault("the values differ", "values")))
    assert told == f"it is right on every ordinary input, and wrong on this extreme one{what}"


LENGTHS = [case(found=np.array([[1, 2]]), lens=np.array([2])), stress(found=np.eye(2, dtype=int))]


def test_only_what_no_ordinary_input_is_makes_one_extreme():
    """Whole numbers are nothing extreme where all cases have such; a length of 0 is."""
    ordinary, extreme = LENGTHS[0], LENGTHS[1]
    empty = stress(**extreme.arguments, lens=np.array([0, 2]))
    wrong = None, Fault("the values differ", "values")
    assert division([ordinary, empty], wrong).endswith("this extreme one, which has a length of 0")
    assert division([ordinary, extreme], wrong).endswith("this extreme one")
    assert "float64" in division([case(x=np.eye(2)), extreme], wrong)


def test_what_is_the_same_for_every_input_is_told():
    """Else a constant is what the solution returns for arguments that are all alike."""
    said = "; it is the same for every input\n"
    assert said in DOUBLED.verdict(lambda x: np.array([7.0])).text
    assert said not in DOUBLED.verdict(lambda x: np.array([7.0]) + (x > 2)).text
    assert said not in DOUBLED.verdict(lambda x: np.array([np.nan])).text
    told = exercises.alignment.exact_match_of.verdict(lambda *a: torch.ones((), dtype=torch.double))
    assert said in told.text and "in the place of" not in told.text


def test_an_argument_that_comes_back_is_told_before_any_slip_that_does_as_much():
    """The solution with x in the place of limit returns x as well."""
    capped = replace(
        DOUBLE,
        answer=lambda x, limit: np.where(x > limit, -x, x),
        known=tuple,
        cases=[case(x=np.array([2.0, y]), limit=3.0) for y in (4.0, 5.0)],
    )
    said = "; it is x, as it came in\n"
    assert said in capped.verdict(lambda x, limit: x).text
    assert said not in capped.verdict(lambda x, limit: np.where(x > 4.5, 2.0, x)).text


DOUBLED = replace(DOUBLE, cases=[case(x=np.array([x])) for x in (2.0, 3.0)])


def test_an_index_is_told_with_what_it_belongs_to():
    """0 in the place of 1 alone could stand anywhere in the solution."""
    exercise = exercises.alignment.exact_match_of
    (wrong,) = versions("found.shape[1] → len(found)", exercise.answer)
    told = exercise.verdict(wrong).text
    assert "does the same with found.shape[0] in the place of found.shape[1]\n" in told


PREDICTIONS = {
    "row": (0.25, 0.75),
    "number": 12,
    "weight": 0.2,
    "third": 0.3333333,
    "thirds": (1 / 3, 0.6666667, 4),
    "small": (0.001, 1),
    "tenths": (0.96, 0.42),
    "list": (1, 2, 3),
    "counts": (840, 2936, 2776),
    "three": (0.1, 0.3, 0.6),
    "table": ((1, 2), (3, 4)),
    "seven": (0, 1, 17, 18, 19, 15, 16),
    "twelve": tuple(range(12)),
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
    ("third", 0.33, "0.33 is right to two decimals: give more of them."),
    ("third", 0.34, "0.34 is too large"),
    ("thirds", (0.33, 0.6666667, 4), "0.33 is right to two decimals: give more of them."),
    ("thirds", (0.3, 0.67, 4), "0.3 is right to one decimal: give more of them."),
    ("thirds", (0.33, 0.6, 4), "the first is wrong: 0.33 is too small"),
    ("tenths", (1, 0.4), "the first is wrong: 1 is too large"),
    ("thirds", (1 / 3, 0.67, 5), "the second is wrong: 0.67"),
    ("small", (0, 1), "the first is wrong: 0 is too small"),
    ("three", (0.022, 0.196, 0.783), "the weights are too sharp, as at another temperature"),
    ("three", (0.193, 0.335, 0.473), "the weights are too even, as at another temperature"),
    ("three", (0.11, 0.3, 0.59), "the first is wrong"),
    ("table", ((1, 2), (3, 4, 5)), "the second has the length 3; expected 2"),
    ("table", 7, "expected numbers of shape (2, 2)"),
    ("list", (2, 4, 6), "each number is 2 times the right one"),
    ("table", ((-1, -2), (-3, -4)), "each number is -1 times the right one"),
    ("counts", (832, 2912, 2752), "the first is wrong: 832 is too small; none is right yet."),
    ("counts", (420, 1468, 1388), "each number is 0.5 times the right one"),
    ("list", (1, 2), "expected 3 numbers"),
    ("list", (1, 2, 3.002), "the third is wrong: 3.002 is too large; right: the first, second."),
    (
        "seven",
        (0, 1, 17, 18, 19, 15, 14),
        "the seventh is wrong: 14 is too small; 6 of 7 are right.",
    ),
    ("seven", (5, 6, 7, 8, 9, 5, 5), "the first is wrong: 5 is too large; none is right yet."),
    ("twelve", (*range(11), 20), "the one at 11 is wrong: 20 is too large; 11 of 12 are right."),
    ("list", (1, 7, 3), "the second is wrong: 7 is too large; right: the first, third."),
]


@pytest.mark.parametrize(("kind", "answer", "said"), SAID)
def test_a_wrong_prediction_hears_what_it_is_to_the_right_one(kind, answer, said):
    right = PREDICTIONS[kind]
    known = (Mistake(np.full(np.shape(right), 55), "these are all 55."),)
    exercise = like_double(Predict, known=lambda: known, answer=lambda: right)
    assert said in exercise.verdict(answer).text
    assert exercise.verdict(right).state == "right"
    assert "but got nothing" in exercise.verdict().text
    assert "but got nothing" in exercise.verdict(None).text


@pytest.mark.parametrize(
    ("name", "answer", "wrong"),
    [
        *(("fill", answer, [0.2, 0.2]) for answer in ([0.2], [[0.2]], np.array([0.2]))),
        *(("named", answer, [[8, 5, 6]]) for answer in ([[8, 6, 5]], [[8], [6], [5]])),
    ],
)
def test_brackets_around_numbers_are_no_mistake(name, answer, wrong):
    exercise = exercises.find(f"museum.{name}")
    assert exercise.verdict(answer).state == "right"
    assert exercise.verdict(wrong).state == "wrong"
