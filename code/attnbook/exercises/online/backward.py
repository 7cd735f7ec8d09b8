"""The gradient of one block's scores, from the output and L alone."""

import numpy as np

from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.online.wrong_backward import MISTAKES
from attnbook.exercises.solutions import online as solutions
from attnbook.reference import logsumexp, softmax

_rng = np.random.default_rng(7)


def _block(*batch, n_q, n_b, d_v, others=3, shift=0.0, hidden=0.0, dtype=np.float64):
    """One of several blocks of keys, with the output and L of all of them."""
    n_k = n_b + others
    scores = shift + 2 * _rng.standard_normal((*batch, n_q, n_k))
    scores = np.where(_rng.random(scores.shape) < hidden, -np.inf, scores)
    v, grad_out = (_rng.standard_normal((*batch, n, d_v)) for n in (n_k, n_q))
    found = {
        "grad_out": grad_out,
        "out": softmax(scores) @ v,
        "lse": logsumexp(scores),
        "scores": scores[..., :n_b],
        "v": v[..., :n_b, :],
    }
    return {name: x.astype(dtype) for name, x in found.items()}


def _tiny(keys, grad=1.0):
    values, scores = np.array([[0.0], [4.0], [8.0]]), np.log([[1.0, 3.0, 4.0]])
    return {
        "grad_out": np.array([[grad]]),
        "out": np.array([[5.5]]),
        "lse": np.log([8.0]),
        "scores": scores[:, keys],
        "v": values[keys],
    }


_EMPTY_ROW = {
    "grad_out": np.array([[1.0, -2.0], [3.0, 1.0]]),
    "out": np.array([[0.0, 0.0], [2.0, 1.0]]),
    "lse": np.array([-np.inf, 0.0]),
    "scores": np.array([[-np.inf, -np.inf], [0.0, -np.inf]]),
    "v": np.array([[2.0, 1.0], [4.0, 3.0]]),
}

block_gradient = Write(
    name="online.block_gradient",
    title="The gradient of one block",
    level="hard",
    minutes=12,
    solution_of=solutions.block_gradient,
    explanation=(
        "$e^{S - L}$ are the weights of these keys among all keys, though the others are away. "
        "What is subtracted, $\\sum_j A_j\\, (g \\cdot v_j)$ over all keys, is $g \\cdot O$, and "
        "the output is at hand. Where $L$ is −∞ every score is −∞ too, and shifted by 0 "
        "their exponentials are 0."
    ),
    hints=(
        "Three steps: the weights from scores and lse, what is subtracted from grad_out and out, "
        "and the two joined as in Chapter 3.",
        "weights = exp(scores - lse[..., None]): among all keys, not among those of the block.",
        "What is subtracted is one number for each query: sum grad_out * out over the features, "
        "keepdims=True.",
        "Where lse is -inf, subtract 0 from the scores.",
    ),
    misconceptions=MISTAKES,
    notice="No other block was needed: the output and L have already met all keys.",
    cases=(
        case(**_tiny([2])),
        case(**_tiny([0, 1], grad=2.0)),
        case(**_block(n_q=3, n_b=4, d_v=2)),
        case(**_block(n_q=3, n_b=2, d_v=5, others=0)),
        case(**_block(2, n_q=4, n_b=3, d_v=5)),
        case(**_block(2, 3, n_q=2, n_b=5, d_v=4)),
        case(**_block(n_q=3, n_b=3, d_v=3)),
        case(**_block(2, n_q=2, n_b=2, d_v=2)),
        case(**_block(n_q=4, n_b=5, d_v=3, hidden=0.3)),
        stress(**_block(n_q=3, n_b=4, d_v=2, shift=1000.0)),
        stress(**_block(n_q=3, n_b=4, d_v=2, shift=-1000.0)),
        stress(**_EMPTY_ROW),
        stress(**_tiny([0, 1], grad=np.nan)),
        stress(**_block(n_q=3, n_b=4, d_v=2, dtype=np.float32)),
    ),
)
