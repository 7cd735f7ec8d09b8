"""The logarithm of the weights, without the weights."""

import numpy as np

from attnbook import reference
from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import softmax as solutions
from attnbook.exercises.write import Write, case, stress

_rng = np.random.default_rng(2)


def shifted_by(shift):
    """Log-softmax with another shift than the maximum of each row."""

    def wrong(scores):
        moved = scores - shift(scores)
        return moved - np.log(np.sum(np.exp(moved), axis=-1, keepdims=True))

    return wrong


def shifted_and_guarded(shift):
    """The same, with both guards of the solution."""

    def wrong(scores):
        top = shift(scores)
        moved = scores - np.where(np.isfinite(top), top, 0)
        total = np.sum(np.exp(moved), axis=-1, keepdims=True)
        return moved - np.log(np.where(total == 0, 1, total))

    return wrong


def of_each_row(reduction):
    return lambda scores: reduction(scores, axis=-1, keepdims=True)


def without_keepdims(of_the_maximum):
    def wrong(scores):
        shifted = scores - np.max(scores, axis=-1, keepdims=of_the_maximum)
        return shifted - np.log(np.sum(np.exp(shifted), axis=-1))

    return wrong


def over_axis(axis):
    def wrong(scores):
        return np.moveaxis(solutions.log_softmax(np.moveaxis(scores, axis, -1)), -1, axis)

    return wrong


def over_everything(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    shifted = scores - np.where(np.isfinite(top), top, 0)
    return shifted - np.log(np.sum(np.exp(shifted)))


def over_everything_unguarded(scores):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted)))


def inside_alone(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    return scores - np.log(np.sum(np.exp(scores - top), axis=-1, keepdims=True))


def inside_alone_guarded(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    total = np.sum(np.exp(scores - np.where(np.isfinite(top), top, 0)), axis=-1, keepdims=True)
    return scores - np.log(np.where(total == 0, 1, total))


def log_of_naive(scores):
    exp = np.exp(scores)
    return np.log(exp / np.sum(exp, axis=-1, keepdims=True))


def log_of_weights(scores):
    return np.log(reference.softmax(scores))


def minus_lse(scores):
    return scores - reference.logsumexp(scores)[..., None]


def minus_lse_guarded(scores):
    lse = reference.logsumexp(scores)[..., None]
    return scores - np.where(lse == -np.inf, 0, lse)


def minus_maximum(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    return scores - np.where(np.isfinite(top), top, 0)


def minus_total(scores):
    """Forgets the logarithm of the sum."""
    top = np.max(scores, axis=-1, keepdims=True)
    shifted = scores - np.where(np.isfinite(top), top, 0)
    return shifted - np.sum(np.exp(shifted), axis=-1, keepdims=True)


def whole_array(scores):
    return solutions.log_softmax(scores.ravel()).reshape(scores.shape)


def opposite(scores):
    return -solutions.log_softmax(scores)


def the_weights(scores):
    return reference.softmax(scores)


_TINY = np.log([1.0, 3.0, 4.0])
_FAR = np.array([[-1000.0, -1001.0], [0.0, 1.0], [1000.0, 1001.0]])
_EMPTY = np.array([[-np.inf, -np.inf], [0.0, np.log(3.0)]])

_OTHER_SHIFTS = (
    (
        np.zeros_like,
        "the sum overflows or vanishes: subtract each row's maximum before exp.",
    ),
    (
        np.max,
        "one maximum for all rows makes the exponentials of a low row vanish: each row subtracts "
        "its own.",
    ),
    (
        of_each_row(np.min),
        "the minimum does not bound the largest score, and exp overflows: subtract the maximum.",
    ),
    (
        of_each_row(np.mean),
        "the mean does not bound the largest score, and exp overflows: subtract the maximum.",
    ),
    (
        lambda scores: np.maximum(0, of_each_row(np.max)(scores)),
        "the larger of 0 and m lets a row of very negative scores vanish: subtract m itself.",
    ),
)

log_softmax = Write(
    name="softmax.log_softmax",
    title="The logarithm of the weights",
    level="medium",
    minutes=10,
    solution_of=solutions.log_softmax,
    explanation=(
        "From $A_j = e^{s_j - m} / \\sum_l e^{s_l - m}$ follows "
        "$\\ln A_j = (s_j - m) - \\ln \\sum_l e^{s_l - m}$. The weight itself is never formed, so "
        "it cannot underflow, and the maximum is subtracted from the scores, not added to the "
        "logarithm, so nothing is rounded to the spacing of large numbers. Two guards settle the "
        "row in which all scores are −∞."
    ),
    hints=(
        "Take the logarithm of the stable quotient by hand first: the logarithm of a quotient is "
        "a difference.",
        "It is (s - m) minus ln Σ exp(s - m), each with the last axis kept (`keepdims=True`).",
        "In a row of -inf, m is -inf and the sum is 0. Subtract 0 for such an m, and take the "
        "logarithm of 1 for such a sum: two calls of np.where.",
    ),
    misconceptions=(
        *(
            Misconception(
                known, "one sum serves all rows: each row has its own, axis=-1 and keepdims=True."
            )
            for known in (over_everything, over_everything_unguarded)
        ),
        Misconception(
            lambda s: s - s.max(-1, keepdims=True) - np.log(np.exp(s).sum(-1, keepdims=True)),
            "the maximum is subtracted from the scores, not inside the sum: both need the shift.",
        ),
        Misconception(
            lambda s: s - np.log2(np.exp(s).sum(-1, keepdims=True)),
            "log2 is another logarithm: exp goes with np.log.",
        ),
        Misconception(
            lambda s: s - np.log10(np.exp(s).sum(-1, keepdims=True)),
            "log10 is another logarithm: exp goes with np.log.",
        ),
        Misconception(
            lambda s: s + np.log(np.exp(s).sum(-1, keepdims=True)),
            "the logarithm of the sum is added: of a quotient it is subtracted.",
        ),
        Misconception(
            lambda s: np.log(np.exp(s).sum(-1, keepdims=True)) + 0 * s,
            "this is L of the row, once for each score: subtract it from the scores.",
        ),
        Misconception(
            lambda s: s / np.log(np.exp(s).sum(-1, keepdims=True)),
            "the logarithm of a quotient is a difference, not a quotient.",
        ),
        Misconception(
            lambda s: s - s.mean(-1, keepdims=True),
            "the mean is subtracted: subtract the logarithm of the sum of exponentials.",
        ),
        Misconception(
            lambda s: s - s.sum(-1, keepdims=True),
            "the scores are summed: their exponentials add, and then a logarithm is due.",
        ),
        Misconception(
            lambda s: s * 1,
            "these are the scores: the logarithm of the sum is to be subtracted.",
        ),
        Misconception(
            lambda s: np.log(reference.softmax(s) + 1e-12),
            "a small number is added to the weights, so no logarithm is exact: never form them.",
        ),
        Misconception(
            log_of_weights,
            "a weight too small for a float has become 0, and its logarithm -inf: take the "
            "logarithm of the quotient by hand, so that the weight is never formed.",
        ),
        Misconception(
            log_of_naive, "exp overflows or underflows: subtract each row's maximum before it."
        ),
        *(
            Misconception(
                subtracted,
                "L carries the rounding of a large number, and so does s - L: subtract the maximum "
                "from the scores first, then the logarithm of the sum that is left.",
            )
            for subtracted in (minus_lse, minus_lse_guarded)
        ),
        Misconception(
            minus_maximum, "the logarithm of the sum is missing: the weights would not sum to 1."
        ),
        Misconception(
            minus_total, "the sum is subtracted itself: take its logarithm before you subtract it."
        ),
        Misconception(
            whole_array, "all rows share one sum: each row has its own, over the last axis."
        ),
        Misconception(
            over_axis(0), "the sum goes over the first axis: keys are the last one, axis=-1."
        ),
        Misconception(
            over_axis(1),
            "axis=1 is the last axis of a matrix only: axis=-1 is the last of any array.",
        ),
        *(
            Misconception(
                without_keepdims(of_the_maximum),
                "the sum lost its axis, and one row meets another row's number: keepdims=True.",
            )
            for of_the_maximum in (True, False)
        ),
        *(
            Misconception(shifted(shift), sentence)
            for shift, sentence in _OTHER_SHIFTS
            for shifted in (shifted_by, shifted_and_guarded)
        ),
        Misconception(
            shifted_by(of_each_row(np.max)),
            "in a row of -inf, -inf - (-inf) is NaN: subtract 0 where the maximum is -inf.",
        ),
        *(
            Misconception(
                inside,
                "the maximum is subtracted inside the exponential alone: subtract it from the "
                "score outside too, or add it to the logarithm.",
            )
            for inside in (inside_alone, inside_alone_guarded)
        ),
        Misconception(
            opposite, "the sign is turned: ln A_j is at most 0, because A_j is at most 1."
        ),
        Misconception(the_weights, "these are the weights: their logarithms are asked for."),
    ),
    notice="For (0, -1000) the second weight is 0 in a float64, and its logarithm is still exact.",
    cases=(
        case(scores=_TINY),
        case(scores=np.array([5.0])),
        case(scores=np.array([_TINY, np.log([2.0, 2.0, 4.0])])),
        case(scores=np.array([[0.0, 1.0], [2.0, -1.0]])),
        case(scores=_rng.standard_normal((2, 3, 4))),
        case(scores=_rng.standard_normal((3, 2, 1, 5))),
        case(scores=_rng.standard_normal((2, 1, 3, 2, 2))),
        stress(scores=np.array([0.0, -1000.0])),
        stress(scores=np.array([0.0, 0.0, -740.0, -1000.0])),
        stress(scores=_FAR),
        stress(scores=np.array([1e4, -1e4, 0.0])),
        stress(scores=np.array([-1e4, -1e4])),
        stress(scores=np.array([-1e300, 1e300, 1e300])),
        stress(scores=np.array([-1e300, -1e300])),
        stress(scores=np.array([0.0, -np.inf, np.log(3.0)])),
        stress(scores=_EMPTY),
        stress(scores=np.array([-np.inf])),
        stress(scores=np.array([[1, 2, 3], [900, -900, 0]])),
        stress(scores=np.float32([10_000, 10_001.1, 10_001.4])),
        stress(scores=np.float32([[0, 1, -200], [3, 3, 3]])),
        stress(scores=np.float16([[1, 2, 3], [60_000, 50_000, 60_000]])),
    ),
)
