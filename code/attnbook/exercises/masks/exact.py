"""A softmax over valid lengths in which nothing hidden has any influence."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.families import weights
from attnbook.exercises.masks import wrong_softmax as softmaxes
from attnbook.exercises.solutions import masks as solutions

_rng = np.random.default_rng(3)
_ONE = np.log([[[1.0, 3.0, 4.0]]])
_TWO = np.log([[[1.0, 3.0, 4.0]], [[2.0, 2.0, 4.0]]])
_FOUR = np.log([[[1.0, 3, 4, 8], [2, 2, 4, 8]], [[1, 1, 2, 4], [4, 1, 3, 8]]])
_LOST = [[[0.0, 1.0, np.nan], [2.0, np.inf, -np.inf]]]
_FAR = [[[0.0, 0.0, 1.0], [1e4, 1e4, 1e4 + 1]]]
_LOWEST = np.finfo(np.float64).min

_REPAIRED_TOO_LATE = (
    "the hidden scores take part in the softmax before they are removed: a high one, or a NaN, "
    "leaves nothing to divide. Hide scores before the maximum is taken."
)


def _lens(*lens):
    return np.array(lens)


masked_softmax = Write(
    name="masks.masked_softmax",
    title="Masked softmax, exactly",
    level="hard",
    minutes=13,
    solution_of=solutions.masked_softmax,
    explanation=(
        "The lengths get an axis of length 1 for the keys, for every axis of heads, and, when "
        "there is one per sequence, for the queries. A hidden score is replaced by −∞ before "
        "the maximum, so it cannot influence anything. Two guards settle the empty row: subtract "
        "0 where the maximum is −∞, and divide by 1 where the sum is 0."
    ),
    hints=(
        "The lengths given have the shape (batch, 1, …, 1, 1) or (batch, 1, …, n_q, 1): compare "
        "np.arange(n_k) with them, and the mask meets the scores.",
        "np.where(visible, scores, -np.inf) comes first, before any maximum or exponential.",
        "Where nothing is visible the maximum is -inf and the sum 0. Subtract 0 and divide by 1 "
        "there: two calls of np.where.",
    ),
    misconceptions=(
        Misconception(
            lambda s, lens=None: softmaxes.softmax_of()(-softmaxes.real(s), lens),
            "the sign of the scores is turned: the highest score should get the most weight.",
        ),
        Misconception(
            softmaxes.with_weights(lambda s, mask: weights.hidden(s, mask)),
            "these are the masked scores: their softmax is asked for.",
        ),
        Misconception(
            softmaxes.with_weights(lambda s, mask: weights.along(-1)(0 * np.nan_to_num(s), mask)),
            "every visible key gets the same weight: the scores are not used.",
        ),
        Misconception(
            softmaxes.softmax_of(lambda scores, lens: ~softmaxes.visible(scores, lens)),
            "the valid keys are hidden and the padding is shown: the polarity is inverted.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.one_too_many),
            "one key too many is visible: the keys of a length L are 0 … L - 1, so j < L.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.inverted),
            "the valid keys are hidden and the padding is shown: the polarity is inverted.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.without_queries),
            "the lengths meet the wrong axis: there is one per sequence, and (batch, n_k) beside "
            "(batch, n_q, n_k) is read as one per query. Give the queries an axis of length 1.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.without_heads),
            "with an axis of heads the lengths meet the heads: give each such axis length 1.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.in_rows),
            "queries are hidden, which are rows: a valid length hides keys, which are columns.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.at_the_end),
            "the last keys are shown: here the padding stands at the end, so j < length.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.hidden_by_none),
            "without lengths nothing is visible: None means that every key is valid.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.with_other_lengths(lambda lens: lens - 1)),
            "the last valid key is hidden: the keys of a length L are 0 … L - 1, so j < L.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.with_other_lengths(lambda lens: lens[:1] + 0 * lens)),
            "the first sequence's length is used for all: each has its own.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.with_other_lengths(lambda lens: 0 * lens + lens.max())),
            "the largest length is used for all: each sequence has its own.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.with_other_lengths(lambda lens: 0 * lens + lens.min())),
            "the smallest length is used for all: each sequence has its own.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.with_other_lengths(lambda lens: np.maximum(lens, 1))),
            "a length of 0 shows one key here: such a row sees nothing, and gets zeros.",
        ),
        Misconception(
            softmaxes.softmax_of(softmaxes.with_other_lengths(lambda lens: lens.astype(np.int8))),
            "the lengths are turned into int8, which ends at 127: keep their dtype.",
        ),
        Misconception(
            softmaxes.softmax_of(lambda scores, lens: softmaxes.visible(scores, None)),
            "the padding is visible: valid_lens is not used.",
        ),
        *(
            Misconception(
                softmaxes.softmax_of(softmaxes.of_one_kind(ndim)),
                "this holds for lengths of one kind only, one per sequence or one per query: both "
                "may come, and both need axes of length 1 for what they lack.",
            )
            for ndim in (1, 2)
        ),
        Misconception(softmaxes.softmax_of(axis=-2), weights.OVER_QUERIES),
        Misconception(
            softmaxes.not_divided,
            "the mask comes after the softmax: hidden scores stay in the denominator and the "
            "rows do not sum to 1.",
        ),
        Misconception(softmaxes.divided_again, _REPAIRED_TOO_LATE),
        Misconception(softmaxes.guarded_again, _REPAIRED_TOO_LATE),
        Misconception(softmaxes.hidden_maximum, _REPAIRED_TOO_LATE),
        Misconception(softmaxes.multiplied_and_divided, _REPAIRED_TOO_LATE),
        Misconception(softmaxes.one_hidden_maximum, _REPAIRED_TOO_LATE),
        Misconception(softmaxes.softmax_with(lambda dtype: -1e9), weights.FILL),
        Misconception(softmaxes.softmax_with(lambda dtype: np.finfo(dtype).min), weights.FILL),
        Misconception(
            softmaxes.lowered,
            "a finite number is added to the hidden scores: where nothing is visible the weights "
            "come out as if everything were. Hide with -inf, and settle the empty row yourself.",
        ),
        Misconception(
            softmaxes.softmax_with(lambda dtype: -np.inf),
            "where nothing is visible the weights are NaN, as -inf - (-inf) and 0/0 are: such a "
            "row should be zeros.",
        ),
        Misconception(
            softmaxes.mended,
            "a visible NaN became 0: to mend every NaN mends the empty row and hides every other "
            "fault. Guard the empty row alone.",
        ),
        Misconception(
            softmaxes.no_maximum,
            "exp overflows or underflows on large scores: subtract each row's maximum first.",
        ),
        Misconception(
            softmaxes.one_maximum,
            "one maximum for several rows makes the exponentials of a low row vanish: each row "
            "subtracts its own.",
        ),
        Misconception(
            softmaxes.added,
            "a hidden NaN or inf still reaches its row, as where -inf is added to it: NaN plus "
            "-inf is NaN. Replace hidden scores.",
        ),
        *(Misconception(softmaxes.with_weights(w), sentence) for w, sentence in weights.KNOWN),
        Misconception(softmaxes.with_weights(weights.even_if_empty), weights.EVEN),
    ),
    notice="No weight behind a mask is small: each is exactly 0, whatever was there, even NaN.",
    exact_zeros=True,
    cases=(
        case(scores=_ONE, valid_lens=_lens(2)),
        case(scores=_ONE, valid_lens=None),
        case(scores=np.array([[[2.0]]]), valid_lens=_lens(1)),
        case(scores=_TWO, valid_lens=_lens(2, 3)),
        case(scores=_TWO, valid_lens=_lens(0, 2)),
        case(scores=_ONE, valid_lens=_lens(0)),
        case(scores=np.swapaxes(_TWO, 0, 1), valid_lens=_lens([1, 3])),
        case(scores=_FOUR, valid_lens=_lens(2, 3)),
        case(scores=_FOUR, valid_lens=_lens([1, 3], [2, 4])),
        case(scores=_FOUR),
        case(scores=np.array([[[0.0, -20.0, 1.0]]]), valid_lens=_lens(2)),
        case(scores=_rng.standard_normal((3, 2, 5)), valid_lens=_lens(5, 1, 3)),
        case(scores=_rng.standard_normal((3, 2, 5)), valid_lens=_lens([5, 0], [1, 3], [2, 4])),
        case(scores=_rng.standard_normal((2, 3, 2, 4)), valid_lens=_lens(1, 3)),
        case(scores=_rng.standard_normal((2, 2, 3, 5)), valid_lens=_lens([1, 0, 5], [4, 2, 3])),
        case(scores=_rng.standard_normal((2, 1, 3, 4, 6)), valid_lens=_lens(6, 2)),
        case(scores=_rng.standard_normal((2, 3, 1, 4)), valid_lens=None),
        stress(scores=_rng.standard_normal((2, 1, 200)), valid_lens=_lens(150, 3)),
        stress(scores=np.array(_LOST), valid_lens=_lens([2, 1])),
        stress(scores=np.array([[[1.0, 2.0, 1e300]]]), valid_lens=_lens(2)),
        stress(scores=np.array(_FAR), valid_lens=_lens(3)),
        stress(scores=np.array([[[-1e4, 1 - 1e4, -2e4]]]), valid_lens=_lens(2)),
        stress(scores=np.array([[[-3e9, -4e9, -5e9]]]), valid_lens=_lens(1)),
        stress(scores=np.full((1, 1, 3), _LOWEST), valid_lens=_lens(1)),
        stress(scores=np.array([[[0.0, np.nan]]]), valid_lens=None),
        stress(scores=np.array([[[-np.inf, -np.inf, 1.0]]]), valid_lens=_lens(2)),
        stress(scores=np.array([[[1, 2, 3]], [[4, 4, 0]]]), valid_lens=_lens(2, 3)),
        stress(scores=np.array([[[100, -100, 3]]], np.int8), valid_lens=_lens(2)),
        stress(scores=np.array([[[1, 2, 3]]], np.uint8), valid_lens=_lens(3)),
        stress(scores=np.float32(_TWO), valid_lens=_lens(1, 3)),
        stress(scores=np.float16(_TWO), valid_lens=_lens(2, 3)),
        stress(scores=np.float16([[[6e4, 6e4, -6e4]]]), valid_lens=_lens(3)),
        stress(scores=_FOUR, valid_lens=_lens(0, 4).astype(np.int32)),
        stress(scores=_FOUR, valid_lens=_lens(0, 4).astype(np.uint8)),
    ),
)
