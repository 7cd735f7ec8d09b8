"""Which cause a check names for a wrong answer, and where it names none."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from double import DOUBLE, like_double, text

from attnbook import exercises
from attnbook.exercises.chapters.dot_product import scaled_dot_product_attention as attention
from attnbook.exercises.chapters.three_ways.first_moved import in_steps
from attnbook.exercises.engine.breaks import Break
from attnbook.exercises.engine.edits import versions
from attnbook.exercises.engine.exercise import Mistake
from attnbook.exercises.engine.predicts import Predict
from attnbook.exercises.engine.writes import case, stress


def test_a_misconception_comes_with_the_smallest_input_that_shows_it():
    assert text(lambda x: x * x).split("\n") == [
        "Not yet: that is the square.",
        "  input     x = [3.]",
        "  expected  [6.]",
        "  got       [9.]",
    ]


def test_a_mistake_that_only_resembles_a_misconception_is_not_called_one():
    assert "square" not in text(lambda x: x**2 + (x > 2.5))


def test_the_same_error_is_known_with_its_shapes_in_another_order():
    pair = replace(
        DOUBLE,
        answer=lambda x, y: x + y.sum(),
        known=lambda: (Mistake(lambda x, y: x + y, "they have other shapes."),),
        cases=(case(x=np.ones(2), y=np.ones(3)),),
    )
    for answer, known in ((lambda x, y: y + x, True), (lambda x, y: y + x[0, 0], False)):
        assert ("they have other shapes" in pair.verdict(answer).text) == known


def test_who_changes_nothing_is_not_said_to_change_an_argument():
    def square_in_place(x):
        x **= 2
        return x

    known = (Mistake(square_in_place, "the argument is changed."),)
    in_place = replace(DOUBLE, known=lambda: known)
    assert "the argument is changed" in in_place.verdict(square_in_place).text
    assert "the argument is changed" not in in_place.verdict(lambda x: x**2).text


def test_a_misconception_is_named_though_an_extreme_input_fails_for_a_second_reason():
    def square_in_single_precision(x):
        return (x.astype(np.float32) ** 2).astype(np.float64)

    extreme = replace(DOUBLE, cases=(*DOUBLE.cases, stress(x=np.array([1e300]))))
    assert "that is the square" in extreme.verdict(square_in_single_precision).text
    assert "that is the square" not in extreme.verdict(lambda x: 2 * x % 1e300).text


def test_a_misconception_is_named_though_another_input_comes_back_in_another_dtype():
    low = case(x=np.zeros(2, np.float32))
    twice = replace(DOUBLE, cases=(*DOUBLE.cases, low))
    assert "that is the square" in twice.verdict(lambda x: x.astype(float) ** 2).text
    assert "that is the square" not in twice.verdict(lambda x: np.float64(2) * x.astype(float)).text
    assert "that is the square" not in twice.verdict(lambda x: x**2 + (x == 0)).text


def test_a_misconception_that_only_extremes_show_must_explain_all_that_fails():
    capped = Mistake(lambda x: np.minimum(2 * x, 1e200), "there is no such limit.")
    extremes = (stress(x=np.array([1e300])), stress(x=np.array([-1e300])))
    extreme = replace(DOUBLE, known=lambda: (capped,), cases=(*DOUBLE.cases, *extremes))
    assert "no such limit" in extreme.verdict(capped.answer).text
    assert "no such limit" not in extreme.verdict(lambda x: np.clip(2 * x, -1e200, 1e200)).text


def test_an_input_breaks_by_its_numbers_and_not_by_its_dtype():
    fails_above_ten = like_double(
        Break,
        known=tuple,
        broken=lambda x: np.float64(1) * x,
        right=lambda x: x + (x > 10),
        allowed=lambda x: None,
    )
    assert fails_above_ten.verdict(np.float32([1, 2])).state == "wrong"
    assert fails_above_ten.verdict([1.0, 20.0]).state == "right"


def test_sums_that_differ_in_their_last_digit_differ():
    unordered = exercises.machine_code.unordered
    right = unordered.verdict([1, 2**-24, 2**-24])
    assert right.state == "right"
    assert "wrong version  1.00000011921" in right.text
    assert unordered.verdict([1e-20, 5e-28, 5e-28]).state == "right"
    assert "the same is lost from both ends" in unordered.verdict([1e8, 1, -1e8]).text
    assert "nothing is lost" in unordered.verdict([0.5, 0.25, 0.125]).text


def test_where_both_results_look_the_same_the_first_difference_is_shown():
    text = exercises.triton.next_row.verdict([[0, 0, 0], [-14, 0, 0]]).text
    assert "first          at [0, 0]: expected 0.333333333333, got 0.3333332" in text


def test_fractions_and_several_numbers_are_an_answer():
    answer = Fraction(1, 26), Fraction(9, 26), Fraction(16, 26)
    assert exercises.temperature.colder.verdict(list(answer)).state == "right"
    assert exercises.temperature.colder.verdict(*answer).state == "right"
    assert exercises.temperature.colder.verdict(*reversed(answer)).state == "wrong"
    assert exercises.weighted_average.not_a_lookup.verdict(Fraction(5, 2)).state == "right"
    assert exercises.weighted_average.not_a_lookup.verdict(10**400).state == "wrong"
    for one in ([1.5], np.array([[2.5]])):
        assert exercises.weighted_average.not_a_lookup.verdict(one).state == "right"


ONCE_PASSED = {
    "items of a batch look at each other": (
        "dot_product.scaled_dot_product_attention",
        attention.all_items_at_once,
    ),
    "lengths of a softmax in int8": (
        "masks.masked_softmax",
        lambda scores, valid_lens=None: exercises.masks.masked_softmax.answer(
            scores, None if valid_lens is None else valid_lens.astype(np.int8)
        ),
    ),
    "lengths of cross-attention in int8": (
        "three_ways.cross_attention",
        lambda *inputs: exercises.three_ways.cross_attention.answer(
            *inputs[:-1], inputs[-1].astype(np.int8)
        ),
    ),
    "positions in the dtype of the lengths": (
        "masks.left_padding_mask",
        lambda lens, n: np.arange(n).astype(lens.dtype) >= (n - lens.astype(int))[..., None],
    ),
    "float32 on the way to float64": (
        "machine_code.clocks",
        lambda counts, warps: exercises.machine_code.clocks.answer(
            counts.astype(np.float32), np.float32(warps)
        ).astype(float),
    ),
    "an end in whole blocks, of keys that end before": (
        "triton.phases",
        lambda start, B, n_q, n_k: (
            exercises.triton.phases.answer(start, B, n_q, n_k)[0],
            max(0, min(n_k, -(-(min(start + B, n_q) + n_k - n_q) // B) * B)),
        ),
    ),
    "a seed": (
        "three_ways.first_moved",
        *versions("noise(x) → np.random.default_rng(7).normal(size=x[t].size)", in_steps),
    ),
}


@pytest.mark.parametrize("case", ONCE_PASSED)
def test_what_ordinary_inputs_do_not_show_is_found(case):
    name, answer = ONCE_PASSED[case]
    assert exercises.find(name).verdict(answer).state == "wrong"


def rotate_half(x, positions, theta):
    angles = np.tile(positions[:, None] * theta, 2)
    a, b = np.split(x, 2, axis=-1)
    turned = x * np.cos(angles) + np.concatenate([-b, a], axis=-1) * np.sin(angles)
    return turned.astype(x.dtype if x.dtype.kind == "f" else np.float64)


def in_float64(q, k, v):
    scores = q.double() @ k.double().mT * q.shape[-1] ** -0.5
    return (torch.softmax(scores, dim=-1) @ v.double()).to(q.dtype)


def divided_last(q, k, v):
    scores = q.float() @ k.float().mT * q.shape[-1] ** -0.5
    exp = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return (exp @ v.float() / exp.sum(dim=-1, keepdim=True)).to(q.dtype)


RIGHT = {
    "positions.rope_halves": [rotate_half],
    "libraries.cleaned": [
        lambda x, mask: torch.where(mask.to(torch.uint8).amax(-2)[..., None] > 0, x, 0)
    ],
    "error_budget.rounds_once": [
        in_float64,
        divided_last,
        lambda q, k, v: F.scaled_dot_product_attention(q.float(), k.float(), v.float()).to(q.dtype),
    ],
    "machine_code.clocks": [
        lambda counts, warps: warps * counts.astype(float) * [1, 32, 32, 1] / [4096, 16, 128, 4]
    ],
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_in_other_words_is_accepted(name):
    for answer in RIGHT[name]:
        verdict = exercises.find(name).verdict(answer)
        assert verdict.state == "right", verdict.text


def test_several_results_are_called_by_their_names():
    step = exercises.online.step
    told = step.verdict(lambda *given: (*step.answer(*given)[:2], given[2] * 0)).text
    assert "Not yet: o: the values differ" in told and "expected  m [" in told
    assert "got       m [" in told


def test_a_chance_that_is_nearly_right_is_wrong():
    assert exercises.modules.dropout.verdict([3, 3, 4, 1 / 15]).state == "wrong"
    assert exercises.modules.dropout.verdict([3, 3, 4, 0.06]).state == "right"


def test_lengths_of_a_small_dtype_meet_many_keys():
    mask = exercises.masks.left_padding_mask.answer(np.array([255], np.uint8), 300)
    assert mask.sum() == 255 and mask[0, -255:].all()


def test_a_common_mistake_is_named_though_it_meets_extremes_better_than_the_known_one():
    twice = replace(
        DOUBLE,
        known=lambda: (Mistake(lambda x: x.astype(float) ** 2, "that is the square."),),
        cases=(*DOUBLE.cases[1:], stress(x=np.array([1e200]))),
    )
    answer = lambda x: 2 * x if x.max() > 1e100 else x**2  # noqa: E731
    assert "that is the square" in twice.verdict(answer).text
    rare = replace(twice, cases=(*(case(x=np.array([2.0])),) * 3, *twice.cases[1:]))
    assert "that is the square" not in rare.verdict(answer).text


def test_two_explanations_that_fit_alike_are_none():
    other = Mistake(lambda x: np.where(x > 1e100, 5, x * x), "that is something else.")
    first = Mistake(lambda x: x**2, "that is the square.")
    twice = replace(
        DOUBLE,
        known=lambda: (first, other),
        cases=(*DOUBLE.cases[1:], stress(x=np.array([1e200]))),
    )
    told = twice.verdict(lambda x: 2 * x if x.max() > 1e100 else x**2).text
    assert "square" not in told and "something else" not in told


def test_a_known_mistake_is_named_for_its_two_decimals_and_for_nothing_as_near():
    toy_keys = exercises.dot_product.toy_keys
    assert "divided by d_k = 2" in toy_keys.verdict([0.73, 0.27]).text
    assert "divided by d_k = 2" not in toy_keys.verdict([0.75, 0.25]).text
    fill = exercises.museum.fill
    assert "counts one hidden key alone" in fill.verdict(0.33).text
    assert "0.336 is too large" in fill.verdict(0.336).text


def test_what_the_wrong_version_raises_is_told():
    more = {"known": tuple, "allowed": lambda x: None, "right": lambda x: 1}
    told = like_double(Break, **more, broken=lambda x: 1 // int(x)).verdict(0).text
    assert told.endswith("  it raises ZeroDivisionError: integer division or modulo by zero")


def test_a_known_mistake_is_found_beside_others():
    rows = exercises.three_ways.rows_that_move
    assert "in the second case row 2 moves as well" in rows.verdict([6, 3, 1, 4, 99]).text


def test_a_number_that_is_right_is_no_sign_of_a_mistake_that_is_near_it():
    known = (Mistake([1, 2.008], "the second is from another table."),)
    exercise = like_double(Predict, known=lambda: known, answer=lambda: [1, 2], atol=0.006)
    assert exercise.verdict([1, 2.004]).state == "right"
    assert "another table" in exercise.verdict([7, 2.009]).text
    assert "the first is wrong: 7" in exercise.verdict([7, 2.004]).text


def test_of_several_known_mistakes_the_one_that_explains_most_is_named():
    known = [([9, 2, 3, 4], "one is wrong."), ([9, 8, 3, 4], "two are wrong.")]
    for order in (known, known[::-1]):
        mistakes = [Mistake(*each) for each in order]
        exercise = like_double(Predict, known=lambda m=mistakes: m, answer=lambda: [1, 2, 3, 4])
        assert "two are wrong" in exercise.verdict([9, 8, 3, 77]).text
        assert "one is wrong" in exercise.verdict([9, 2, 3, 77]).text


def test_an_exercise_that_could_not_refuse_anything_is_no_exercise():
    with pytest.raises(ValueError, match="has no cases, so every answer would be"):
        replace(DOUBLE, cases=())
    with pytest.raises(ValueError, match="None; expected a function"):
        like_double(Break, broken=abs, right=abs, allowed=None)


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("gradients.another_row", [[4, 0, 1], [12, -10, -2]], "that is weight times value"),
        ("linear.states", [[5, 6], [7, 6], [5, 6]], "the plain sum overwrites nothing"),
        ("heads.counts", [768, 64, 1_572_864, 64, 1024], "768 is the width of the model"),
        ("heads.two_averages", [22, 10, 1], "the two averages are exchanged"),
    ],
)
def test_of_parts_that_are_wrong_the_first_is_named_or_what_makes_most_of_them(name, answer, said):
    """A later part may have more wrong numbers: a reader still mends from the first."""
    assert exercises.find(name).verdict(answer).text.startswith(f"Not yet: {said}")


def test_unsigned_inputs_and_a_stub_among_inputs():
    smaller = like_double(
        Break,
        known=tuple,
        broken=lambda x, y: np.abs(x - y),
        right=lambda x, y: x - y,
        allowed=lambda x, y: None,
    )
    assert smaller.verdict(np.array([3], np.uint8), np.array([1], np.uint8)).state == "wrong"
    assert "[-2]" in smaller.verdict(np.array([1], np.uint8), np.array([3], np.uint8)).text
    assert smaller.verdict([1], ...).state == "open"
    assert "the number of inputs given is 0" in smaller.verdict().text
    huge = np.broadcast_to(np.ones(1), (10**9, 10**3))
    assert "far too large" in smaller.verdict(huge, [1]).text


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        (exercises.roofline.two_roofs, (1e3, 4096 / 512)),
        (exercises.many_gpus.shared_heads, (1e4, 32, 8)),
        (exercises.fused.after_cut, (64, 64, 32)),
        (exercises.flex_attention.late_cap, ([1, 0, 1], 0.01)),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_an_input_that_breaks_is_taken_in_any_of_its_forms(exercise, answer):
    assert exercise.verdict(*answer).state == "right"


def test_a_tie_of_two_roofs_is_no_wrong_answer():
    assert "equally long" in exercises.roofline.two_roofs.verdict(40, 64).text
    assert exercises.roofline.two_roofs.verdict(40, 8).state == "right"


def test_several_slips_that_give_one_number_share_a_sentence():
    assert "3.5 d wide, not 4" in exercises.cost.overtakes.verdict(14.5 * 4096).text
    assert "all ranks" in exercises.many_gpus.bytes_sent.verdict(3840).text
    assert "sum to 36" not in exercises.flex_attention.document_blocks.verdict([15, 6, 15]).text


def slopes(first, second):
    return [list(np.array([5, 3, 4]) - slope * np.array([16, 0, 32])) for slope in (first, second)]


KEYS, LOOKUP = "dot_product.toy_keys", "weighted_average.not_a_lookup"
TYPED = [  # an exercise, a wrong answer, and the beginning of what it must hear
    ("positions.two_slopes", slopes(1 / 8, 1 / 8), "both heads have the same slope"),
    ("positions.two_slopes", slopes(1 / 8, 1 / 4), "the first slope is 1/8 here"),
    ("positions.two_slopes", slopes(1 / 32, 1 / 4), "the second slope is 1/4 here"),
    ("positions.two_slopes", slopes(1 / 16, 1 / 8), "the first slope is 1/16 here"),
    ("positions.two_slopes", slopes(1 / 16, 1 / 32), "the first slope is 1/16 here"),
    ("positions.two_slopes", slopes(1 / 8, 1 / 16), "the first slope is 1/8 here"),
    ("positions.two_slopes", [[1, 3, 0], [3, 3, 0]], "the second slope is 1/8 here"),
    ("positions.two_slopes", [[3, 3, 0], [4, 3, 0]], "the first slope is 1/8 here"),
    ("positions.two_slopes", [[4, 0, 8], [2, 0, 4]], "of the rows, the first is wrong"),
    *((KEYS, x, "of the numbers, the first is wrong") for x in ((0.81, 0.27), (0.799, 0.274))),
    (KEYS, (0.67, 0.12), "these are the weights for the query (1, 0)"),
    (KEYS, (0.67, 0.27), "the first is a weight of the softmax, for the query (1, 1)"),
    *(
        (KEYS, x, "these are the weights of the key that stays")
        for x in ((0.12, 0.73), (0.73, 0.2))
    ),
    ("transformer.missing", [np.inf] * 5, "of the numbers, the first is wrong: inf is too large"),
    (LOOKUP, 1.495, "here the two differ by 7.71e-22: find"),
    (LOOKUP, 1.502, "here the two differ by 8.24e-09: find"),
    *((LOOKUP, x, "the query must be one number from −10 to 10") for x in (1e7, 11, [1.5, 2.5])),
    *((LOOKUP, x, "at a key itself") for x in (2.0, [2.0], [[2]])),
]


@pytest.mark.parametrize(("name", "answer", "sentence"), TYPED)
def test_what_was_typed_hears_a_cause_that_explains_it(name, answer, sentence):
    text = exercises.find(name).verdict(answer).text
    assert text.startswith(f"Not yet: {sentence}"), text
