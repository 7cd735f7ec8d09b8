"""A score from matrix products only, for queries and keys of different widths."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import dot_product as solutions
from attnbook.reference import softmax

rng = np.random.default_rng(0)


def _query_and_key_by_number(q, k, w):
    return np.sum((q @ w) * k, axis=-1)


def _common_width(q, k, w):
    width = min(q.shape[-1], k.shape[-1])
    return q[..., :width] @ np.swapaxes(k[..., :width], -1, -2)


bilinear_scores = Write(
    name="dot_product.bilinear_scores",
    title="A score for different widths",
    level="easy",
    minutes=6,
    solution_of=solutions.bilinear_scores,
    hints=(
        "A dot product needs two vectors of one width. Which product turns a query into a "
        "vector of width d_k?",
        "`q @ w` has shape (..., n_q, d_k).",
        "What is left is the dot product with every key: np.swapaxes(k, -1, -2) makes columns "
        "of keys.",
    ),
    explanation=(
        "`q @ w` has the width of a key, and the dot product does the rest. With d_q = d_k and "
        "w the identity this is the plain dot product; with w = w_q w_kᵀ it is the dot product "
        "of two projections."
    ),
    misconceptions=(
        Misconception(
            lambda q, k, w: q @ np.swapaxes(k, -1, -2),
            "w is not used: it turns a query of width d_q into one of width d_k.",
        ),
        Misconception(
            lambda q, k, w: k @ w @ np.swapaxes(q, -1, -2),
            "queries and keys are exchanged: q meets w first.",
        ),
        Misconception(
            lambda q, k, w: q @ w @ k,
            "k is not transposed: np.swapaxes(k, -1, -2) makes columns of keys.",
        ),
        Misconception(
            lambda q, k, w: (q @ w) @ k,
            "k is not transposed: np.swapaxes(k, -1, -2) makes columns of keys.",
        ),
        Misconception(
            lambda q, k, w: q @ w @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]),
            "reshape keeps the order of the numbers; the keys have to be transposed: np.swapaxes.",
        ),
        Misconception(
            lambda q, k, w: np.tanh(q @ w @ np.swapaxes(k, -1, -2)),
            "there is a tanh; this score has only products.",
        ),
        Misconception(
            lambda q, k, w: np.dot(np.dot(q, w), k.T),
            "np.dot and k.T are for two axes: on a stack use @ and np.swapaxes(k, -1, -2).",
        ),
        Misconception(
            lambda q, k, w: q @ w.T @ np.swapaxes(k, -1, -2),
            "w is transposed: it has shape (d_q, d_k), so queries meet it from the left as it is.",
        ),
        Misconception(
            lambda q, k, w: q @ w @ k.T,
            "k.T reverses every axis; on a stack of keys only the last two may be swapped.",
        ),
        Misconception(
            lambda q, k, w: k @ w.T @ np.swapaxes(q, -1, -2),
            "the scores are transposed: rows are queries, columns are keys.",
        ),
        Misconception(
            lambda q, k, w: q @ w @ np.swapaxes(k, -1, -2) * k.shape[-1] ** -0.5,
            "the scores are divided by √d_k; this exercise asks for q w kᵀ without a scale.",
        ),
        Misconception(
            lambda q, k, w: q @ w @ np.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5,
            "the scores are divided by √d_q; this exercise asks for q w kᵀ without a scale.",
        ),
        Misconception(
            lambda q, k, w: softmax(q @ w @ np.swapaxes(k, -1, -2)),
            "these are weights; a score is what goes into the softmax.",
        ),
        Misconception(
            _query_and_key_by_number,
            "query i meets key i only; every query is scored against every key.",
        ),
        Misconception(
            _common_width,
            "feature meets feature of the same number, up to the smaller width: w says which meet.",
        ),
        Misconception(
            lambda q, k, w: np.einsum("id,de,je->ij", q, w, k),
            "this works without batch axes only; `@` carries them along.",
        ),
        Misconception(
            lambda q, k, w: np.einsum("...id,...de,...je->...ij", q, w, k).astype(np.float64),
            "the result is float64 whatever came in; the products alone keep the caller's dtype.",
        ),
    ),
    notice=(
        "w may be learned: then the model chooses which features of a query should meet which "
        "features of a key. With it, n_q × d_q × d_k + n_q × n_k × d_k multiplications replace "
        "n_q × n_k × d_k."
    ),
    cases=(
        case(
            q=np.array([[1.0, 2.0]]),
            k=np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]),
            w=np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        ),
        case(
            q=np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]),
            k=np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 1.0]]),
            w=np.array([[1.0, 2.0], [3.0, 4.0]]),
        ),
        case(q=np.array([[2.0]]), k=np.array([[3.0]]), w=np.array([[5.0]])),
        case(
            q=rng.standard_normal((2, 3, 4)),
            k=rng.standard_normal((2, 5, 6)),
            w=rng.standard_normal((4, 6)),
        ),
        case(
            q=rng.standard_normal((2, 3, 4, 7)),
            k=rng.standard_normal((2, 3, 6, 5)),
            w=rng.standard_normal((7, 5)),
        ),
        case(
            q=rng.standard_normal((3, 3, 3)),
            k=rng.standard_normal((3, 3, 3)),
            w=rng.standard_normal((3, 3)),
        ),
        case(
            q=rng.standard_normal((2, 4)).astype(np.float32),
            k=rng.standard_normal((3, 5)).astype(np.float32),
            w=rng.standard_normal((4, 5)).astype(np.float32),
        ),
        stress(
            q=np.array([[1, 2]], dtype=np.float16),
            k=np.array([[1, 0, 1], [0, 1, 2]], dtype=np.float16),
            w=np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float16),
        ),
        stress(
            q=np.array([[1, 2]]),
            k=np.array([[1, 0, 1], [0, 1, 2]]),
            w=np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        ),
        stress(
            q=np.array([[1.0, 2.0]]),
            k=np.array([[1.0, 0.0, 1.0], [np.nan, 1.0, 2.0]]),
            w=np.array([[1, 2, 3], [4, 5, 6]]),
        ),
        stress(
            q=np.array([[1e4, -1e4]]),
            k=np.array([[1e4, 0.0, 0.0], [0.0, 1e200, 0.0]]),
            w=np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        ),
    ),
)
