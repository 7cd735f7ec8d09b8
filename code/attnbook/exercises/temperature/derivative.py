"""The derivative of every weight with respect to every score."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import temperature as solutions
from attnbook.reference import softmax

_rng = np.random.default_rng(2)


def diagonal(entries):
    """A matrix with these entries on its diagonal, for every row."""
    return entries[..., :, None] * np.eye(entries.shape[-1], dtype=entries.dtype)


def outer(weights):
    return weights[..., :, None] * weights[..., None, :]


def no_outer(scores):
    return diagonal(softmax(scores))


def diagonal_only(scores):
    weights = softmax(scores)
    return diagonal(weights * (1 - weights))


def turned(scores):
    return -solutions.jacobian(scores)


def added(scores):
    weights = softmax(scores)
    return diagonal(weights) + outer(weights)


def one_row_only(scores):
    weights = softmax(scores)
    return np.diag(weights) - np.outer(weights, weights)


def of_the_scores(scores):
    return diagonal(scores) - outer(scores)


def of_unnormalised(scores):
    return diagonal(np.exp(scores))


def ones_minus(scores):
    """α_j (1 - α_l) everywhere: the identity became ones."""
    weights = softmax(scores)
    return weights[..., :, None] * (1 - weights[..., None, :])


def inner(scores):
    """diag(α) - αᵀα: a number where a matrix is due."""
    weights = softmax(scores)
    return diagonal(weights) - np.sum(weights**2, axis=-1)[..., None, None]


def inner_of_the_batch(scores):
    """The same with the transpose of an array, whatever its axes."""
    weights = softmax(scores)
    return np.eye(scores.shape[-1]) * weights - weights.T @ weights


def inner_of_a_row(scores):
    """The same, as it is typed for a single row."""
    weights = softmax(scores)
    return np.diag(weights) - weights @ weights.T


def of_the_logarithm(scores):
    """δ_jl - A_l, the derivative of ln A_j."""
    weights = softmax(scores)
    return np.eye(weights.shape[-1], dtype=weights.dtype) - weights[..., None, :]


def one_factor_twice(axis):
    """Squares A_j or A_l where their product should stand."""

    def wrong(scores):
        weights = softmax(scores)
        return diagonal(weights) - np.expand_dims(weights, axis) ** 2

    return wrong


def own_derivatives(scores):
    weights = softmax(scores)
    return weights * (1 - weights)


def of_columns(scores):
    """Softmax over the first axis."""
    weights = np.swapaxes(softmax(np.swapaxes(scores, 0, -1)), 0, -1)
    return diagonal(weights) - outer(weights)


def naive(scores):
    exp = np.exp(scores)
    weights = exp / np.sum(exp, axis=-1, keepdims=True)
    return diagonal(weights) - outer(weights)


_TINY = np.log([1.0, 3.0, 4.0])

jacobian = Write(
    name="temperature.jacobian",
    title="A Jacobian for every row",
    level="medium",
    minutes=10,
    solution_of=solutions.jacobian,
    explanation=(
        "Entry (j, l) is $A_j (\\delta_{jl} - A_l)$. The two `None` axes let every weight of a row "
        "meet every other one of the same row, whatever axes come before. The identity takes the "
        "dtype of the weights, because `np.eye` is float64 and would turn float32 into float64."
    ),
    hints=(
        "Entry (j, l) is A_j (δ_jl - A_l). What is δ as a matrix?",
        "weights[..., :, None] has the weights A_j along rows, weights[..., None, :] the A_l along "
        "columns; their product has the shape (..., n_k, n_k).",
        "np.eye(n, dtype=weights.dtype) is the identity, in the dtype of the weights.",
    ),
    misconceptions=(
        Misconception(
            lambda s: diagonal(softmax(s)) - softmax(s)[..., None, :],
            "A_l is subtracted alone: it is multiplied by A_j, as in A_j (δ_jl - A_l).",
        ),
        Misconception(
            lambda s: diagonal(softmax(s)) - softmax(s)[..., :, None],
            "A_j is subtracted alone: it is multiplied by A_l, as in A_j (δ_jl - A_l).",
        ),
        Misconception(
            lambda s: -outer(softmax(s)),
            "the diagonal lacks its A_j: entry (j, l) is A_j (δ_jl - A_l).",
        ),
        Misconception(
            lambda s: np.eye(s.shape[-1], dtype=s.dtype) - outer(softmax(s)),
            "the identity is not multiplied by the weights: A_j δ_jl, not δ_jl.",
        ),
        Misconception(
            lambda s: np.repeat((softmax(s) * (1 - softmax(s)))[..., None], s.shape[-1], -1),
            "A_j (1 - A_j) stands in every column: that is the diagonal alone.",
        ),
        Misconception(
            no_outer, "α αᵀ is missing: what one key gains the others lose, so rows sum to 0."
        ),
        Misconception(
            diagonal_only,
            "the entries beside the diagonal are missing: A_j also falls when another score rises.",
        ),
        Misconception(turned, "the sign is turned: raising a score raises its own weight."),
        Misconception(
            added, "α αᵀ is added: it is subtracted, because other keys lose what one gains."
        ),
        Misconception(
            one_row_only,
            "np.diag and np.outer know a single row only: let axes meet with [..., :, None] and "
            "[..., None, :].",
        ),
        Misconception(
            of_the_scores, "the formula is filled with the scores: it wants their softmax."
        ),
        Misconception(
            of_unnormalised, "that is the derivative of exp: the division by the sum is missing."
        ),
        Misconception(
            ones_minus,
            "1 stands where δ_jl should: it is 1 on the diagonal and 0 elsewhere, the identity.",
        ),
        Misconception(
            of_the_logarithm, "that is the derivative of ln A_j: times A_j it is that of A_j."
        ),
        *(
            Misconception(
                one_factor_twice(axis),
                "beside the diagonal a weight is squared: A_j goes along rows, A_l along columns.",
            )
            for axis in (-1, -2)
        ),
        *(
            Misconception(wrong, "αᵀα is a number: α αᵀ is the matrix of all products A_j A_l.")
            for wrong in (inner, inner_of_a_row)
        ),
        Misconception(
            inner_of_the_batch,
            "weights.T @ weights mixes the rows, and of a single row it is a number: α αᵀ is the "
            "matrix of all products A_j A_l of one row.",
        ),
        Misconception(
            own_derivatives,
            "that is the diagonal alone: every weight has a derivative by every score, a matrix.",
        ),
        Misconception(
            of_columns, "the softmax goes over the first axis: keys are the last axis of scores."
        ),
        Misconception(
            naive, "exp overflows or underflows on large scores: `softmax` of the package does not."
        ),
    ),
    notice="J is symmetric, and its rows and columns sum to 0.",
    cases=(
        case(scores=_TINY),
        case(scores=np.array([5.0])),
        case(scores=np.array([_TINY, np.log([2.0, 2.0, 4.0])])),
        case(scores=np.log([[1.0, 3.0], [4.0, 4.0]])),
        case(scores=_rng.standard_normal((2, 3, 4))),
        case(scores=_rng.standard_normal((3, 2, 1, 5))),
        case(scores=_rng.standard_normal((2, 1, 3, 2, 2))),
        stress(scores=np.array([[0.0, 1000.0], [-1000.0, -1000.0]])),
        stress(scores=np.array([[1000.0, 1001.0], [-1000.0, -1001.0]])),
        stress(scores=np.array([1e300, 1e300, -1e300])),
        stress(scores=np.array([-1e300, -1e300])),
        stress(scores=np.array([[-np.inf, -np.inf, -np.inf], [0.0, -np.inf, np.log(3.0)]])),
        stress(scores=np.array([[1, 2, 3], [-900, 900, 0]])),
        stress(scores=np.float32([[0, 1, 2], [200, -200, 100]])),
        stress(scores=np.float16([[1, 2, 3], [-20, 20, 20]])),
    ),
)
