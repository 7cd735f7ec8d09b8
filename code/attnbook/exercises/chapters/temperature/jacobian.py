r"""A Jacobian for every row · medium · 10 min

Hints
1. Entry (j, l) is A_j (δ_jl - A_l). What is δ as a matrix?
2. weights[..., :, None] has the weights A_j along rows, weights[..., None, :] the A_l along
   columns; their product has the shape (..., n_k, n_k).
3. np.eye(n, dtype=weights.dtype) is the identity, in the dtype of the weights.

Why
Entry (j, l) is $A_j (\delta_{jl} - A_l)$. The two `None` axes let every weight of a row meet every
other one of the same row, whatever axes come before. The identity takes the dtype of the weights,
because `np.eye` is float64 and would turn float32 into float64.

Notice
J is symmetric, and its rows and columns sum to 0.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.reference import softmax


def jacobian(scores):
    """J = diag(α) - α αᵀ for every row of scores."""
    weights = softmax(scores)
    identity = np.eye(scores.shape[-1], dtype=weights.dtype)
    return weights[..., :, None] * (identity - weights[..., None, :])


def by_imaginary_steps(scores):
    """What a tiny imaginary step of each score leaves in each weight: no digits are lost."""
    wide = scores.astype(float)
    top = np.max(wide, axis=-1, keepdims=True)
    shifted = wide - np.where(np.isfinite(top), top, 0)
    exp = np.exp(shifted[..., :, None] + 1e-100j * np.eye(scores.shape[-1]))
    total = np.sum(exp, axis=-2, keepdims=True)
    slopes = (exp / np.where(total == 0, 1, total)).imag / 1e-100
    return slopes.astype(np.result_type(scores, np.float16))


rng = np.random.default_rng(2)
TINY = np.log([1.0, 3.0, 4.0])

CASES = (
    case(scores=TINY, gives=np.array([[7, -3, -4], [-3, 15, -12], [-4, -12, 16]]) / 64),
    case(scores=np.array([5.0])),
    case(scores=np.array([TINY, np.log([2.0, 2.0, 4.0])])),
    case(scores=np.log([[1.0, 3.0], [4.0, 4.0]])),
    case(scores=rng.standard_normal((2, 3, 4))),
    case(scores=rng.standard_normal((3, 2, 1, 5))),
    case(scores=rng.standard_normal((2, 1, 3, 2, 2))),
    stress(scores=np.array([[0.0, 1000.0], [-1000.0, -1000.0]])),
    stress(scores=np.array([[1000.0, 1001.0], [-1000.0, -1001.0]])),
    stress(scores=np.array([1e300, 1e300, -1e300])),
    stress(scores=np.array([-1e300, -1e300])),
    stress(scores=np.array([[-np.inf, -np.inf, -np.inf], [0.0, -np.inf, np.log(3.0)]])),
    stress(scores=np.array([[1, 2, 3], [-900, 900, 0]])),
    stress(scores=np.float32([[0, 1, 2], [200, -200, 100]])),
    stress(scores=np.float16([[1, 2, 3], [-20, 20, 20]])),
)

MISTAKES = """
one of A_j and A_l is subtracted alone: it is multiplied by the other, as in A_j (δ_jl - A_l).
    (identity - weights[..., None, :]) → identity - weights[..., None, :]
    (identity - weights[..., None, :]) → identity - weights[..., :, None]
the diagonal lacks its A_j: entry (j, l) is A_j (δ_jl - A_l).
    identity - weights → -weights
the identity is not multiplied by the weights: A_j δ_jl, not δ_jl.
    weights[..., :, None] * (identity → (identity ; - weights → - weights[..., :, None] * weights
A_j (1 - A_j) is the diagonal alone: beside it A_j falls when another score rises.
    = softmax(scores) * (1 - softmax(scores))
    identity - weights[..., None, :] → identity * (1 - weights[..., None, :])
    identity - weights[..., None, :] → 1 - weights[..., :, None] + 0 * identity
α αᵀ is missing: what one key gains the others lose, so rows sum to 0.
    - weights[..., None, :] →
np.diag and np.outer know a single row only: let axes meet with [..., :, None] and [..., None, :].
    = np.diag(softmax(scores)) - np.outer(softmax(scores), softmax(scores))
the formula is filled with the scores: it wants their softmax.
    softmax(scores) → scores
that is the derivative of exp: the division by the sum is missing.
    softmax(scores) → np.exp(scores) ; - weights[..., None, :] →
1 stands where δ_jl should: it is 1 on the diagonal and 0 elsewhere, the identity.
    identity - → 1 -
beside the diagonal a weight is squared: A_j goes along rows, A_l along columns.
    identity - weights[..., None, :] → identity - weights[..., :, None]
    weights[..., :, None] * → weights[..., None, :] *
αᵀα is a number, or a mixture of rows: α αᵀ is the matrix of all products A_j A_l of one row.
    (identity - weights[..., None, :]) → identity - np.sum(weights**2, axis=-1)[..., None, None]
    = np.diag(softmax(scores)) - softmax(scores) @ softmax(scores).T
    = np.eye(scores.shape[-1]) * softmax(scores) - softmax(scores).T @ softmax(scores)
the softmax goes over the first axis: keys are the last axis of scores.
    softmax(scores) → np.swapaxes(softmax(np.swapaxes(scores, 0, -1)), 0, -1)
exp overflows or underflows on large scores: `softmax` of the package does not.
    softmax(scores) → np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)
"""

exercise = write(jacobian, CASES, MISTAKES, oracle=by_imaginary_steps)
