"""Log-sum-exp of the first one, two, three … scores."""

import numpy as np

from attnbook import reference
from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import softmax as solutions
from attnbook.exercises.write import Write, case, stress

_rng = np.random.default_rng(2)


def log_of_cumsum(scores):
    return np.log(np.cumsum(np.exp(scores), axis=-1))


def last_maximum(scores):
    """Shifts every prefix by the maximum of the whole row."""
    top = np.max(scores, axis=-1, keepdims=True)
    return top + np.log(np.cumsum(np.exp(scores - top), axis=-1))


def last_maximum_guarded(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    shift = np.where(np.isfinite(top), top, 0)
    return shift + np.log(np.cumsum(np.exp(scores - shift), axis=-1))


def mixed_maxima(scores):
    """Adds up terms that were shifted by different maxima."""
    top = np.maximum.accumulate(scores, axis=-1)
    shift = np.where(np.isfinite(top), top, 0)
    return shift + np.log(np.cumsum(np.exp(scores - shift), axis=-1))


def one_too_few(scores):
    running = solutions.running_logsumexp(scores)
    first = np.full_like(running[..., :1], -np.inf)
    return np.concatenate([first, running[..., :-1]], axis=-1)


def from_the_end(scores):
    return solutions.running_logsumexp(scores[..., ::-1])[..., ::-1]


def running_maximum(scores):
    return np.maximum.accumulate(scores, axis=-1)


def running_sum(scores):
    return np.cumsum(scores, axis=-1)


def whole_row(scores):
    total = reference.logsumexp(scores)[..., None]
    return np.broadcast_to(total, scores.shape)


def only_the_last(scores):
    return reference.logsumexp(scores)


def over_axis(axis):
    def wrong(scores):
        return np.logaddexp.accumulate(scores, axis=axis)

    return wrong


def flattened(scores):
    return solutions.running_logsumexp(scores.ravel()).reshape(scores.shape)


def neighbours(scores):
    """Merges each score with the one before it only."""
    pairs = np.logaddexp(scores[..., 1:], scores[..., :-1])
    return np.concatenate([scores[..., :1], pairs], axis=-1)


_TINY = np.log([1.0, 3.0, 4.0])

running_logsumexp = Write(
    name="softmax.running_logsumexp",
    title="A running log-sum-exp",
    level="medium",
    minutes=10,
    solution_of=solutions.running_logsumexp,
    explanation=(
        "$L_{0 \\ldots j} = \\ln(e^{L_{0 \\ldots j-1}} + e^{s_j})$: each score is merged into what "
        "came before it, as in the section on two blocks. `accumulate` of a NumPy function applies "
        "it in this way along an axis. `np.logaddexp` shifts each pair by its own larger "
        "number, so no prefix depends on a score that comes later."
    ),
    hints=(
        "The first entry is the first score. How does each entry follow from the one before it "
        "and one new score?",
        "Merge with np.logaddexp(previous, score), in a loop over the last axis.",
        "NumPy's two-argument functions have a method accumulate(array, axis=...) for such loops.",
    ),
    misconceptions=(
        Misconception(
            lambda s: np.cumsum(np.exp(s), axis=-1),
            "these are the running sums of exponentials: their logarithm is due.",
        ),
        Misconception(
            lambda s: np.log(np.cumsum(s, axis=-1)),
            "the scores are added: exponentiate before the sum.",
        ),
        Misconception(
            lambda s: np.logaddexp.accumulate(np.exp(s), axis=-1),
            "np.logaddexp exponentiates already: give it the scores.",
        ),
        Misconception(
            lambda s: np.logaddexp.accumulate(s[..., ::-1], axis=-1),
            "the sums start at the last score: entry j is about the scores 0 to j.",
        ),
        Misconception(
            lambda s: np.log(np.cumsum(np.exp(s), -1) / np.arange(1, s.shape[-1] + 1)),
            "this is the logarithm of a mean: the sum is not divided.",
        ),
        Misconception(
            log_of_cumsum,
            "exp overflows or underflows: merge logarithms with np.logaddexp instead.",
        ),
        *(
            Misconception(
                shifted,
                "the maximum of the whole row comes later, and below it the first sums vanish: an "
                "entry may use only the scores up to its own.",
            )
            for shifted in (last_maximum, last_maximum_guarded)
        ),
        Misconception(
            mixed_maxima,
            "terms that were shifted by different maxima are added up: when the maximum rises, "
            "the sum so far has to be shifted again.",
        ),
        Misconception(
            one_too_few, "each entry is one score behind: entry j includes the score j itself."
        ),
        Misconception(
            from_the_end, "the sums start at the last score: entry j is about the scores 0 to j."
        ),
        Misconception(
            lambda s: np.logaddexp2.accumulate(s, axis=-1),
            "np.logaddexp2 takes powers of 2 and their logarithm: e goes with np.logaddexp.",
        ),
        Misconception(
            running_maximum, "that is the running maximum: the logarithm of the sum is missing."
        ),
        Misconception(
            running_sum, "the scores themselves are added: it is their exponentials that add."
        ),
        Misconception(
            whole_row, "every entry is L of the whole row: entry j stops at the score j."
        ),
        Misconception(
            only_the_last, "that is L of the whole row alone: one entry per score is due."
        ),
        Misconception(
            over_axis(0), "it runs along the first axis: the scores of a row lie along the last."
        ),
        Misconception(
            over_axis(1),
            "axis=1 is the last axis of a matrix only: axis=-1 is the last of any array.",
        ),
        Misconception(flattened, "it runs on from one row into the next: each row starts afresh."),
        Misconception(
            neighbours, "each score is merged with one neighbour: merge it with all before it."
        ),
    ),
    notice="No entry knows the scores after its own: Chapter 4 calls such a view causal.",
    cases=(
        case(scores=_TINY),
        case(scores=np.array([5.0])),
        case(scores=np.array([_TINY, np.log([4.0, 3.0, 1.0])])),
        case(scores=np.array([[0.0, 1.0], [2.0, -1.0]])),
        case(scores=_rng.standard_normal((2, 3, 4))),
        case(scores=_rng.standard_normal((3, 2, 1, 5))),
        case(scores=_rng.standard_normal((2, 1, 3, 2, 2))),
        case(scores=_rng.standard_normal((2, 13))),
        stress(scores=np.array([-1000.0, 0.0])),
        stress(scores=np.array([[1000.0, 1000.0, -1000.0], [-1000.0, -1000.0, 1000.0]])),
        stress(scores=np.array([-1e4, 1e4, 1e4])),
        stress(scores=np.array([-1e300, -1e300, 1e300])),
        stress(scores=np.array([-np.inf, 0.0, -np.inf, 0.0])),
        stress(scores=np.array([[-np.inf, -np.inf], [0.0, np.log(3.0)]])),
        stress(scores=np.array([[1, 2, 3], [-900, 900, 0]])),
        stress(scores=np.float32([[0, 1, 2], [200, -200, 100]])),
        stress(scores=np.float16([[1, 2, 3], [-20, 20, 20]])),
    ),
)
