"""One chunk, read from its own steps and from a state."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import linear as solutions
from attnbook.reference import softmax

rng = np.random.default_rng(1)


def _t(x):
    return np.swapaxes(x, -1, -2)


def _inside(triangle):
    """The solution with another triangle of scores."""
    return lambda q, k, v, state: triangle(q @ _t(k)) @ v + q @ state


def _random(n, d_k, d_v, batch=(), dtype=np.float64):
    shapes = {"q": (n, d_k), "k": (n, d_k), "v": (n, d_v), "state": (d_k, d_v)}
    return {
        name: rng.standard_normal((*batch, *shape)).astype(dtype) for name, shape in shapes.items()
    }


def _averaged(q, k, v, state):
    weights = np.tril(q @ _t(k))
    return weights @ v / weights.sum(axis=-1, keepdims=True) + q @ state


def _with_softmax(q, k, v, state):
    scores = q @ _t(k)
    return softmax(scores, np.tri(scores.shape[-1], dtype=bool)) @ v + q @ state


def _all_averaged(q, k, v, state):
    weights = np.tril(q @ _t(k))
    return (weights @ v + q @ state) / weights.sum(axis=-1, keepdims=True)


def _filled(fill):
    return _inside(lambda s: np.where(np.tri(s.shape[-1], dtype=bool), s, fill))


def _first_reads(q, k, v, state):
    """Only the first step reads the state."""
    first = np.arange(q.shape[-2])[:, None] == 0
    return np.tril(q @ _t(k)) @ v + np.where(first, q @ state, 0)


FUTURE = (
    "a step reads the steps after it: the causal mask is missing, or the state has the whole chunk "
    "in it before it is read."
)

read_chunk = Write(
    name="linear.read_chunk",
    title="Read a chunk",
    level="medium",
    minutes=8,
    solution_of=solutions.read_chunk,
    hints=(
        "Two parts are added: what the steps of the chunk have written, and what stands in the "
        "state.",
        "Inside, the scores q kᵀ under a causal mask take the place of weights: np.tril keeps the "
        "triangle.",
        "The state is read by all queries at once: q @ state.",
    ),
    explanation=(
        "np.tril keeps row i up to column i, so step i reads the steps up to its own. The state "
        "comes from before the chunk, and every step reads all of it."
    ),
    misconceptions=(
        Misconception(_inside(lambda s: s), FUTURE),
        Misconception(
            lambda q, k, v, state: q @ (state + _t(k) @ v),
            FUTURE,
        ),
        Misconception(
            _inside(lambda s: np.tril(s, -1)),
            "the diagonal is lost: a step writes first and reads then, its own value included.",
        ),
        Misconception(
            _inside(np.triu), "the triangle is turned: a row is a query, and reads columns j ≤ i."
        ),
        Misconception(
            _inside(lambda s: np.tril(s, 1)),
            "the triangle is one diagonal too high: each step reads the one after it too.",
        ),
        *(
            Misconception(
                _filled(fill),
                "the future is filled with a number that only a softmax makes 0; here the scores "
                "are the weights themselves, so the future has to be 0.",
            )
            for fill in (-np.inf, -1e9)
        ),
        Misconception(
            lambda q, k, v, state: np.tril(q @ _t(k)) @ v + q @ (state + _t(k) @ v),
            "the chunk is read twice, and once with its future: the state comes from before it.",
        ),
        Misconception(_first_reads, "only the first step reads the state; every step does."),
        Misconception(
            lambda q, k, v, state: np.tril(q @ _t(k) @ v + q @ state),
            "the triangle is taken from the output; it belongs on the scores, before the values.",
        ),
        Misconception(
            lambda q, k, v, state: np.tril(q @ _t(k) @ v) + q @ state,
            "the triangle is taken from the output; it belongs on the scores, before the values.",
        ),
        Misconception(
            _inside(lambda s: np.tril(np.maximum(s, 0))),
            "negative scores become 0; here the scores are the weights, of any sign.",
        ),
        Misconception(
            lambda q, k, v, state: np.cumsum(q @ _t(k) @ v, axis=-2) + q @ state,
            "the outputs are summed up; a step reads its own past with its own query.",
        ),
        Misconception(
            lambda q, k, v, state: np.tril(q @ _t(k)) @ v,
            "the state is not read: what the chunks before have written is missing.",
        ),
        Misconception(
            lambda q, k, v, state: q @ state, "the steps of the chunk itself are not read."
        ),
        Misconception(
            lambda q, k, v, state: np.tril(q @ _t(k)) @ (v + q @ state),
            "the state's part is added to the values; it is added to the output.",
        ),
        Misconception(
            lambda q, k, v, state: np.tril(q @ _t(k)) @ v + k @ state,
            "the keys read the state; the queries do.",
        ),
        Misconception(
            lambda q, k, v, state: np.tril(k @ _t(q)) @ v + q @ state,
            "queries and keys are exchanged in the scores: rows are queries.",
        ),
        Misconception(
            lambda q, k, v, state: np.tril(q @ _t(k) * q.shape[-1] ** -0.5) @ v + q @ state,
            "the scores are divided by √d_k, and the state's part is not; no scale is asked for.",
        ),
        Misconception(
            lambda q, k, v, state: solutions.read_chunk(q, k, v, state) * q.shape[-1] ** -0.5,
            "everything is divided by √d_k; no scale is asked for.",
        ),
        Misconception(
            lambda q, k, v, state: (
                _with_softmax(q * q.shape[-1] ** -0.5, k, v, 0 * state) + q @ state
            ),
            "there is a scale and a softmax over the scores; here they are the weights.",
        ),
        Misconception(
            _with_softmax, "there is a softmax over the scores; here they are the weights."
        ),
        Misconception(
            _averaged, "the chunk's part is divided by the sum of its scores; nothing is here."
        ),
        Misconception(
            _all_averaged, "everything is divided by the sum of the scores; nothing is here."
        ),
        Misconception(
            lambda q, k, v, state: np.tril(q @ k.T) @ v + q @ state,
            "k.T reverses every axis; on a stack of keys only the last two may be swapped.",
        ),
        *(
            Misconception(
                lambda q, k, v, state, pair=pair: np.tril(q @ k.swapaxes(*pair)) @ v + q @ state,
                "the axes are counted from the front; swap the last two, -1 and -2, of any stack.",
            )
            for pair in ((0, 1), (1, 2))
        ),
        Misconception(
            lambda q, k, v, state: np.tri(q.shape[-2]) @ v + q @ state,
            "the triangle of ones is multiplied by the values; it masks the scores q kᵀ.",
        ),
        Misconception(
            lambda q, k, v, state: np.tri(q.shape[-2]) * (q @ _t(k)) @ v + q @ state,
            "the result is float64 whatever came in: np.tri makes float64, np.tril keeps the "
            "dtype.",
        ),
    ),
    notice=(
        "With one step in the chunk this is the recurrent form, and with the whole text in it the "
        "parallel one."
    ),
    cases=(
        case(
            q=np.array([[1.0, 3.0]]),
            k=np.array([[1.0, 1.0]]),
            v=np.array([[8.0]]),
            state=np.array([[0.0], [4.0]]),
        ),
        case(
            q=np.array([[1.0, 3.0], [1.0, 2.0]]),
            k=np.array([[0.0, 1.0], [1.0, 1.0]]),
            v=np.array([[4.0], [8.0]]),
            state=np.array([[1.0], [0.0]]),
        ),
        case(**_random(5, 4, 3)),
        case(**_random(4, 4, 4)),
        case(**_random(5, 4, 3, batch=(2,))),
        case(**_random(3, 4, 6, batch=(2, 5))),
        case(**_random(3, 3, 3, batch=(3,))),
        case(**_random(4, 2, 3, dtype=np.float32)),
        case(**_random(5, 4, 3)),
        stress(**{name: np.float16(np.round(x)) for name, x in _random(3, 2, 2).items()}),
    ),
)
