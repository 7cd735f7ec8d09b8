"""From affinities to weights."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import weighted_average as solutions
from attnbook.reference import softmax

_rng = np.random.default_rng(1)


def _sum_of_all(affinities):
    total = affinities.sum()
    return affinities / (total if total else 1)


def _over_queries(affinities):
    total = affinities.sum(axis=-2, keepdims=True) if affinities.ndim > 1 else affinities.sum()
    return affinities / np.where(total == 0, 1, total)


def _without_keepdims(affinities):
    total = affinities.sum(axis=-1)
    return affinities / np.where(total == 0, 1, total)


def _first_axis(affinities):
    total = affinities.sum(axis=0, keepdims=True)
    return affinities / np.where(total == 0, 1, total)


def _second_axis(affinities):
    total = affinities.sum(axis=1, keepdims=True)
    return affinities / np.where(total == 0, 1, total)


def _by_the_largest(affinities):
    top = affinities.max(axis=-1, keepdims=True)
    return affinities / np.where(top == 0, 1, top)


def _uniform(affinities):
    total = affinities.sum(axis=-1, keepdims=True)
    return np.where(total == 0, 1 / affinities.shape[-1], solutions.normalise(affinities))


def _plus(epsilon):
    return lambda affinities: affinities / (affinities.sum(axis=-1, keepdims=True) + epsilon)


def _in_place(affinities):
    affinities /= np.where((total := affinities.sum(-1, keepdims=True)) == 0, 1, total)
    return affinities


normalise = Write(
    name="weighted_average.normalise",
    title="From affinities to weights",
    level="easy",
    minutes=5,
    solution_of=solutions.normalise,
    explanation=(
        "`keepdims=True` keeps the summed axis as an axis of length 1, so that every row is "
        "divided by its own sum. Dividing a row of zeros by 1 leaves it zero."
    ),
    hints=(
        "Sum over the last axis: each row belongs to one query.",
        "`keepdims=True` keeps the sums in a shape that divides row by row.",
        "`np.where(total == 0, 1, total)` avoids 0/0 in a row without any affinity.",
    ),
    misconceptions=(
        Misconception(
            lambda a: (
                a / np.where(a.any(-1, keepdims=True), np.linalg.norm(a, axis=-1, keepdims=True), 1)
            ),
            "each row is divided by its length, the root of the sum of squares: divide by the sum.",
        ),
        Misconception(
            lambda a: a / np.linalg.norm(a, axis=-1, keepdims=True),
            "each row is divided by its length, the root of the sum of squares: divide by the sum.",
        ),
        Misconception(
            lambda a: a / a.mean(axis=-1, keepdims=True),
            "each row is divided by its mean, so it sums to the number of keys: divide by the sum.",
        ),
        Misconception(
            lambda a: a / a.shape[-1],
            "each row is divided by the number of keys: divide by its sum.",
        ),
        Misconception(
            lambda a: a / len(a),
            "this divides by the length of the first axis: divide each row by its sum.",
        ),
        Misconception(
            lambda a: a / a.max(),
            "all is divided by the largest affinity: divide each row by its own sum.",
        ),
        Misconception(
            lambda a: a / a.max(axis=-1, keepdims=True),
            "the largest weight is 1, but the weights of a row do not sum to 1.",
        ),
        Misconception(
            _without_keepdims,
            "the sums lost their axis, and a row was divided by another row's sum: keepdims=True.",
        ),
        Misconception(
            _first_axis, "the sum runs over axis 0: the keys of a query lie along the last axis."
        ),
        Misconception(
            _second_axis,
            "axis=1 is the last axis of a matrix only: axis=-1 is the last of any array.",
        ),
        Misconception(
            _uniform, "a row of zeros became uniform: a query that matches nothing gets zeros."
        ),
        *(
            Misconception(
                _plus(small), "a small number is added to each sum, so rows no longer sum to one."
            )
            for small in (1e-6, 1e-8, 1e-9, 1e-10, 1e-12)
        ),
        Misconception(
            lambda a: a / np.maximum(a.sum(axis=-1, keepdims=True), 1),
            "a sum below 1 is not divided by: only a sum of 0 needs another divisor.",
        ),
        Misconception(_over_queries, "the columns sum to 1: each *row* is one query's weights."),
        Misconception(
            _sum_of_all, "all entries together sum to 1: every query needs weights of its own."
        ),
        Misconception(
            lambda affinities: affinities / affinities.sum(axis=-1, keepdims=True),
            "a row of zeros became 0/0 = NaN; a query that matches nothing gets zeros.",
        ),
        Misconception(
            lambda a: solutions.normalise(a**2),
            "the affinities are squared: only their sum is divided out, and their ratios stay.",
        ),
        Misconception(
            softmax, "this exponentiates: affinities are positive already, their ratios stay."
        ),
        Misconception(
            _by_the_largest,
            "the largest weight is 1, but the weights of a row do not sum to 1.",
        ),
        Misconception(_in_place, "the affinities that came in were changed; return a new array."),
    ),
    notice="The output keeps the dtype that came in, and no row depends on another.",
    exact_zeros=True,
    cases=(
        case(affinities=np.array([[1.0, 3.0, 4.0]])),
        case(affinities=np.array([[1.0, 1.0], [1.0, 3.0]])),
        case(affinities=np.array([1.0, 3.0, 4.0])),
        case(affinities=np.array([[0.0, 1.0, 3.0]])),
        stress(affinities=np.array([[2.0, 2.0], [0.0, 0.0]])),
        case(affinities=np.array([[0.5, 0.5000001]])),
        case(affinities=np.array([[[1.0, 3.0]], [[2.0, 2.0]]])),
        case(affinities=np.array([1.0, 3.0, 4.0]) * 1e-9),
        case(affinities=_rng.random((2, 3, 4, 5))),
        case(affinities=_rng.random((2, 1, 3, 2, 2))),
        stress(affinities=np.array([[1, 3, 4], [2, 1, 1]])),
        stress(affinities=_rng.random((3, 2)).astype(np.float32)),
        stress(affinities=_rng.random((2, 3)).astype(np.float16)),
        stress(affinities=np.array([[1e-200, 3e-200], [1e200, 3e200]])),
        stress(affinities=np.array([[2.5e-309, 7.5e-309]])),
        stress(affinities=np.zeros((2, 1, 3))),
        stress(affinities=np.zeros(2)),
        stress(affinities=np.zeros((1, 2), np.float32)),
        stress(affinities=np.array([[0, 2], [0, 0]])),
    ),
)
