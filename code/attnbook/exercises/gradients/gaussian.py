"""The backward pass of the score by distance."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import gradients as solutions

_rng = np.random.default_rng(5)


def _turned(x):
    return np.swapaxes(x, -1, -2)


def _products(grad, q, k):
    """Both gradients by matrix products."""
    grad_q = grad @ k - np.sum(grad, axis=-1)[..., None] * q
    return grad_q, _turned(grad) @ q - np.sum(grad, axis=-2)[..., None] * k


def _changed(of_q=lambda g: g, of_k=lambda g: g):
    def wrong(grad_scores, q, k):
        grad_q, grad_k = _products(grad_scores, q, k)
        return of_q(grad_q), of_k(grad_k)

    return wrong


def _dot(grad, q, k):
    return grad @ k, _turned(grad) @ q


def _means(grad, q, k):
    grad_q, grad_k = _products(grad, q, k)
    return grad_q / k.shape[-2], grad_k / q.shape[-2]


def _one_example(grad, q, k):
    grad_q = grad @ k - np.sum(grad, axis=-1)[..., None] * q
    return grad_q, grad.T @ q - np.sum(grad, axis=-2)[..., None] * k


def _of_distances(grad, q, k):
    steps = q[..., :, None, :] - k[..., None, :, :]
    lengths = np.sqrt(np.sum(steps**2, axis=-1, keepdims=True))
    pulls = grad[..., None] * steps / np.where(lengths == 0, 1, lengths)
    return -np.sum(pulls, axis=-2), np.sum(pulls, axis=-3)


def _signless(grad, q, k):
    steps = np.abs(q[..., :, None, :] - k[..., None, :, :])
    pulls = grad[..., None] * steps
    return -np.sum(pulls, axis=-2), np.sum(pulls, axis=-3)


def _of_weights(grad, q, k):
    """As if the kernel's exp were part of the score."""
    steps = q[..., :, None, :] - k[..., None, :, :]
    return _products(grad * np.exp(-np.sum(steps**2, axis=-1) / 2), q, k)


def _other_sums(grad, q, k):
    steps = q[..., :, None, :] - k[..., None, :, :]
    pulls = grad[..., None] * steps
    return -np.sum(pulls, axis=-3), np.sum(pulls, axis=-2)


def _without_gradient(grad, q, k):
    return _products(np.ones_like(grad), q, k)


def _drawn(*batch, n_q, n_k, d, dtype=np.float64):
    shapes = {"grad_scores": (n_q, n_k), "q": (n_q, d), "k": (n_k, d)}
    return {n: _rng.standard_normal((*batch, *s)).astype(dtype) for n, s in shapes.items()}


SIGN = "the sign is turned: a score rises when query and key come nearer."

gaussian_scores_backward = Write(
    name="gradients.gaussian_scores_backward",
    title="Back through distances",
    level="medium",
    minutes=12,
    solution_of=solutions.gaussian_scores_backward,
    hints=(
        "First one pair of numbers: what is the derivative of -(q - k)²/2 by q, and by k?",
        "They are k - q and q - k. A query meets every key, a key every query: what is summed "
        "over what?",
        "With steps q[..., :, None, :] - k[..., None, :, :] of shape (..., n_q, n_k, d), sum "
        "grad_scores[..., None] * steps over axis -2 for the queries, -3 for the keys.",
    ),
    explanation=(
        "The derivative of $-|q_i - k_j|^2/2$ is $k_j - q_i$ by the query and $q_i - k_j$ by the "
        "key: each is pulled towards the other. Each query sums over the keys, each key over the "
        "queries. By matrix products: $G_S K$ minus each query times the "
        "sum of its row, and $G_S^{\\mathsf T} Q$ minus each key times the sum of its column."
    ),
    misconceptions=(
        Misconception(_changed(np.negative, np.negative), SIGN),
        Misconception(_changed(np.negative), "for the queries " + SIGN),
        Misconception(_changed(of_k=np.negative), "for the keys " + SIGN),
        Misconception(
            _changed(lambda g: 2 * g, lambda g: 2 * g),
            "all is twice too large: the half of the score cancels the 2 of the square.",
        ),
        Misconception(
            _changed(lambda g: g / 2, lambda g: g / 2),
            "all is half of what it should be: the 2 of the square cancels the half.",
        ),
        Misconception(
            _dot,
            "that is the gradient of the dot product: the squares of query and key are left out.",
        ),
        Misconception(_means, "the mean is taken: what is used many times collects the sum."),
        Misconception(
            _one_example,
            "grad_scores.T reverses every axis; on a stack only the last two may be swapped.",
        ),
        Misconception(
            _of_distances, "that is the gradient of the distance: the score has its square."
        ),
        Misconception(_signless, "the steps lost their signs: they say where the other one lies."),
        Misconception(
            _of_weights,
            "exp is part of the kernel, not of the score: its slope belongs to softmax.",
        ),
        Misconception(
            _other_sums,
            "the sums run over the wrong axes: a query collects from all keys, a key from all "
            "queries.",
        ),
        *(
            Misconception(
                version,
                "the query's own part is not weighted: each score pulls by its own gradient, so "
                "that q comes as often as the sum of its row of grad_scores says, and k likewise.",
            )
            for version in (
                lambda grad, q, k: (grad @ k - q, _turned(grad) @ q - k),
                lambda grad, q, k: (
                    grad @ k - k.shape[-2] * q,
                    _turned(grad) @ q - q.shape[-2] * k,
                ),
            )
        ),
        Misconception(
            lambda grad, q, k: (
                grad @ k + np.sum(grad, axis=-1)[..., None] * q,
                _turned(grad) @ q + np.sum(grad, axis=-2)[..., None] * k,
            ),
            "query and key are added; the gradient is made of their difference.",
        ),
        Misconception(
            lambda grad, q, k: (
                -np.sum(grad, axis=-1)[..., None] * q,
                -np.sum(grad, axis=-2)[..., None] * k,
            ),
            "each has its own part alone: the dot product pulls it towards the other one too.",
        ),
        Misconception(
            lambda grad, q, k: (
                grad @ k - np.sum(grad) * q,
                _turned(grad) @ q - np.sum(grad) * k,
            ),
            "the whole of grad_scores is summed: a query has its own row, a key its own column.",
        ),
        Misconception(
            lambda grad, q, k: (grad @ (k - q), _turned(grad) @ (q - k)),
            "k - q takes query i from key i alone: each query meets every key.",
        ),
        Misconception(
            lambda *given: tuple(g.astype(np.float64) for g in _products(*given)),
            "the results are float64 whatever came in: keep the dtype.",
        ),
        Misconception(
            lambda *given: _products(*given)[::-1], "the two are exchanged: the queries come first."
        ),
        Misconception(
            _without_gradient, "grad_scores is not used: it says how far each score should move."
        ),
        Misconception(
            lambda *given: _products(*given)[0], "the gradient of the keys is missing: return both."
        ),
    ),
    notice=(
        "One part of each gradient is that of the dot product; the other comes from the squared "
        "length of the query or key, which the dot product leaves out."
    ),
    cases=(
        case(grad_scores=np.array([[1.0]]), q=np.array([[1.0]]), k=np.array([[4.0]])),
        case(grad_scores=np.array([[1.0, -2.0]]), q=np.array([[1.0]]), k=np.array([[4.0], [2.0]])),
        case(**_drawn(n_q=2, n_k=3, d=1)),
        case(**_drawn(n_q=3, n_k=4, d=2)),
        case(**_drawn(n_q=3, n_k=3, d=3)),
        case(**_drawn(2, n_q=6, n_k=5, d=4)),
        case(**_drawn(3, n_q=3, n_k=3, d=3)),
        case(**_drawn(2, 3, n_q=4, n_k=2, d=3)),
        stress(**_drawn(2, n_q=2, n_k=3, d=2, dtype=np.float32)),
        stress(
            grad_scores=np.ones((1, 2), np.float16),
            q=np.float16([[1, 2]]),
            k=np.float16([[3, 0], [1, 4]]),
        ),
        stress(grad_scores=np.ones((1, 2)), q=np.ones((1, 3)), k=np.ones((2, 3))),
    ),
)
