"""Two repairs of a masked softmax that hold on most inputs."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import museum as solutions
from attnbook.operation import describe
from attnbook.reference import softmax


def zero_then_divide(scores):
    """Softmax over all three keys; the last weight set to 0; the others divided by their sum."""
    weights = softmax(scores) * np.array([1.0, 1.0, 0.0])
    return weights / np.sum(weights)


def softmax_then_mend(scores):
    """Softmax with the last key hidden; whatever became NaN is replaced by 0."""
    visible = np.where([True, True, False], scores, -np.inf)
    exp = np.exp(visible - np.max(visible))
    return np.nan_to_num(exp / np.sum(exp))


def hide_the_last(scores):
    """The definition, with the last key hidden."""
    return softmax(scores, np.array([True, True, False]))


def not_three(scores):
    """What an array that is not of three real numbers is refused with."""
    real = type(scores) is np.ndarray and scores.dtype.kind in "fiu" and scores.dtype.itemsize <= 8
    if not real or scores.shape != (3,):
        return f"scores is {describe(scores)}; expected an array of three numbers."
    return None


def _three_finite(scores):
    if refusal := not_three(scores):
        return refusal
    if not np.all(np.isfinite(scores)):
        return "scores has an infinite entry or a NaN; this one can be broken with finite numbers."
    return None


renormalised = Break(
    name="museum.renormalised",
    title="Zero, then divide",
    level="medium",
    minutes=6,
    wrong=zero_then_divide,
    right=hide_the_last,
    allowed=_three_finite,
    solution_of=solutions.renormalised,
    explanation=(
        "In real numbers the two agree. In floats the hidden score still chooses the maximum: "
        "1000 above the visible scores, it turns both of their exponentials into 0, and 0/0 is "
        "NaN. A language library met it in 2017 (allenai/allennlp, pull request 437). What is "
        "hidden must be gone before the maximum is taken."
    ),
    hints=(
        "With exact arithmetic there is no such input. What do floats lose?",
        "The softmax subtracts the largest of all three scores before it exponentiates.",
        "Let exp(visible - hidden) underflow: Chapter 2 found where exp becomes 0 in float64.",
    ),
    misconceptions=(
        Miss(
            (np.array([1.0, 1.0, 1.0]),),
            lambda scores: np.ptp(scores) == 0,
            "all scores are equal: each weight is 1/3, and dividing by 2/3 mends it exactly.",
        ),
        Miss(
            (np.array([0.0, 800.0, 5.0]),),
            lambda scores: scores[2] <= max(scores[:2]),
            "the largest score is visible here, so the visible exponentials do not vanish.",
        ),
        Miss(
            (np.array([0.0, 1.0, 100.0]),),
            lambda scores: scores[2] > max(scores[:2]),
            "the hidden score is the largest, which is the right idea, but a visible weight is "
            "still a number above 0 that can be divided: go further.",
        ),
    ),
    notice="What is hidden after the softmax has already had its influence: hide before.",
)

mended = Break(
    name="museum.mended",
    title="Mend the NaN",
    level="medium",
    minutes=6,
    wrong=softmax_then_mend,
    right=hide_the_last,
    allowed=not_three,
    solution_of=solutions.mended,
    explanation=(
        "A NaN in a visible score says that something broke earlier. The definition passes it "
        "on. `nan_to_num` cannot tell it from the NaN of an empty row and turns both into zeros, "
        "so the failure goes unseen. A guard for the empty row alone leaves other NaNs alone."
    ),
    hints=(
        "The repair was written for one NaN: that of a row with nothing visible.",
        "From which other scores can a NaN come? It must be visible.",
    ),
    misconceptions=(
        Miss(
            (np.array([0.0, 1.0, 1000.0]),),
            lambda scores: np.all(np.isfinite(scores)),
            "finite scores give no NaN here, and nan_to_num leaves the right weights alone.",
        ),
        Miss(
            (np.array([1.0, 2.0, np.nan]),),
            lambda scores: not np.isfinite(scores[2]) and np.all(np.isfinite(scores[:2])),
            "what is not finite here is hidden, and the -inf replaces it before it can spread.",
        ),
        Miss(
            (np.array([-np.inf, -np.inf, 1.0]),),
            lambda scores: np.all(scores[:2] == -np.inf),
            "both visible scores are -inf: nothing is visible, zeros are right, and this is the "
            "row the repair was written for.",
        ),
        Miss(
            (np.array([-np.inf, 1.0, 2.0]),),
            lambda scores: np.any(scores[:2] == -np.inf),
            "a visible -inf beside a finite score has weight 0, in both versions, without a NaN.",
        ),
    ),
    notice="Repair the cause, not the symptom: a guard for the empty row lets other NaNs be seen.",
)
