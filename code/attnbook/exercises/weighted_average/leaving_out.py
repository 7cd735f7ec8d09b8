"""Each point predicted from all the others."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import weighted_average as solutions
from attnbook.reference import softmax

_rng = np.random.default_rng(3)


def _from_steps(steps, width):
    return -0.5 * (steps / width) ** 2


def _leave_out(
    scores_of, weights_of=lambda scores, itself: softmax(scores), from_steps=_from_steps
):
    def leave_one_out(x, y, width):
        scores = from_steps(x[..., :, None] - x[..., None, :], width)
        itself = np.eye(x.shape[-1], dtype=bool)
        return (weights_of(scores_of(scores, itself), itself) @ y[..., None])[..., 0]

    return leave_one_out


def _hidden_by(low):
    return _leave_out(lambda scores, itself: np.where(itself, low, scores))


def _zeroed(scores, itself):
    affinities = np.where(itself, 0, np.exp(scores))
    return affinities / affinities.sum(axis=-1, keepdims=True)


def _zeroed_and_guarded(scores, itself):
    return np.nan_to_num(_zeroed(scores, itself))


def _scored(from_steps):
    """The solution with other scores."""
    return _leave_out(
        lambda scores, itself: np.where(itself, -np.inf, scores), from_steps=from_steps
    )


leave_one_out = Write(
    name="weighted_average.leave_one_out",
    title="Leave one out",
    level="hard",
    minutes=15,
    solution_of=solutions.leave_one_out,
    explanation=(
        "A score of minus infinity gives an affinity of exp(−∞) = 0, exactly, and it does so "
        "before the row is normalised, so the remaining weights still sum to one. A single point "
        "has no others to look at, and `softmax` gives it a row of zeros."
    ),
    hints=(
        "Build the scores of every x against every x, shape (..., n, n).",
        "The diagonal holds each point's score with itself. Which score makes an affinity of 0?",
        "np.where(np.eye(n, dtype=bool), -np.inf, scores), then softmax, then the average.",
    ),
    misconceptions=(
        Misconception(
            _scored(lambda steps, width: -((steps / width) ** 2)),
            "the factor 1/2 of the Gaussian kernel is missing.",
        ),
        Misconception(
            _scored(lambda steps, width: -0.5 * steps**2 / width),
            "the distance is divided by the width after squaring: square the width too.",
        ),
        Misconception(
            _scored(lambda steps, width: -0.5 * np.abs(steps / width)),
            "the steps are not squared: this takes their sizes.",
        ),
        Misconception(
            _scored(lambda steps, width: 0.0 * steps),
            "all others count alike, near or far: the width and the distances are not used.",
        ),
        Misconception(
            _leave_out(lambda s, i: np.where(i, -np.inf, -s)),
            "the farthest point has the most weight: the minus sign is missing.",
        ),
        Misconception(
            _leave_out(lambda s, i: np.where(i, s, -np.inf)),
            "each point gets its own y back: hide the diagonal, and mix the y of the others.",
        ),
        Misconception(
            lambda x, y, width: _leave_out(lambda s, i: s)(x, y, width) - y,
            "the own value is subtracted from an average in which it has weight: hide it before.",
        ),
        Misconception(
            lambda x, y, width: _leave_out(lambda s, i: np.where(i, -np.inf, s))(x, y, width)[
                ..., None
            ],
            "one axis too many is left, of size 1: one prediction per point.",
        ),
        Misconception(
            _hidden_by(np.inf),
            "a score of +∞ is the largest of all, and ∞ - ∞ is NaN: -∞ has the affinity 0.",
        ),
        Misconception(
            _leave_out(lambda s, i: s + i * -np.inf),
            "0 times -∞ is NaN, beside the diagonal too: choose the -∞ with np.where.",
        ),
        Misconception(
            _leave_out(lambda s, i: s),
            "each point still looks at itself: its score 0 is the largest of all, exp(0) = 1.",
        ),
        Misconception(
            _leave_out(lambda s, i: s, lambda s, i: np.where(i, 0, softmax(s))),
            "the point's own weight is removed after normalising: the others sum to less than 1.",
        ),
        Misconception(
            _leave_out(lambda s, i: np.where(s == 0, -np.inf, s)),
            "this hides every point at the same x; only the point itself must be left out.",
        ),
        *(
            Misconception(
                _hidden_by(low),
                "a finite score does not hide: beside far keys the point sees itself.",
            )
            for low in (-1e3, -1e4, -1e9)
        ),
        Misconception(
            _hidden_by(-1e30),
            "a point without others gets 0, but here it sees itself: no finite score hides it.",
        ),
        *(
            Misconception(
                _leave_out(lambda s, i: s, weights_of),
                "beside far points nothing is left after exp: hide the point by -∞ before softmax.",
            )
            for weights_of in (_zeroed, _zeroed_and_guarded)
        ),
    ),
    notice="You have built your first mask: a pair that may not look. Chapter 4 is about those.",
    cases=(
        case(x=np.array([0.0, 1.0]), y=np.array([3.0, 5.0]), width=1.0),
        case(x=np.array([0.0, 1.0, 3.0]), y=np.array([0.0, 4.0, 8.0]), width=1.0),
        case(x=np.array([0.0, 1.0, 3.0]), y=np.array([0.0, 4.0, 8.0]), width=2.5),
        case(x=np.array([0.0, 0.0, 1.0]), y=np.array([1.0, 2.0, 3.0]), width=1.0),
        case(x=np.array([0.0, 0.0, 1.0]), y=np.array([2.0, 2.0, 3.0]), width=1.0),
        case(x=_rng.random((2, 4)), y=_rng.random((2, 4)), width=0.7),
        case(x=_rng.random((2, 3, 5)), y=_rng.random((2, 3, 5)), width=0.3),
        case(x=_rng.random((2, 1, 2, 3)), y=_rng.random((2, 1, 2, 3)), width=0.5),
        case(x=_rng.random((2, 1, 1, 2, 2)), y=_rng.random((2, 1, 1, 2, 2)), width=0.5),
        stress(x=np.array([1.0]), y=np.array([2.0]), width=1.0),
        stress(x=np.array([0.0, 100.0, 300.0]), y=np.array([1.0, 2.0, 3.0]), width=1.0),
        stress(x=np.array([0.0, 1e6]), y=np.array([1.0, 2.0]), width=1.0),
        stress(x=np.array([0, 1, 3]), y=np.array([0, 4, 8]), width=1),
        stress(**dict(zip("xy", _rng.random((2, 4)).astype(np.float32), strict=True)), width=0.5),
        stress(x=_rng.random(3).astype(np.float16), y=np.arange(3).astype(np.float16), width=0.5),
    ),
)
