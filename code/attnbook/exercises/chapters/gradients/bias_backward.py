"""A bias that is learned · medium · 15 min

Hints
1. S = c Q Kᵀ + B, so that the gradient of what is added to a score is that of the score. But one
   number of B may have been added to many scores.
2. What is used many times collects the sum. Along which axes was B repeated? Those that it lacks in
   front, and those where its size is 1.
3. np.sum takes a tuple of axes; keepdims=True leaves axes of size 1 in their places.

Why
A number of the bias reaches every score that it was added to, and collects the sum of their
gradients. First the axes that the bias lacks are summed away, then the axes where its size is 1 are
summed and kept. Where nothing was repeated, nothing is summed.

Notice
Whatever NumPy broadcasts forward is summed backward: biases, scales, learned masks. Libraries do
it behind every `+`.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def bias_backward(grad_scores, shape):
    """The sum over every axis along which a bias of this shape was repeated."""
    grad = np.sum(grad_scores, axis=tuple(range(grad_scores.ndim - len(shape))))
    repeated = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return np.sum(grad, axis=repeated, keepdims=True)


def source(grad_scores, shape):
    """For each score, which number of the bias, counted through, was added to it."""
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return np.broadcast_to(numbers, grad_scores.shape).ravel()


def by_counting(grad_scores, shape):
    """Each number of the bias collects the gradients of the scores that it was added to."""
    sums = np.bincount(source(grad_scores, shape), weights=grad_scores.ravel())
    return sums.reshape(shape).astype(grad_scores.dtype)


def first(grad_scores, shape):
    _, places = np.unique(source(grad_scores, shape), return_index=True)
    return grad_scores.ravel()[places].reshape(shape)


def by_distance(of_each, behind_first=True):
    """The sums of diagonals: a gradient of numbers that belong to distances."""

    def sums(grad_scores, shape):
        n_q, n_k = grad_scores.shape[-2:]
        offsets = range(1 - n_q, n_k)[:: 1 if behind_first else -1]
        return of_each(np.stack([np.trace(grad_scores, o, -2, -1) for o in offsets], axis=-1))

    return sums


def by_size(grad_scores, shape):
    """The sums of diagonals on both sides together."""
    far = np.abs(np.subtract.outer(*map(np.arange, grad_scores.shape[-2:])))
    return np.array([np.sum(grad_scores[..., far == d]) for d in range(far.max() + 1)])


def whole(sums):
    return sums


def over_the_batch(sums):
    return sums.reshape(-1, sums.shape[-1]).sum(axis=0)


rng = np.random.default_rng(6)


def drawn(*shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


SQUARE = np.array([[1.0, -2.0], [3.0, 4.0]])

CASES = (
    case(grad_scores=SQUARE, shape=(1, 2), gives=np.array([[4.0, 2.0]])),
    case(grad_scores=SQUARE, shape=(2, 1)),
    case(grad_scores=SQUARE, shape=(2, 2)),
    case(grad_scores=np.array([[1.0, 2.0, 3.0]]), shape=(1, 1)),
    case(grad_scores=drawn(2, 3, 4), shape=(3, 4)),
    case(grad_scores=drawn(2, 3, 4), shape=(4,)),
    case(grad_scores=drawn(2, 3, 4), shape=(2, 1, 4)),
    case(grad_scores=drawn(2, 3, 4), shape=(1, 4)),
    case(grad_scores=drawn(5, 2, 3, 4), shape=(2, 1, 1)),
    case(grad_scores=drawn(5, 2, 6, 4), shape=(1, 2, 6, 4)),
    case(grad_scores=drawn(3, 3, 3), shape=(3, 1, 3)),
    case(grad_scores=drawn(3, 1, 4), shape=(1, 1, 4)),
    case(grad_scores=drawn(5, 3, 4), shape=(3, 4)),
    stress(grad_scores=SQUARE, shape=()),
    stress(grad_scores=drawn(2, 3, dtype=np.float32), shape=(1, 3)),
    stress(grad_scores=np.float16([[1, 2], [3, 4]]), shape=(1, 2)),
    stress(grad_scores=np.full((3000, 1), 2, np.float32), shape=(1, 1)),
)

MISTAKES = """
what is added to many scores gets the sum of their gradients, not their mean or the largest: along
the axes that the bias lacks, and along those where its size is 1.
    np.sum ⇒ np.mean
    np.sum(grad_scores → np.mean(grad_scores
    np.sum(grad, → np.mean(grad,
    np.sum ⇒ np.max
only the first of the scores counts: a number of the bias reached all of them.
    is first
    np.sum(grad_scores, axis=tuple(range(grad_scores.ndim - len(shape)))) → grad_scores[(0,) * (grad_scores.ndim - len(shape))]
    np.sum(grad, axis=repeated, keepdims=True) → grad[tuple(slice(size) if size == 1 else slice(None) for size in shape)]
these are sums of diagonals, as for a bias with one number for each distance: the axes of this bias
are axes of the scores, and where it has as many numbers as they have, nothing is summed.
    is by_distance(whole) || by_distance(whole, behind_first=False) || by_size
    is by_distance(over_the_batch) || by_distance(over_the_batch, behind_first=False)
axes of size 1 are not summed: along them too one number was added to many scores.
    return np.sum(grad, axis=repeated, keepdims=True) → return grad
the axes that the bias lacks, in front, are not summed: it has none.
    (shape) if → (shape, grad_scores.ndim - len(shape)) if ; np.sum(grad, → np.sum(grad_scores,
nothing is summed: the gradient has the shape of the bias, not the scores.
    = grad_scores.copy()
everything is summed: only where the bias was repeated is there a sum.
    = np.full(shape, np.sum(grad_scores), grad_scores.dtype)
the sums are spread over the scores again: return them in the bias's shape.
    = np.broadcast_to(bias_backward(grad_scores, shape), grad_scores.shape).copy()
axis 0 alone is summed, whatever the shape: sum along each axis that the bias lacks or has with size
1.
    = np.sum(grad_scores, axis=0) || np.sum(grad_scores, axis=0, keepdims=True)
axes are counted from the front; the bias's last axis is the scores' last one, and what it lacks is
in front.
    np.sum(grad, → np.sum(grad_scores,
    range(grad_scores.ndim - len(shape)) → range(len(shape), grad_scores.ndim) ; repeated, keepdims=True) → repeated).reshape(shape)
reshape keeps all numbers: where the bias was repeated, several become one sum.
    = grad_scores.reshape(shape)
reshape folds neighbours together, whatever axis they are on: sum along axes.
    = grad_scores.reshape(-1, *shape).sum(axis=0)
"""

exercise = write(bias_backward, CASES, MISTAKES, oracle=by_counting)
