"""A softmax whose gradient is finite, whatever the mask hides."""

import numpy as np
import torch

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.tensors import differentiated
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import twins as solutions
from attnbook.exercises.twins import wrong_softmax as w

_rng = np.random.default_rng(11)


def _with_empty(shape, dtype=np.float64):
    """Scores, and a random mask with one empty row."""
    mask = _rng.random(shape) < 0.6
    mask[..., 0, :] = False
    return {"scores": _rng.standard_normal(shape).astype(dtype), "mask": mask}


def _row(scores, mask, dtype=np.float64):
    return {"scores": np.array(scores, dtype), "mask": np.array(mask, bool)}


INFINITE_BIAS = w.with_bias(lambda dtype: -torch.inf)
FILLS = (w.lowest, w.at(-1e9), w.at(-1e9, -6e4), w.at(-1e9, -1e4), w.at(-1e4), w.at(-100.0))
SHIFTS = (w.unshifted, w.by_largest, w.by_constant)
TIMES_MASK = (*map(w.times_mask_after, SHIFTS), w.softmax_times_mask)
TOO_LATE = (*TIMES_MASK, *map(w.zero_after, SHIFTS), *map(w.hidden_after, SHIFTS[1:]))


def named(sentence, *wrong_versions):
    return (Misconception(wrong, sentence) for wrong in wrong_versions)


def along(dim):
    return w.over(dim), w.weights_of(w.hidden, dim), w.chosen(w.weights_of(w.hidden, dim))


_TINY = np.log([1.0, 3.0, 4.0])

softmax = Write(
    name="twins.softmax",
    title="A softmax with a finite gradient",
    level="medium",
    minutes=10,
    solution_of=solutions.softmax,
    through=differentiated,
    exact_zeros=True,
    explanation=(
        "The softmax of an empty row is NaN, and so is its slope. The outer `torch.where` keeps "
        "the NaN out of the weights, and the inner one keeps it out of the gradient: backward it "
        "gives 0 to each score that it replaced. It selects and never multiplies, so no 0 meets a "
        "NaN. Hidden scores are replaced before the exponential, so none of them overflows."
    ),
    hints=(
        "torch.softmax subtracts the maximum and divides. What has to be done to hidden scores "
        "before it, and to hidden weights after it?",
        "torch.where selects, forward and backward: what it replaced gets the gradient 0.",
        "Replace hidden scores by -torch.inf before the softmax, and hidden weights by 0 after it.",
    ),
    misconceptions=(
        *named(
            "an empty row is NaN: its weights have to be replaced by 0.",
            w.weights_of(w.hidden),
            w.quotient(w.zero_after(w.by_largest), w.itself),
        ),
        *named(
            "an empty row becomes uniform: a finite fill is a score like any other, and the row "
            "sees what it must not.",
            *(w.weights_of(w.filled(fill)) for fill in FILLS),
        ),
        *named(
            "an empty row becomes uniform: its weights have to be replaced by 0.",
            w.weights_of(w.uniform_if_empty),
        ),
        *named(
            "the weights of an empty row are mended, and its gradient is NaN: the NaN inside goes "
            "backward through the sum. Replace scores with torch.where, and add nothing.",
            w.mended(w.weights_of(INFINITE_BIAS)),
            w.chosen(w.weights_of(INFINITE_BIAS)),
        ),
        *named(
            "the weights are right, and the gradient is not: a hidden score overflows in exp, and "
            "backward 0 · ∞ is NaN. Hide before exp.",
            w.quotient(w.shifted_after_exp, w.one_if_empty),
            w.quotient(w.shifted_after_exp, w.at_least(1e-6)),
        ),
        *named(
            "a visible score at or below the fill loses to it: only −∞ is below every score.",
            *(w.chosen(w.weights_of(w.filled(fill))) for fill in FILLS),
        ),
        *named(
            "a hidden score becomes 0, and e^0 = 1 takes part: only −∞ is absent.",
            *(mend(w.weights_of(w.times_mask)) for mend in (w.itself, w.chosen)),
            *(mend(w.weights_of(w.filled(w.at(0.0)))) for mend in (w.itself, w.chosen)),
        ),
        *named(
            "the mask is added: 1 more for a visible score favours it and hides nothing.",
            w.weights_of(w.plus_mask),
        ),
        *named(
            "the mask is never used.",
            lambda scores, mask: torch.softmax(scores, dim=-1),
        ),
        *named(
            "the hidden keys are still in the denominator: hide before the softmax.",
            w.softmax_set_to_zero,
        ),
        *named(
            "the small number in the denominator takes part in every row: divide by the sum "
            "itself, and by 1 where it is 0.",
            *(
                w.quotient(exp, w.plus(small))
                for exp in (w.shifted, *TOO_LATE)
                for small in (1e-8, 1e-9)
            ),
        ),
        *named(
            "a hidden score that is huge or NaN takes part, in exp or in a maximum, before it is "
            "set aside: hide it first.",
            *(
                w.quotient(exp, divisor)
                for exp in TOO_LATE
                for divisor in (w.one_if_empty, w.at_least(1e-9))
            ),
        ),
        *named(
            "the weights of an empty row are 0 / 0, which is NaN, and goes on in the gradient: "
            "hide before exp, and divide by 1 where the sum is 0.",
            *(w.quotient(exp, w.itself) for exp in TIMES_MASK),
            *(w.mended(w.quotient(exp, w.itself)) for exp in TIMES_MASK[1::2]),
            *(w.chosen(w.quotient(exp, w.itself)) for exp in TIMES_MASK[1::2]),
        ),
        *named(
            "0 · (−∞) is NaN, where a visible score should stay as it is: select with torch.where.",
            w.weights_of(w.times_minus_infinity),
            w.mended(w.weights_of(w.times_minus_infinity)),
            w.chosen(w.weights_of(w.times_minus_infinity)),
        ),
        *named(
            "a finite number is added to hidden scores, and an empty row sees what it must not: "
            "replace scores and weights with torch.where.",
            *(w.weights_of(w.with_bias(fill)) for fill in FILLS),
        ),
        *named(
            "a hidden score is still there under what is added to it: 1e300 − 1e9 is huge, and "
            "NaN stays NaN. Replace hidden scores with torch.where.",
            *(w.chosen(w.weights_of(w.with_bias(fill))) for fill in FILLS),
        ),
        *named(
            "−∞ is added, and a hidden NaN or ∞ stays NaN: replace hidden scores with torch.where.",
            w.chosen(w.weights_of(w.empty_rows_at_zero)),
        ),
        *named(
            "−∞ is added: an empty row is NaN, and a hidden NaN or ∞ stays NaN. Replace "
            "hidden scores, and then hidden weights, with torch.where.",
            w.weights_of(INFINITE_BIAS),
        ),
        *named(
            "the polarity is inverted: True = may look.",
            lambda scores, mask: solutions.softmax(scores, ~mask),
            lambda scores, mask: w.weights_of(w.hidden)(scores, ~mask),
        ),
        *named(
            "autograd has no record that leads from the weights to the scores: they were detached, "
            "or the weights were made without them.",
            w.without_record,
        ),
        *named(
            "the weights are right, and the gradient is not: the sum was detached, and it changes "
            "with every score.",
            w.quotient(w.shifted, w.detached),
        ),
        *named(
            "exp overflows or underflows: subtract each row's largest visible score.",
            w.quotient(w.exp_of_hidden, w.one_if_empty),
            w.quotient(w.exp_of_hidden, w.at_least(1e-9)),
            w.chosen(w.quotient(w.exp_of_hidden, w.itself)),
        ),
        *named(
            "the maximum is taken with 0 for hidden scores, and visible ones far below 0 "
            "underflow: −∞ is below every score.",
            w.quotient(w.shifted_from_zero, w.one_if_empty),
        ),
        *named(
            "each row is shifted by its first score, and a larger one overflows: subtract the "
            "largest visible score.",
            w.quotient(w.shifted_by_first, w.one_if_empty),
        ),
        *named(
            "all rows share one maximum, and low rows underflow: one per row.",
            w.quotient(w.shifted_together, w.one_if_empty),
        ),
        *named("the softmax runs over the first dimension: keys are the last.", *along(0)),
        *named("the softmax runs over the queries: keys are the last dimension.", *along(-2)),
        *named(
            "dim=1 is the last dimension of a matrix only: dim=-1 is the last of any.", *along(1)
        ),
        *named("no dim is given, and PyTorch guesses one: say dim=-1.", w.over_a_guess),
        *named(
            "the result is float64 whatever came in: return the dtype of the scores.",
            w.in_dtype(torch.float64),
        ),
        *named(
            "the result is float32 whatever came in: return the dtype of the scores.",
            w.in_dtype(torch.float32),
        ),
        *named(
            "the weights are computed in float32 on the way, and float64 loses half its digits.",
            w.by_way_of(torch.float32),
        ),
        *named("this is NumPy's array: a tensor is asked for.", w.in_numpy),
    ),
    notice="What is hidden is replaced and never multiplied, before the softmax and after it.",
    cases=(
        case(**_row([_TINY], [[1, 1, 0]])),
        case(**_row([_TINY, _TINY], [[1, 1, 0], [0, 0, 0]])),
        case(**_row(_TINY, [1, 0, 1])),
        case(**_row([5.0], [1])),
        case(**_row([[0.0, 0.0], [0.0, 2.0]], [[1, 1], [0, 1]])),
        case(**_with_empty((3, 4))),
        case(**_with_empty((2, 3, 5))),
        case(**_with_empty((2, 3, 2, 4))),
        case(scores=_rng.standard_normal((2, 3, 4)), mask=np.array([[True, True, False, True]])),
        case(scores=_rng.standard_normal((2, 3, 4)), mask=np.arange(12).reshape(3, 4) > 3),
        case(scores=_rng.standard_normal((3, 4)), mask=np.array([True, False, True, True])),
        case(scores=_rng.standard_normal((2, 3, 4)), mask=np.array([[[True]], [[False]]])),
        stress(**_row([0.0, 800.0], [1, 0])),
        stress(**_row([[0.0, 800.0], [800.0, 0.0]], [[1, 1], [1, 1]])),
        stress(**_row([-81.0, -80.0, 0.0], [1, 1, 0])),
        stress(**_row([-901.0, -900.0, 0.0], [1, 1, 0])),
        stress(**_row([[0.0, 1.0, 1e300], [2.0, 0.0, 900.0]], [[1, 1, 0], [0, 1, 0]])),
        stress(**_row([1e4, -1e4, 1e4], [1, 1, 0])),
        stress(**_row([[-1e4, -9999.0], [1e4, 9999.0]], [[1, 1], [1, 1]])),
        stress(**_row([-1e300, -1e300], [1, 1])),
        stress(**_row([np.finfo(float).min, np.finfo(float).min, 0.0], [1, 1, 0])),
        stress(**_row([-2e4, -2e4, 0.0], [1, 1, 0])),
        stress(**_row([-1e300, -1e300, 0.0], [1, 1, 0])),
        stress(**_row([1.0, np.nan, 0.0], [1, 0, 1])),
        stress(**_row([1.0, np.inf, 0.0, -np.inf], [1, 0, 1, 0])),
        stress(**_row([[np.nan, np.inf]], [[0, 0]])),
        stress(**_with_empty((2, 3, 4), np.float32)),
        stress(**_row([[1, 200, 2], [1, 2, 3]], [[1, 0, 1], [0, 0, 0]], np.float32)),
        stress(**_with_empty((2, 3, 4), np.float16)),
        stress(**_row([[1, 60_000, 2], [1, 2, 3]], [[1, 0, 1], [0, 0, 0]], np.float16)),
    ),
)
