"""Scores that cannot grow: dot products of vectors of length 1."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import scale as solutions
from attnbook.reference import softmax

rng = np.random.default_rng(0)
right = solutions.cosine_scores


def _length(x, axis=-1):
    return np.linalg.norm(x, axis=axis, keepdims=True)


def _divided(length_q, length_k=None):
    """Scores of vectors divided by some other length than their own."""
    length_k = length_k or length_q

    def scores(q, k):
        q, k = (x / np.where(by(x) == 0, 1, by(x)) for x, by in ((q, length_q), (k, length_k)))
        return q @ np.swapaxes(k, -1, -2)

    return scores


def _one(x):
    return np.ones_like(x[..., :1])


def _of_length_one(x):
    return x / np.where(_length(x) == 0, 1, _length(x))


def _not_guarded(q, k):
    return (q / _length(q)) @ np.swapaxes(k / _length(k), -1, -2)


def _lengths_without_axes(q, k):
    lengths = np.linalg.norm(q, axis=-1) * np.linalg.norm(k, axis=-1)
    return q @ np.swapaxes(k, -1, -2) / lengths


def _without_keepdims(q, k):
    q, k = (x / np.linalg.norm(x, axis=-1) for x in (q, k))
    return q @ np.swapaxes(k, -1, -2)


def _in_place(q, k):
    q /= np.where(_length(q) == 0, 1, _length(q))
    k /= np.where(_length(k) == 0, 1, _length(k))
    return q @ np.swapaxes(k, -1, -2)


EPSILON = (
    "a small number is added to the length, or is its least: vectors that are as short do not get "
    "length 1. Guard against 0 alone."
)

cosine_scores = Write(
    name="scale.cosine_scores",
    title="Scores that cannot grow",
    level="medium",
    minutes=10,
    solution_of=solutions.cosine_scores,
    hints=(
        "Divide each query and each key by its own length; what is left is a product that you "
        "have written before.",
        "`np.linalg.norm(x, axis=-1, keepdims=True)` has the length of each vector, in a shape "
        "that divides `x`.",
        "Where the length is 0 divide by 1: `np.where(length == 0, 1, length)`.",
    ),
    explanation=(
        "Each vector is divided by its length along the last axis, so that only its direction is "
        "left. A vector of zeros has no direction; divided by 1 it stays zeros, and so do its "
        "scores."
    ),
    misconceptions=(
        Misconception(
            _divided(_one), "nothing is divided: these are plain dot products, which grow."
        ),
        Misconception(
            _divided(_length, _one), "only the queries have length 1; the keys need it too."
        ),
        Misconception(
            _divided(_one, _length), "only the keys have length 1; the queries need it too."
        ),
        Misconception(
            _divided(lambda x: np.sum(x**2, axis=-1, keepdims=True)),
            "vectors are divided by their squared length; its root is missing.",
        ),
        Misconception(
            _divided(lambda x: np.sum(np.abs(x), axis=-1, keepdims=True)),
            "vectors are divided by the sum of their entries' sizes; a length is the root of the "
            "sum of squares.",
        ),
        Misconception(
            _divided(lambda x: _length(x, axis=-2)),
            "the lengths run over the positions; each vector lies along the last axis.",
        ),
        Misconception(
            _divided(lambda x: np.linalg.norm(x)),
            "all vectors are divided by one number, the size of the whole array; each has a length "
            "of its own.",
        ),
        Misconception(
            lambda q, k: right(q, k) * q.shape[-1] ** -0.5,
            "the scores are divided by √d_k besides: vectors of length 1 need no scale of the "
            "width.",
        ),
        Misconception(
            lambda q, k: softmax(right(q, k)),
            "these are weights; a score is what goes into the softmax.",
        ),
        Misconception(
            lambda q, k: 1 - right(q, k), "this is a distance; a score is large where they agree."
        ),
        Misconception(
            lambda q, k: right(k, q), "the scores are transposed: rows are queries, columns keys."
        ),
        Misconception(
            _without_keepdims,
            "the lengths lost their axis, and met the features: keepdims=True divides each vector.",
        ),
        Misconception(
            _lengths_without_axes,
            "the lengths lost their axis: each query's belongs to a row of the scores, and each "
            "key's to a column.",
        ),
        Misconception(
            lambda q, k: _of_length_one(q) @ _of_length_one(k).T,
            "k.T reverses every axis; on a stack of keys only the last two may be swapped.",
        ),
        Misconception(
            lambda q, k: np.abs(right(q, k)),
            "a key that points away has a cosine below 0; keep it.",
        ),
        Misconception(
            lambda q, k: np.arccos(np.clip(right(q, k), -1, 1)),
            "these are the angles; the score is their cosine, large where they are small.",
        ),
        Misconception(
            lambda q, k: -right(q, k), "the sign is turned: a score is large where they agree."
        ),
        Misconception(
            lambda q, k: (1 + right(q, k)) / 2,
            "the cosines are moved into 0 to 1; they should stay between -1 and 1.",
        ),
        Misconception(
            lambda q, k: q @ np.swapaxes(k, -1, -2) / q.shape[-1],
            "the products are divided by the width; each vector has a length of its own.",
        ),
        Misconception(
            _divided(lambda x: np.sqrt(_length(x))),
            "vectors are divided by the root of their length; by the length itself they get "
            "length 1.",
        ),
        *(
            Misconception(
                lambda q, k, bound=bound: bound(q @ np.swapaxes(k, -1, -2)),
                "the products are forced between -1 and 1; divided by both lengths they lie there.",
            )
            for bound in (np.tanh, lambda scores: np.clip(scores, -1, 1))
        ),
        Misconception(_not_guarded, "a vector of zeros gives 0/0 = NaN; its scores should be 0."),
        Misconception(_divided(lambda x: _length(x) + 1e-8), EPSILON),
        Misconception(_divided(lambda x: np.maximum(_length(x), 1e-8)), EPSILON),
        Misconception(_divided(lambda x: _length(x) + 1e-6), EPSILON),
        Misconception(_divided(lambda x: np.maximum(_length(x), 1e-6)), EPSILON),
        Misconception(
            lambda q, k: right(q, k).astype(np.float64),
            "the result is float64 whatever came in; keep the caller's float type.",
        ),
        Misconception(_in_place, "q /= … changes the caller's vectors; make a new array."),
    ),
    notice=(
        "These scores lie between -1 and 1 at every width, so no key can get more than e² = 7.4 "
        "times the weight of another. A model that uses them multiplies them by a number that it "
        "learns."
    ),
    cases=(
        case(q=np.array([[3.0, 4.0]]), k=np.array([[4.0, 3.0], [-6.0, -8.0], [0.0, 2.0]])),
        case(q=np.array([[2.0]]), k=np.array([[5.0], [-5.0]])),
        case(q=rng.standard_normal((3, 4)), k=rng.standard_normal((5, 4))),
        case(q=rng.standard_normal((3, 3)), k=rng.standard_normal((3, 3))),
        case(q=rng.standard_normal((2, 3, 4)), k=rng.standard_normal((2, 5, 4))),
        case(q=rng.standard_normal((2, 3, 4, 5)), k=rng.standard_normal((2, 3, 2, 5))),
        case(q=rng.standard_normal((3, 3, 3)), k=rng.standard_normal((3, 3, 3))),
        stress(q=np.array([[0.0, 0.0], [1.0, 0.0]]), k=np.array([[3.0, 4.0], [0.0, 0.0]])),
        stress(q=np.array([[1e-9, 0.0]]), k=np.array([[1.0, 1.0]])),
        stress(q=np.array([[3, 4]], np.float32), k=np.array([[4, 3], [0, 2]], np.float32)),
        stress(q=np.array([[3, 4]], np.float16), k=np.array([[4, 3], [0, 2]], np.float16)),
        stress(q=np.array([[3, 4]]), k=np.array([[4, 3], [0, 2]])),
        stress(q=np.array([[1e20, 0.0]]), k=np.array([[1e20, 1e20], [1e-20, 0.0]])),
    ),
)
