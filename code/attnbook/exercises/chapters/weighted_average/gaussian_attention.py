"""Gaussian attention · medium · 10 min

Hints
1. q[..., :, None, :] - k[..., None, :, :] has the shape (..., n_q, n_k, d_k).
2. Divide by the width, square, sum over the last axis, multiply by -1/2: the scores.
3. softmax(scores) gives one row of weights per query; `weights @ v` mixes the values.

Why
The two `None` axes make every query meet every key: steps has the shape (..., n_q, n_k, d_k). The
sum over features gives squared distances, and `softmax` exponentiates and normalises each row
without ever dividing zero by zero.

Notice
Only the line of the scores knows about Gaussians. The chapter on the dot product
replaces that line.
"""

import numpy as np

from attnbook.exercises.chapters.weighted_average._averages import gaussian_average
from attnbook.exercises.engine import case, draw, stress, write
from attnbook.reference import softmax


def gaussian_attention(q, k, v, width):
    """Average the values, weighted by a Gaussian kernel of the distance to each key."""
    steps = (q[..., :, None, :] - k[..., None, :, :]) / width
    scores = -0.5 * (steps**2).sum(axis=-1)
    return softmax(scores) @ v


def unshifted(q, k, v, width):
    steps = (q[..., :, None, :] - k[..., None, :, :]) / width
    affinities = np.exp(-0.5 * (steps**2).sum(axis=-1))
    return affinities / affinities.sum(axis=-1, keepdims=True) @ v


@np.vectorize(signature="(d),(n,d),(n,e),()->(e)")
def of_one_query(q, k, v, width):
    return gaussian_average((q - k) / width, v).astype(np.result_type(v, np.float16))


def query_by_query(q, k, v, width):
    return of_one_query(q, k[..., None, :, :], v[..., None, :, :], width)


rng = np.random.default_rng(2)
COLUMN = {"k": np.array([[1.0], [2.0], [3.0]]), "v": np.array([[0.0], [4.0], [8.0]])}


def arrays(*shapes, dtype=np.float64):
    return draw(rng, dict(zip("qkv", shapes, strict=True)), dtype=dtype)


CASES = (
    case(q=np.array([[2.5]]), **COLUMN, width=1.0),
    case(q=np.array([[2.5]]), **COLUMN, width=0.5),
    case(q=np.array([[0.0], [2.2]]), **COLUMN, width=2.0),
    case(**arrays((1, 2), (2, 2), (2, 1)), width=0.7),
    case(**arrays((3, 2), (4, 2), (4, 5)), width=0.7),
    case(**arrays((2, 1, 2), (2, 3, 2), (2, 3, 1)), width=0.7),
    case(**arrays((2, 3, 3, 2), (2, 3, 4, 2), (2, 3, 4, 1)), width=1.5),
    case(**arrays((2, 2), (1, 2), (1, 3)), width=0.7),
    case(**arrays((2, 1, 2, 3, 2), (2, 1, 2, 2, 2), (2, 1, 2, 2, 1)), width=1.5),
    stress(q=np.array([[100.0]]), **COLUMN, width=1.0, gives=np.array([[8.0]])),
    stress(q=np.array([[2.5], [100.0]]), **COLUMN, width=1.0),
    stress(q=np.array([[1e6]]), **COLUMN, width=1.0),
    stress(q=np.array([[2], [3]]), k=np.array([[1], [2]]), v=np.array([[0], [4]]), width=1),
    stress(**arrays((3, 2), (4, 2), (4, 5), dtype=np.float32), width=0.7),
    stress(**arrays((1, 2), (3, 2), (3, 1), dtype=np.float16), width=2.0),
)

MISTAKES = r"""
this is the nearest key's value alone: a lookup. Every key has some weight.
    softmax(scores) @ v → np.take_along_axis(v, np.argmax(scores, axis=-1)[..., None], axis=-2)
the steps are not squared: this takes their sizes.
    steps**2 → np.abs(steps)
    -0.5 * (steps**2) → -np.abs(steps)
the steps are not squared: a key on one side counts as near, however far it lies.
    -0.5 * (steps**2) → steps || -steps
the factor is another than 1/2: / (2 * width**2) halves, and squares the width alone.
    -0.5 → -2 || -0.25
a squared distance is the sum of all squares: not the largest, nor the first, nor their mean.
    .sum(axis=-1) → .max(axis=-1) || .mean(axis=-1)
    (steps**2).sum(axis=-1) → steps[..., 0] ** 2
the steps are summed before they are squared: opposite steps cancel.
    (steps**2).sum(axis=-1) → steps.sum(axis=-1) ** 2
    / width → / width**2 ; (steps**2).sum(axis=-1) → steps.sum(axis=-1) ** 2
the width divides each step once: (d / width)**2 squares both.
    / width → / width**2 || / width**0.5 || * width
this compares by the dot product; here the distance counts.
    = softmax(q @ np.swapaxes(k, -1, -2) / width) @ v
nothing is normalised: divide the affinities of a row by their sum, as softmax does.
    softmax(scores) → np.exp(scores)
the softmax runs over the features, before they are summed: sum the squares first.
    (steps**2).sum(axis=-1) → steps**2 ; softmax(scores) → softmax(scores).sum(axis=-1)
this holds for vectors of one number only: with more, the steps need an axis of their own for the
features, to be summed over.
    = softmax(-0.5 * ((q - np.swapaxes(k, -1, -2)) / width) ** 2) @ v
the weights sum to 1 over the queries: normalise over the keys, the last axis.
    softmax(scores) → np.swapaxes(softmax(np.swapaxes(scores, -1, -2)), -1, -2)
the factor 1/2 is missing.
    -0.5 → -1
the distance is not squared: exp of minus a distance, whatever divides it, has a sharp peak.
    (steps**2).sum(axis=-1) → np.sqrt((steps**2).sum(axis=-1)) / width
    (steps**2).sum(axis=-1) → np.sqrt((steps**2).sum(axis=-1))
    -0.5 * (steps**2).sum(axis=-1) → -np.sqrt((steps**2).sum(axis=-1))
softmax exponentiates already: give it the scores, not the affinities.
    softmax(scores) → softmax(np.exp(scores))
"""

exercise = write(gaussian_attention, CASES, MISTAKES, drafts=(unshifted,), oracle=query_by_query)
