"""The bilinear score that equals a scaled dot product of two projections."""

import numpy as np

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import additive as solutions
from attnbook.exercises.write import Write, case, stress
from attnbook.reference import softmax

rng = np.random.default_rng(0)


def _matrix(scale):
    """The solution with another scale, a function of the two matrices."""
    return lambda w_q, w_k: (w_q * scale(w_q, w_k)) @ np.swapaxes(w_k, -1, -2)


def _scaled(multiply):
    """The solution with another product."""
    return lambda w_q, w_k: multiply(w_q * w_q.shape[-1] ** -0.5, w_k)


_WITHOUT_STACK = (
    lambda w_q, w_k: w_q @ w_k.T,
    lambda w_q, w_k: w_q @ w_k.transpose(1, 0),
    lambda w_q, w_k: w_q @ np.swapaxes(w_k, 0, 1),
    lambda w_q, w_k: np.einsum("ih,jh->ij", w_q, w_k),
)


def _in_place(w_q, w_k):
    w_q *= w_q.shape[-1] ** -0.5
    return w_q @ np.swapaxes(w_k, -1, -2)


def _wraps_around(w_q, w_k):
    return w_q @ np.swapaxes(w_k, -1, -2) * w_q.shape[-1] ** -0.5


def _random(d_q, d_k, d_hidden, heads=(), dtype=np.float64):
    return {
        "w_q": rng.standard_normal((*heads, d_q, d_hidden)).astype(dtype),
        "w_k": rng.standard_normal((*heads, d_k, d_hidden)).astype(dtype),
    }


one_matrix = Write(
    name="additive.one_matrix",
    title="One matrix for two",
    level="easy",
    minutes=6,
    solution_of=solutions.one_matrix,
    hints=(
        "Write the dot product of the two projections as matrices: (Q W_q)(K W_k)ᵀ. What stands "
        "between Q and Kᵀ?",
        "The transpose of a product reverses it: (K W_k)ᵀ = W_kᵀ Kᵀ.",
        "The scale is 1/√ of the width of the vectors in the dot product. That is the width after "
        "the projection: `w_q.shape[-1]`.",
    ),
    explanation=(
        "(Q W_q)(K W_k)ᵀ = Q (W_q W_kᵀ) Kᵀ, and the scale may stand anywhere in a product. The "
        "dot product is between projected vectors, so their width counts."
    ),
    misconceptions=(
        Misconception(
            lambda w_q, w_k: w_q * w_q.shape[-1] ** -0.5,
            "w_k is not used: W holds both projections, W_q W_kᵀ.",
        ),
        Misconception(
            lambda w_q, w_k: w_k * w_q.shape[-1] ** -0.5,
            "w_q is not used: W holds both projections, W_q W_kᵀ.",
        ),
        Misconception(
            lambda w_q, w_k: softmax(_matrix(lambda a, b: a.shape[-1] ** -0.5)(w_q, w_k)),
            "this is a softmax of W: W is the matrix itself.",
        ),
        Misconception(
            _matrix(lambda w_q, w_k: 1.0),
            "the scale is missing: W has to hold the 1/√ of the scaled dot product too.",
        ),
        Misconception(
            _matrix(lambda w_q, w_k: w_q.shape[-2] ** -0.5),
            "the scale comes from d_q; the dot product is between vectors of width d_hidden.",
        ),
        Misconception(
            _matrix(lambda w_q, w_k: w_k.shape[-2] ** -0.5),
            "the scale comes from d_k; the dot product is between vectors of width d_hidden.",
        ),
        Misconception(
            _matrix(lambda w_q, w_k: 1 / w_q.shape[-1]),
            "this divides by d_hidden; the scale is 1/√d_hidden.",
        ),
        Misconception(
            _matrix(lambda w_q, w_k: w_q.shape[-1] ** 0.5),
            "this multiplies by √d_hidden; the scale divides.",
        ),
        Misconception(
            lambda w_q, w_k: w_k @ np.swapaxes(w_q, -1, -2) * w_q.shape[-1] ** -0.5,
            "W is transposed: its rows belong to queries, its columns to keys.",
        ),
        *(
            Misconception(
                _scaled(multiply),
                "this sums over the inputs; what has to vanish is the hidden width.",
            )
            for multiply in (lambda w_q, w_k: np.swapaxes(w_q, -1, -2) @ w_k, lambda q, k: q.T @ k)
        ),
        Misconception(
            _scaled(lambda w_q, w_k: w_q @ w_k),
            "w_k is not transposed: (K W_k)ᵀ = W_kᵀ Kᵀ.",
        ),
        *(
            Misconception(
                _scaled(multiply),
                "this is right without leading axes only; on a stack of matrices the last two axes "
                "are swapped, and @ takes one pair at a time.",
            )
            for multiply in _WITHOUT_STACK
        ),
        *(
            Misconception(
                multiply, "the scale is missing, and the matrices may be stacks: @ takes each pair."
            )
            for multiply in _WITHOUT_STACK
        ),
        Misconception(
            _scaled(np.inner),
            "np.dot, np.inner and np.tensordot multiply each matrix of one stack with every one of "
            "the other; @ takes one pair at a time.",
        ),
        Misconception(
            _matrix(lambda w_q, w_k: len(w_q) ** -0.5),
            "len(w_q) is the length of the first axis; the width of the projections is the last.",
        ),
        *(
            Misconception(
                promoted,
                "the result is float64 whatever came in; keep the caller's float type. (np.sqrt(2) "
                "is a float64 too, and takes float32 with it.)",
            )
            for promoted in (
                lambda w_q, w_k: w_q @ np.swapaxes(w_k, -1, -2) / np.sqrt(w_q.shape[-1]),
                lambda w_q, w_k: w_q / np.sqrt(w_q.shape[-1]) @ np.swapaxes(w_k, -1, -2),
            )
        ),
        Misconception(_in_place, "w_q *= … changes the caller's array; make a new one."),
        Misconception(
            _wraps_around,
            "the product of small integers leaves their range before it is scaled; scale first.",
        ),
    ),
    notice=(
        "Two matrices of width d_hidden make a W of rank d_hidden at most. That is the gain, and "
        "the limit: fewer parameters where d_hidden is small."
    ),
    cases=(
        case(w_q=np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 0.0]]), w_k=np.array([[1.0, 0.0]])),
        case(w_q=np.array([[2.0, 0.0, 0.0, 0.0]]), w_k=np.array([[3.0, 1.0, 1.0, 1.0]])),
        case(**_random(3, 5, 4)),
        case(**_random(4, 4, 4)),
        case(**_random(4, 4, 2)),
        case(**_random(2, 6, 9, heads=(3,))),
        case(**_random(5, 3, 4, heads=(2, 3))),
        case(**_random(3, 3, 3, heads=(3,))),
        case(**_random(3, 2, 5, heads=(2, 1, 3))),
        case(**_random(1, 1, 1)),
        case(**_random(3, 2, 4, dtype=np.float32)),
        stress(
            w_q=np.array([[1, 2, 1, 0]], dtype=np.float16),
            w_k=np.array([[1, 0, 3, 1], [2, 1, 0, 1]], dtype=np.float16),
        ),
        stress(w_q=np.array([[1, 2], [3, 4]]), w_k=np.array([[1, 0], [2, 1], [5, 1]])),
        stress(
            w_q=np.array([[100, 90, 80, 70]], np.int8), w_k=np.array([[100, 100, 90, 90]], np.int8)
        ),
        stress(w_q=np.array([[1e200, -1e4]]), w_k=np.array([[1e100, 1e4], [np.nan, 1.0]])),
    ),
)
