"""A softmax with one maximum for all rows, and a softmax that trusts small scores."""

import numpy as np

from attnbook import reference
from attnbook.exercises.break_it import Break, Miss
from attnbook.exercises.solutions import softmax as solutions
from attnbook.operation import describe


def one_maximum_softmax(scores):
    exp = np.exp(scores - np.max(scores))
    return exp / np.sum(exp, axis=-1, keepdims=True)


def softmax_of_rows(scores):
    return reference.softmax(scores)


def naive_softmax(scores):
    exp = np.exp(np.asarray(scores, dtype=np.float16))
    return exp / np.sum(exp)


def stable_softmax(scores):
    return reference.softmax(np.asarray(scores, dtype=np.float16))


def _table(scores):
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu" or scores.ndim != 2:
        return f"scores is {describe(scores)}; the check wants rows of numbers, [[1, 2], [3, 4]]."
    if scores.size == 0 or not np.all(np.abs(scores.astype(float)) <= 1e6):
        return "scores should be finite numbers between -1,000,000 and 1,000,000."
    return None


def _few_small(scores):
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu" or scores.ndim != 1:
        return f"scores is {describe(scores)}; the check wants a list of numbers, [1, 2, 3]."
    if not 1 <= scores.size <= 8:
        return f"there are {scores.size} scores; the check wants 1 to 8."
    if not np.all(np.abs(scores) <= 11):
        return "every score should lie between -11 and 11."
    return None


def _one_height(scores):
    return np.ptp(scores.max(axis=-1)) == 0


one_maximum = Break(
    name="softmax.one_maximum",
    title="One maximum for all",
    level="easy",
    minutes=5,
    solution_of=solutions.one_maximum,
    wrong=one_maximum_softmax,
    right=softmax_of_rows,
    allowed=_table,
    explanation=(
        "`np.max(scores)` is the largest score of the whole array. A row that lies 1000 below it "
        "is shifted to −1000, all its exponentials underflow to 0, and 0/0 is NaN. The row that "
        "holds the maximum is right, and so is any test with rows of similar height."
    ),
    hints=(
        "How many maxima does np.max(scores) return, and how many rows are there?",
        "In one row all exponentials should become 0. Below which number is exp 0 in float64?",
        "Let one row lie 1000 below the other.",
    ),
    misconceptions=(
        Miss(
            ([[0.0, 1000.0]],),
            lambda scores: len(scores) == 1,
            "with one row the maximum of the array is that of the row: take two rows.",
        ),
        Miss(
            ([[0.0, 1000.0], [1000.0, 0.0]],),
            _one_height,
            "the rows have the same maximum, so one serves both: let one row lie far below.",
        ),
        Miss(
            ([[0.0, 1.0], [100.0, 101.0]],),
            lambda scores: True,
            "every row still has a score whose exponential is above 0: move one row further down.",
        ),
    ),
    notice="Whatever a row subtracts must come from that row: rows are separate queries.",
)

small_scores = Break(
    name="softmax.small_scores",
    title="Small scores in float16",
    level="medium",
    minutes=5,
    solution_of=solutions.small_scores,
    wrong=naive_softmax,
    right=stable_softmax,
    allowed=_few_small,
    explanation=(
        "$e^{11} = 59874$ is below 65504, the largest float16, but the sum of two of them is not: "
        "it overflows, and 59874/∞ = 0 for both keys, without any NaN. Eight scores of 9 do "
        "not overflow, eight of 9.1 do. The sum reaches its limit before any score does."
    ),
    hints=(
        "The largest float16 is 65504. Which numbers of naive_softmax must stay below it?",
        "No exponential can exceed e^11 = 59874. What about their sum?",
        "How many scores of 11 does it take?",
    ),
    misconceptions=(
        Miss(
            ([11.0],),
            lambda scores: scores.size == 1,
            "one exponential is at most e^11 = 59874, and 65504 is not reached: take more scores.",
        ),
        Miss(
            ([-11.0, -11.0, -11.0],),
            lambda scores: np.max(scores) <= 0,
            "no exponential is above 1, so nothing comes near 65504: look among positive scores.",
        ),
        Miss(
            ([11.0, 0.0, -11.0],),
            lambda scores: True,
            "the exponentials sum to less than 65504, the largest float16: make the sum larger.",
        ),
    ),
    notice="No NaN appears: zeros look like weights, and rows that do not sum to 1 give it away.",
)
