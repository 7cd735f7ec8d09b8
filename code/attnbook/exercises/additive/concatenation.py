"""The additive score from one matrix that acts on the query and the key laid end to end."""

import numpy as np

from attnbook.exercises.additive import wrong_scores as wrong
from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import additive as solutions
from attnbook.exercises.write import Write, case, stress
from attnbook.reference import softmax

rng = np.random.default_rng(0)


def _scores(scorer, parts):
    """Scores of `scorer`, with the matrices for queries and for keys that `parts` makes of w."""
    return lambda q, k, w, w_v: scorer(q, k, *parts(w, q.shape[-1], k.shape[-1]), w_v)


def _right_parts(w, d_q, d_k):
    return w[:, :d_q].T, w[:, d_q:].T


def _with(scorer):
    return _scores(scorer, _right_parts)


def _cut(parts):
    return _scores(wrong.right, parts)


def _reshaped(w, d_q, d_k):
    w = w.reshape(d_q + d_k, -1)
    return w[:d_q], w[d_q:]


def _random(n_q, n_k, d_q, d_k, d_hidden, batch=(), dtype=np.float64):
    sizes = {
        "q": (*batch, n_q, d_q),
        "k": (*batch, n_k, d_k),
        "w": (d_hidden, d_q + d_k),
        "w_v": (d_hidden,),
    }
    return {name: rng.standard_normal(size).astype(dtype) for name, size in sizes.items()}


def _tiny(dtype=np.float64):
    """One query of width 1, two keys of width 2."""
    floating = dtype if np.dtype(dtype).kind == "f" else np.float64
    return {
        "q": np.array([[2]], dtype),
        "k": np.array([[1, 0], [0, 1]], dtype),
        "w": np.array([[0.5, 0.0, 1.0], [0.25, 0.5, -1.0]], floating),
        "w_v": np.array([2.0, 1.0], floating),
    }


concat_scores = Write(
    name="additive.concat_scores",
    title="One matrix on both",
    level="medium",
    minutes=10,
    solution_of=solutions.concat_scores,
    hints=(
        "W [q; k] is a sum of two parts. Which columns of W meet the query?",
        "The first d_q columns meet the query, the others the key: `w[:, :d_q]` and `w[:, d_q:]`.",
        "Our scorer multiplies rows from the left, x @ w_q with w_q of shape (d_q, d_hidden): "
        "transpose both parts.",
    ),
    explanation=(
        "A matrix times a column vector that is laid end to end is the sum of its two parts times "
        "the two pieces. Transposed, the parts are our w_q and w_k, and no pair has to be laid "
        "end to end."
    ),
    misconceptions=(
        Misconception(
            _cut(lambda w, d_q, d_k: (w[:, d_k:].T, w[:, :d_k].T)),
            "the query comes first in [q; k], so the first columns of W belong to it.",
        ),
        Misconception(
            _cut(lambda w, d_q, d_k: (w[:, : (d_q + d_k) // 2].T, w[:, (d_q + d_k) // 2 :].T)),
            "W is cut in half; the cut is after d_q columns, wherever that is.",
        ),
        Misconception(
            _cut(lambda w, d_q, d_k: (w[:, :d_k].T, w[:, d_k:].T)),
            "W is cut after d_k columns; the query, of width d_q, is first.",
        ),
        Misconception(
            _cut(lambda w, d_q, d_k: (w[:d_q], w[d_q:])),
            "the rows of W are cut; W acts on a column, so its columns belong to query and key.",
        ),
        Misconception(
            _cut(lambda w, d_q, d_k: (w[:, :d_q], w[:, d_q:])),
            "the parts of W stand on the left of a column; on the right of a row they are "
            "transposed.",
        ),
        Misconception(
            _cut(_reshaped), "reshape keeps the order of the numbers; W has to be transposed: w.T."
        ),
        Misconception(
            _with(wrong.no_tanh), "the tanh is missing: the query cancels in the softmax."
        ),
        Misconception(
            _with(wrong.bent_apart),
            "each side is bent before they meet: the query still cancels. Add first.",
        ),
        Misconception(
            _with(wrong.tanh_last), "the tanh stands after w_v; it belongs to each hidden unit."
        ),
        Misconception(
            _with(wrong.transposed),
            "the scores are transposed: rows are queries, columns are keys.",
        ),
        Misconception(
            _with(wrong.by_number),
            "query i meets key i only; every query is scored against every key.",
        ),
        Misconception(
            _with(wrong.without_batch),
            "this works without batch axes only; count the axes from the back.",
        ),
        Misconception(
            _with(wrong.one_batch_axis),
            "this works with one batch axis only; count the axes from the back.",
        ),
        Misconception(
            lambda *inputs: softmax(_with(wrong.right)(*inputs)),
            "these are weights; a score is what goes into the softmax.",
        ),
        Misconception(
            _with(wrong.an_axis_left),
            "one axis too many is left, of size 1: a score is one number for each pair.",
        ),
        Misconception(
            _with(wrong.double),
            "the result is float64 whatever came in; keep the caller's float type.",
        ),
    ),
    notice=(
        "This is how to read another model's weights into ours. Most such conversions are a cut, "
        "a transpose and an order, and each of the three can be wrong in silence."
    ),
    cases=(
        case(**_tiny()),
        case(**_random(1, 1, 1, 1, 1)),
        case(**_random(2, 3, 2, 2, 4)),
        case(**_random(3, 3, 2, 2, 2)),
        case(**_random(3, 5, 4, 2, 6)),
        case(**_random(3, 4, 2, 5, 7, batch=(2,))),
        case(**_random(4, 3, 6, 1, 5, batch=(2, 3))),
        case(**_random(3, 3, 3, 3, 6, batch=(3,))),
        case(**_random(2, 3, 2, 3, 5, dtype=np.float32)),
        stress(**_tiny(np.float16)),
        stress(**_tiny(np.int8)),
        stress(**_tiny() | {"k": np.array([[1, 0], [0, 1]])}),
        stress(**_tiny() | {"q": np.array([[1e4]])}),
        stress(**_tiny() | {"q": np.array([[-1e300]])}),
        stress(**_tiny() | {"k": np.array([[1.0, 0.0], [np.nan, 1.0]])}),
    ),
)
