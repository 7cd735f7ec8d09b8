"""Leave one out · hard · 15 min

Hints
1. Build the scores of every x against every x, shape (..., n, n).
2. The diagonal holds each point's score with itself. Which score makes an affinity of 0?
3. np.where(np.eye(n, dtype=bool), -np.inf, scores), then softmax, then the average.

Why
A score of minus infinity gives an affinity of exp(−∞) = 0, exactly, and it does so before the row
is normalised, so the remaining weights still sum to one. A single point has no others to look at,
and `softmax` gives it a row of zeros.

Notice
You have built your first mask: a pair that may not look. A later chapter is about masks.
"""

import numpy as np

from attnbook.exercises.chapters.weighted_average._averages import gaussian_average
from attnbook.exercises.engine import case, stress, write
from attnbook.reference import softmax


def leave_one_out(x, y, width):
    """Predict each y from all the others."""
    scores = -0.5 * ((x[..., :, None] - x[..., None, :]) / width) ** 2
    itself = np.eye(x.shape[-1], dtype=bool)
    weights = softmax(np.where(itself, -np.inf, scores))
    return (weights @ y[..., None])[..., 0]


@np.vectorize(signature="(n),(n),()->(n)")
def of_the_others(x, y, width):
    others = [(np.delete(x, i) - x[i], np.delete(y, i)) for i in range(len(x))]
    found = [gaussian_average(steps[:, None] / width, values) for steps, values in others]
    return np.array(found, np.result_type(x, np.float16))


rng = np.random.default_rng(3)

CASES = (
    case(x=np.array([0.0, 1.0]), y=np.array([3.0, 5.0]), width=1.0, gives=np.array([5.0, 3.0])),
    case(x=np.array([0.0, 1.0, 3.0]), y=np.array([0.0, 4.0, 8.0]), width=1.0),
    case(x=np.array([0.0, 1.0, 3.0]), y=np.array([0.0, 4.0, 8.0]), width=2.5),
    case(x=np.array([0.0, 0.0, 1.0]), y=np.array([1.0, 2.0, 3.0]), width=1.0),
    case(x=np.array([0.0, 0.0, 1.0]), y=np.array([2.0, 2.0, 3.0]), width=1.0),
    case(x=rng.random((2, 4)), y=rng.random((2, 4)), width=0.7),
    case(x=rng.random((2, 3, 5)), y=rng.random((2, 3, 5)), width=0.3),
    case(x=rng.random((2, 1, 2, 3)), y=rng.random((2, 1, 2, 3)), width=0.5),
    case(x=rng.random((2, 1, 1, 2, 2)), y=rng.random((2, 1, 1, 2, 2)), width=0.5),
    stress(x=np.array([1.0]), y=np.array([2.0]), width=1.0, gives=np.array([0.0])),
    stress(x=np.array([0.0, 100.0, 300.0]), y=np.array([1.0, 2.0, 3.0]), width=1.0),
    stress(x=np.array([0.0, 1e6]), y=np.array([1.0, 2.0]), width=1.0),
    stress(x=np.array([0, 1, 3]), y=np.array([0, 4, 8]), width=1),
    stress(**dict(zip("xy", rng.random((2, 4)).astype(np.float32), strict=True)), width=0.5),
    stress(x=rng.random(3).astype(np.float16), y=np.arange(3).astype(np.float16), width=0.5),
)

MISTAKES = r"""
the factor 1/2 of the Gaussian kernel is missing.
    -0.5 → -1
the distance is divided by the width after squaring: square the width too.
    / width → / width**0.5
the steps are not squared: this takes their sizes.
    -0.5 * → -0.5 * np.abs ; ) ** 2 → )
all others count alike, near or far: the width and the distances are not used.
    -0.5 → 0.0
the own value is subtracted from an average in which it has weight: hide it before.
    np.where(itself, -np.inf, scores) → scores ; [..., 0] → [..., 0] - y
a score of +∞ is the largest of all, and ∞ - ∞ is NaN: -∞ has the affinity 0.
    -np.inf → np.inf
0 times -∞ is NaN, beside the diagonal too: choose the -∞ with np.where.
    np.where(itself, -np.inf, scores) → scores + itself * -np.inf
each point still looks at itself: its score 0 is the largest of all, exp(0) = 1.
    np.where(itself, -np.inf, scores) → scores
the point's own weight is removed after normalising: the others sum to less than 1.
    softmax(np.where(itself, -np.inf, scores)) → np.where(itself, 0, softmax(scores))
this hides every point at the same x; only the point itself must be left out.
    np.where(itself → np.where(scores == 0
a finite score does not hide a point: where the others are far away or missing, it predicts itself.
    -np.inf → -1e3 || -1e4 || -1e9 || -1e30
beside far points nothing is left after exp: hide the point by -∞ before softmax.
    weights = softmax(np.where(itself, -np.inf, scores)) → exp = np.where(itself, 0, np.exp(scores))\n    weights = exp / exp.sum(axis=-1, keepdims=True)
    weights = softmax(np.where(itself, -np.inf, scores)) → exp = np.where(itself, 0, np.exp(scores))\n    weights = np.nan_to_num(exp / exp.sum(axis=-1, keepdims=True))
"""

exercise = write(leave_one_out, CASES, MISTAKES, oracle=of_the_others)
