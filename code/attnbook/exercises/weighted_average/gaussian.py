"""Gaussian attention, from queries, keys and values to the output."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import weighted_average as solutions
from attnbook.reference import softmax

_rng = np.random.default_rng(2)


def _gaussian(scores_of, axis=-1):
    def attention(q, k, v, width):
        scores = scores_of(q[..., :, None, :] - k[..., None, :, :], width)
        return np.swapaxes(softmax(np.swapaxes(scores, -1, axis)), -1, axis) @ v

    return attention


def _overflowing(q, k, v, width):
    steps = (q[..., :, None, :] - k[..., None, :, :]) / width
    affinities = np.exp(-0.5 * (steps**2).sum(axis=-1))
    return affinities / affinities.sum(axis=-1, keepdims=True) @ v


def _one_maximum(q, k, v, width):
    steps = (q[..., :, None, :] - k[..., None, :, :]) / width
    scores = -0.5 * (steps**2).sum(axis=-1)
    affinities = np.exp(scores - scores.max())
    return affinities / affinities.sum(axis=-1, keepdims=True) @ v


def _arrays(*shapes, dtype=np.float64):
    return dict(zip("qkv", (_rng.standard_normal(s).astype(dtype) for s in shapes), strict=True))


def _unnormalised(q, k, v, width):
    steps = (q[..., :, None, :] - k[..., None, :, :]) / width
    return np.exp(-0.5 * (steps**2).sum(axis=-1)) @ v


def _nearest_alone(q, k, v, width):
    distances = ((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(axis=-1)
    return np.take_along_axis(v, np.argmin(distances, axis=-1)[..., None], axis=-2)


def _over_everything(q, k, v, width):
    steps = (q[..., :, None, :] - k[..., None, :, :]) / width
    affinities = np.exp(-0.5 * (steps**2).sum(axis=-1))
    return affinities / affinities.sum() @ v


def _features_apart(q, k, v, width):
    steps = (q[..., :, None, :] - k[..., None, :, :]) / width
    return softmax(-0.5 * steps**2).sum(axis=-1) @ v


def _one_feature(q, k, v, width):
    return softmax(-0.5 * ((q - np.swapaxes(k, -1, -2)) / width) ** 2) @ v


def _weights_alone(q, k, v, width):
    steps = (q[..., :, None, :] - k[..., None, :, :]) / width
    return softmax(-0.5 * (steps**2).sum(axis=-1))


_COLUMN = {"k": np.array([[1.0], [2.0], [3.0]]), "v": np.array([[0.0], [4.0], [8.0]])}

gaussian_attention = Write(
    name="weighted_average.gaussian_attention",
    title="Gaussian attention",
    level="medium",
    minutes=10,
    solution_of=solutions.gaussian_attention,
    explanation=(
        "The two `None` axes make every query meet every key: steps has the shape "
        "(..., n_q, n_k, d_k). The sum over features gives squared distances, and `softmax` "
        "exponentiates and normalises each row without ever dividing zero by zero."
    ),
    hints=(
        "q[..., :, None, :] - k[..., None, :, :] has the shape (..., n_q, n_k, d_k).",
        "Divide by the width, square, sum over the last axis, multiply by -1/2: the scores.",
        "softmax(scores) gives one row of weights per query; `weights @ v` mixes the values.",
    ),
    misconceptions=(
        Misconception(
            _nearest_alone,
            "this is the nearest key's value alone: a lookup. Every key has some weight.",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * np.abs(d / w).sum(-1)),
            "the steps are not squared: this takes their sizes.",
        ),
        Misconception(
            _gaussian(lambda d, w: -np.abs(d / w).sum(-1)),
            "the steps are not squared: this takes their sizes.",
        ),
        Misconception(
            _gaussian(lambda d, w: (d / w).sum(-1)),
            "the steps are not squared, and the minus is missing: this is no distance.",
        ),
        Misconception(
            _gaussian(lambda d, w: -((d / w).sum(-1))),
            "the steps are not squared: a key on one side counts as near.",
        ),
        Misconception(
            _gaussian(lambda d, w: -2 * ((d / w) ** 2).sum(-1)),
            "the squares are multiplied by 2; a Gaussian takes half of them.",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * ((d / w) ** 2).max(-1)),
            "only the largest step counts here: a squared distance is the sum of all squares.",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * (((d / w**2).sum(-1)) ** 2)),
            "the steps are summed before they are squared: opposite steps cancel.",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * ((d / w**2) ** 2).sum(-1)),
            "the width is squared twice: (d / width)**2 squares it once.",
        ),
        Misconception(
            lambda q, k, v, width: softmax(q @ np.swapaxes(k, -1, -2) / width) @ v,
            "this compares by the dot product; here the distance counts.",
        ),
        Misconception(
            _unnormalised,
            "nothing is normalised: divide the affinities of a row by their sum, as softmax does.",
        ),
        Misconception(
            _over_everything,
            "one sum divides all affinities: each row has its own, axis=-1 and keepdims=True.",
        ),
        Misconception(
            _features_apart,
            "the softmax runs over the features, before they are summed: sum the squares first.",
        ),
        Misconception(
            _one_feature,
            "this holds for vectors of one number only: with more, the steps need an axis of their "
            "own for the features, to be summed over.",
        ),
        Misconception(
            _weights_alone, "these are the weights: mix the values with them, weights @ v."
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * (d**2).sum(-1) / w**2, axis=-2),
            "the weights sum to 1 over the queries: normalise over the keys, the last axis.",
        ),
        Misconception(
            _gaussian(lambda d, w: 0.5 * (d**2).sum(-1) / w**2),
            "the farthest key has the most weight: the minus sign is missing.",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * (d**2).sum(-1) / w),
            "the distance is divided by the width after squaring: square the width too.",
        ),
        Misconception(
            _gaussian(lambda d, w: -((d / w) ** 2).sum(-1)), "the factor 1/2 is missing."
        ),
        Misconception(
            _gaussian(lambda d, w: -(d**2).sum(-1) / (2 * w) ** 2),
            "the 2 is squared with the width: / (2 * width**2) squares the width alone.",
        ),
        Misconception(
            _gaussian(lambda d, w: -np.sqrt((d**2).sum(-1)) / (2 * w**2)),
            "the distance is not squared, though the width is.",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * (d[..., 0] / w) ** 2),
            "only the first feature is compared: sum the squares of all.",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * ((d / w).sum(-1)) ** 2),
            "the steps are summed before they are squared: opposite steps cancel.",
        ),
        Misconception(
            _gaussian(lambda d, w: -np.sqrt(((d / w) ** 2).sum(-1))),
            "the distance is not squared: this is the kernel exp(-distance), with a sharp peak.",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * np.sqrt(((d / w) ** 2).sum(-1))),
            "the distance is not squared: halved as it is, it gives a sharp peak.",
        ),
        Misconception(
            _gaussian(lambda d, w: -(d**2).sum(-1) / 2 * w**2),
            "this multiplies by the squared width: write / (2 * width**2).",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * (d**2).sum(-1)),
            "the width is not used: a narrow kernel must prefer the nearest key more.",
        ),
        Misconception(
            _gaussian(lambda d, w: np.exp(-0.5 * ((d / w) ** 2).sum(-1))),
            "softmax exponentiates already: give it the scores, not the affinities.",
        ),
        Misconception(
            _gaussian(lambda d, w: -0.5 * ((d / w) ** 2).mean(-1)),
            "the squares are averaged over the features: a squared length is their sum.",
        ),
        Misconception(
            _overflowing,
            "far from every key all affinities underflow to 0, and 0/0 is NaN: use softmax.",
        ),
        Misconception(
            _one_maximum,
            "one maximum was subtracted for all queries: a query far away underflows to 0/0.",
        ),
    ),
    notice="Only the line of the scores knows about Gaussians. Chapter 6 replaces that line.",
    cases=(
        case(q=np.array([[2.5]]), **_COLUMN, width=1.0),
        case(q=np.array([[2.5]]), **_COLUMN, width=0.5),
        case(q=np.array([[0.0], [2.2]]), **_COLUMN, width=2.0),
        case(**_arrays((1, 2), (2, 2), (2, 1)), width=0.7),
        case(**_arrays((3, 2), (4, 2), (4, 5)), width=0.7),
        case(**_arrays((2, 1, 2), (2, 3, 2), (2, 3, 1)), width=0.7),
        case(**_arrays((2, 3, 3, 2), (2, 3, 4, 2), (2, 3, 4, 1)), width=1.5),
        case(**_arrays((2, 2), (1, 2), (1, 3)), width=0.7),
        case(**_arrays((2, 1, 2, 3, 2), (2, 1, 2, 2, 2), (2, 1, 2, 2, 1)), width=1.5),
        stress(q=np.array([[100.0]]), **_COLUMN, width=1.0),
        stress(q=np.array([[2.5], [100.0]]), **_COLUMN, width=1.0),
        stress(q=np.array([[1e6]]), **_COLUMN, width=1.0),
        stress(q=np.array([[2], [3]]), k=np.array([[1], [2]]), v=np.array([[0], [4]]), width=1),
        stress(**_arrays((3, 2), (4, 2), (4, 5), dtype=np.float32), width=0.7),
        stress(**_arrays((1, 2), (3, 2), (3, 1), dtype=np.float16), width=2.0),
    ),
)
