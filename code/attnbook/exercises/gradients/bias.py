"""The gradient of a bias that was added to many scores."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import gradients as solutions

_rng = np.random.default_rng(6)


def _repeated(grad, shape):
    """The axes of grad along which the bias was repeated: those it lacks, those of 1."""
    lacking = grad.ndim - len(shape)
    return tuple(range(lacking)), tuple(lacking + a for a, n in enumerate(shape) if n == 1)


def _by(reduce):
    def wrong(grad_scores, shape):
        lacking, ones = _repeated(grad_scores, shape)
        return reduce(grad_scores, axis=lacking + ones, keepdims=True).reshape(shape)

    return wrong


def _first(grad_scores, shape):
    lacking, ones = _repeated(grad_scores, shape)
    at = tuple(
        slice(1) if a in ones else 0 if a in lacking else slice(None)
        for a in range(grad_scores.ndim)
    )
    return grad_scores[at].copy()


def _lacking_alone(grad_scores, shape):
    return np.sum(grad_scores, axis=_repeated(grad_scores, shape)[0])


def _ones_alone(grad_scores, shape):
    return np.sum(grad_scores, axis=_repeated(grad_scores, shape)[1], keepdims=True)


def _axes_lost(grad_scores, shape):
    lacking, ones = _repeated(grad_scores, shape)
    return np.sum(grad_scores, axis=lacking + ones)


def _as_it_is(grad_scores, shape):
    return grad_scores.copy()


def _everything(grad_scores, shape):
    return np.full(shape, np.sum(grad_scores), grad_scores.dtype)


def _spread(grad_scores, shape):
    return np.broadcast_to(solutions.bias_backward(grad_scores, shape), grad_scores.shape).copy()


def _folded(grad_scores, shape):
    return grad_scores.reshape(-1, *shape).sum(axis=0)


def _counted_from_the_front(grad_scores, shape):
    """The axes of the bias taken for those of the scores, unless both have as many."""
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return np.sum(grad_scores, axis=axes, keepdims=True)


def _aligned_left(grad_scores, shape):
    lacking = tuple(range(len(shape), grad_scores.ndim))
    ones = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return np.sum(grad_scores, axis=lacking + ones, keepdims=True).reshape(shape)


def _batch_mean(grad_scores, shape):
    lacking, ones = _repeated(grad_scores, shape)
    means = np.mean(grad_scores, axis=lacking, keepdims=True) if lacking else grad_scores
    return np.sum(means, axis=ones, keepdims=True).reshape(shape)


def _mean_of_ones(grad_scores, shape):
    lacking, ones = _repeated(grad_scores, shape)
    sums = np.sum(grad_scores, axis=lacking, keepdims=True)
    return np.mean(sums, axis=ones, keepdims=True).reshape(shape)


def _in_float64(grad_scores, shape):
    return solutions.bias_backward(grad_scores.astype(np.float64), shape)


def _to_float64(grad_scores, shape):
    return solutions.bias_backward(grad_scores, shape).astype(np.float64)


def _grad(*shape, dtype=np.float64):
    return _rng.standard_normal(shape).astype(dtype)


bias_backward = Write(
    name="gradients.bias_backward",
    title="A bias that is learned",
    level="hard",
    minutes=15,
    solution_of=solutions.bias_backward,
    hints=(
        "S = c Q Kᵀ + B, so that the gradient of what is added to a score is that of the score. "
        "But one number of B may have been added to many scores.",
        "What is used many times collects the sum. Along which axes was B repeated? Those that "
        "it lacks in front, and those where its size is 1.",
        "np.sum takes a tuple of axes; keepdims=True leaves axes of size 1 in their places.",
    ),
    explanation=(
        "A number of the bias reaches every score that it was added to, and collects the sum of "
        "their gradients. First the axes that the bias lacks are summed away, then the axes where "
        "its size is 1 are summed and kept. Where nothing was repeated, nothing is summed."
    ),
    misconceptions=(
        Misconception(
            _by(np.mean), "the mean is taken: a number that is added to many scores gets the sum."
        ),
        Misconception(_by(np.max), "the maximum is taken: a bias gets the sum."),
        Misconception(
            _first, "only the first of the scores counts: a number of the bias reached all of them."
        ),
        Misconception(
            _lacking_alone,
            "axes of size 1 are not summed: along them too one number was added to many scores.",
        ),
        Misconception(
            _ones_alone, "the axes that the bias lacks, in front, are not summed: it has none."
        ),
        Misconception(
            _axes_lost, "axes of size 1 are summed away: the gradient has the bias's own shape."
        ),
        Misconception(
            _as_it_is, "nothing is summed: the gradient has the shape of the bias, not the scores."
        ),
        Misconception(
            _everything, "everything is summed: only where the bias was repeated is there a sum."
        ),
        Misconception(
            _spread, "the sums are spread over the scores again: return them in the bias's shape."
        ),
        *(
            Misconception(
                version,
                "axis 0 alone is summed, whatever the shape: sum along each axis that the bias "
                "lacks or has with size 1.",
            )
            for version in (
                lambda grad_scores, shape: np.sum(grad_scores, axis=0),
                lambda grad_scores, shape: np.sum(grad_scores, axis=0, keepdims=True),
            )
        ),
        *(
            Misconception(
                version,
                "axes are counted from the front; the bias's last axis is the scores' last one, "
                "and what it lacks is in front.",
            )
            for version in (_counted_from_the_front, _aligned_left)
        ),
        Misconception(
            _batch_mean,
            "the axes that the bias lacks are averaged: they are repetitions too, and get the sum.",
        ),
        Misconception(
            _mean_of_ones,
            "the axes of size 1 are averaged: they are repetitions too, and get the sum.",
        ),
        Misconception(
            lambda grad_scores, shape: grad_scores.reshape(shape),
            "reshape keeps all numbers: where the bias was repeated, several become one sum.",
        ),
        Misconception(
            lambda grad_scores, shape: -solutions.bias_backward(grad_scores, shape),
            "the sign is turned: the bias is added, so a higher bias is a higher score.",
        ),
        Misconception(
            _folded,
            "reshape folds neighbours together, whatever axis they are on: sum along axes.",
        ),
        *(
            Misconception(version, "the result is float64 whatever came in: keep the dtype.")
            for version in (_in_float64, _to_float64)
        ),
    ),
    notice=(
        "Whatever NumPy broadcasts forward is summed backward: biases, scales, masks that learn. "
        "Libraries do it behind every `+`."
    ),
    cases=(
        case(grad_scores=np.array([[1.0, -2.0], [3.0, 4.0]]), shape=(1, 2)),
        case(grad_scores=np.array([[1.0, 2.0], [3.0, 4.0]]), shape=(2, 1)),
        case(grad_scores=np.array([[1.0, 2.0], [3.0, 4.0]]), shape=(2, 2)),
        case(grad_scores=np.array([[1.0, 2.0, 3.0]]), shape=(1, 1)),
        case(grad_scores=_grad(2, 3, 4), shape=(3, 4)),
        case(grad_scores=_grad(2, 3, 4), shape=(4,)),
        case(grad_scores=_grad(2, 3, 4), shape=(2, 1, 4)),
        case(grad_scores=_grad(2, 3, 4), shape=(1, 4)),
        case(grad_scores=_grad(5, 2, 3, 4), shape=(2, 1, 1)),
        case(grad_scores=_grad(5, 2, 6, 4), shape=(1, 2, 6, 4)),
        case(grad_scores=_grad(3, 3, 3), shape=(3, 1, 3)),
        case(grad_scores=_grad(3, 1, 4), shape=(1, 1, 4)),
        case(grad_scores=_grad(5, 3, 4), shape=(3, 4)),
        stress(grad_scores=np.array([[1.0, 2.0], [3.0, 4.0]]), shape=()),
        stress(grad_scores=_grad(2, 3, dtype=np.float32), shape=(1, 3)),
        stress(grad_scores=np.float16([[1, 2], [3, 4]]), shape=(1, 2)),
        stress(grad_scores=np.full((3000, 1), 2, np.float32), shape=(1, 1)),
    ),
)
