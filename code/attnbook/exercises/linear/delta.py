"""One write by the delta rule."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import linear as solutions

rng = np.random.default_rng(0)


def _read(k, state):
    return (k[..., None, :] @ state)[..., 0, :]


def _outer(k, v):
    return k[..., :, None] * v[..., None, :]


def _written(what):
    """The update with another vector in the place of β (v - k H)."""
    return lambda state, k, v, beta: state + _outer(k, what(state, k, v, beta[..., None]))


def _one_by_one(state, k, v, beta):
    return state + beta * np.outer(k, v - k @ state)


def _outer_of_all(state, k, v, beta):
    return state + np.outer(k, beta * (v - k @ state))


def _for_two_axes(state, k, v, beta):
    return state + beta * np.outer(k, v - k @ state).reshape(state.shape)


def _in_place(state, k, v, beta):
    state += beta[..., None, None] * _outer(k, v - _read(k, state))
    return state


def _beta_without_axes(state, k, v, beta):
    return state + beta * _outer(k, v - _read(k, state))


def _beta_with_one_axis(state, k, v, beta):
    return state + beta[..., None] * _outer(k, v - _read(k, state))


def _columns(state, k, v, beta):
    """H with the features of values in its rows."""
    read = (state @ k[..., :, None])[..., 0]
    return state + beta[..., None, None] * _outer(v - read, k)


def _unit(k):
    length = np.linalg.norm(k, axis=-1, keepdims=True)
    return k / np.where(length == 0, 1, length)


NEW = "β multiplies the new value alone; it belongs on all that is written, β (v - k H)."

delta_update = Write(
    name="linear.delta_update",
    title="One write by the delta rule",
    level="easy",
    minutes=8,
    solution_of=solutions.delta_update,
    hints=(
        "What does the key read? k H, for vectors in the last axis: "
        "`(k[..., None, :] @ state)[..., 0, :]`.",
        "What is missing is v minus that. It is written under the key: an outer product, "
        "`k[..., :, None] * missing[..., None, :]`.",
        "`beta` has no axis for the matrix: `beta[..., None, None]`.",
    ),
    explanation=(
        "Before the write the key reads k H. What is missing, times β, is written under the key, "
        "as an outer product with a row for each feature of the key."
    ),
    misconceptions=(
        Misconception(
            _written(lambda state, k, v, beta: beta * v),
            "nothing is corrected: the value is added to what the key reads already.",
        ),
        Misconception(
            _written(lambda state, k, v, beta: v), "this is the plain sum: β and k H are not used."
        ),
        Misconception(_written(lambda state, k, v, beta: beta * v - _read(k, state)), NEW),
        Misconception(
            _written(lambda state, k, v, beta: v - beta * _read(k, state)),
            "β multiplies the old value alone; it belongs on all that is written, β (v - k H).",
        ),
        Misconception(
            _written(lambda state, k, v, beta: v - _read(k, state)),
            "β is not used: it says how far the key moves towards the new value.",
        ),
        Misconception(
            _written(lambda state, k, v, beta: beta * (v + _read(k, state))),
            "what the key reads is added; it has to be taken off.",
        ),
        Misconception(
            _written(lambda state, k, v, beta: beta * (_read(k, state) - v)),
            "the sign is turned: v - k H is missing, not k H - v.",
        ),
        Misconception(
            lambda state, k, v, beta: solutions.delta_update(state, k, v, beta) - state,
            "this is what is written; the state that was there before is lost.",
        ),
        Misconception(
            lambda state, k, v, beta: (
                (1 - beta[..., None, None]) * state + beta[..., None, None] * _outer(k, v)
            ),
            "the whole state shrinks by 1 - β; the delta rule changes only what this key reads.",
        ),
        Misconception(
            lambda state, k, v, beta: solutions.delta_update(state, _unit(k), v, beta),
            "the key is divided by its length: take it as it is.",
        ),
        Misconception(
            lambda state, k, v, beta: solutions.delta_update(
                state, k, v, beta / np.sum(k * k, axis=-1)
            ),
            "what is written is divided by |k|², which makes another rule: take the key as it is.",
        ),
        Misconception(
            lambda state, k, v, beta: solutions.delta_update(state, k, v, beta**2),
            "β is applied twice.",
        ),
        Misconception(
            lambda state, k, v, beta: solutions.delta_update(state, k, v, np.clip(beta, 0, 1)),
            "β is cut to lie between 0 and 1: take it as it is.",
        ),
        Misconception(
            lambda state, k, v, beta: solutions.delta_update(state, k, v, 1 - beta),
            "that is 1 - β: β is the share of what is missing that is written.",
        ),
        Misconception(
            lambda state, k, v, beta: beta[..., None, None] * state + _outer(k, v),
            "this is a decay by β; the delta rule takes off what this key reads, and no more.",
        ),
        Misconception(
            lambda state, k, v, beta: (
                state + beta[..., None, None] * _outer(k, v - _read(k, state + _outer(k, v)))
            ),
            "the key reads after it has written; what is missing is asked before.",
        ),
        Misconception(
            lambda state, k, v, beta: _read(k, solutions.delta_update(state, k, v, beta)),
            "this is what the key reads afterwards; the new state is asked for.",
        ),
        Misconception(
            lambda state, k, v, beta: solutions.delta_update(state, k, v, 2 * beta),
            "twice too much is written: the half before the square cancels the 2 of the gradient.",
        ),
        Misconception(
            lambda state, k, v, beta: (
                state + (beta[..., None] * (v - _read(k, state)))[..., None, :]
            ),
            "what is missing is added to every row; k says how much of it each row gets.",
        ),
        Misconception(
            lambda state, k, v, beta: (
                state + beta[..., None, None] * k[..., :, None] * (v[..., None, :] - state)
            ),
            "each row of H is compared with v on its own; the key reads k H, a sum of rows.",
        ),
        Misconception(
            lambda state, k, v, beta: (
                solutions.delta_update(state, k, v, beta) - beta[..., None, None] * state
            ),
            "the whole state shrinks by 1 - β; the delta rule changes only what this key reads.",
        ),
        Misconception(
            lambda state, k, v, beta: (
                state + beta[..., None, None] * _outer(v - _read(k, state), k)
            ),
            "the outer product is turned: it has a row for each feature of the key.",
        ),
        Misconception(
            _columns,
            "rows and columns are exchanged: H has a row for each feature of the key.",
        ),
        *(
            Misconception(
                plain,
                "this works without batch axes only: np.outer flattens, and @ reads k as a matrix.",
            )
            for plain in (_one_by_one, _for_two_axes, _outer_of_all)
        ),
        Misconception(
            lambda state, k, v, beta: state + beta[..., None, None] * _outer(k, v - k @ state),
            "k @ state takes a stack of keys for a matrix: (k[..., None, :] @ state)[..., 0, :].",
        ),
        Misconception(
            lambda state, k, v, beta: state + beta * (k.T @ (v - k @ state)),
            "k.T @ … is no outer product: `.T` leaves a vector as it is. k[..., :, None] is a "
            "column.",
        ),
        Misconception(
            lambda state, k, v, beta: (
                state + beta[..., None, None] * _outer(k, v - np.sum(k[..., None] * state, axis=0))
            ),
            "the sum runs along axis 0, a batch axis where there is one: rows are axis -2.",
        ),
        *(
            Misconception(
                version,
                "β meets the wrong axis: it has none for the rows and columns of H, so "
                "beta[..., None, None].",
            )
            for version in (_beta_without_axes, _beta_with_one_axis)
        ),
        Misconception(
            lambda state, k, v, beta: solutions.delta_update(state, k, v, beta).astype(np.float64),
            "the result is float64 whatever came in; keep the caller's float type.",
        ),
        Misconception(_in_place, "state += … changes the caller's state; make a new array."),
    ),
    notice=(
        "For a key of length 1 the reading moves the share β of the way to the new value. A key "
        "longer than √2 with β = 1 moves past it, by more than it was off: written again and "
        "again, it makes the state grow without bound."
    ),
    cases=(
        case(
            state=np.array([[2.0], [6.0]]),
            k=np.array([1.0, 0.0]),
            v=np.array([5.0]),
            beta=np.array(0.5),
        ),
        case(
            state=np.array([[1.0, 2.0], [3.0, 4.0]]),
            k=np.array([0.6, 0.8]),
            v=np.array([1.0, 0.0]),
            beta=np.array(0.25),
        ),
        case(
            state=rng.standard_normal((4, 3)),
            k=rng.standard_normal(4),
            v=rng.standard_normal(3),
            beta=np.array(0.7),
        ),
        case(
            state=rng.standard_normal((2, 4, 3)),
            k=rng.standard_normal((2, 4)),
            v=rng.standard_normal((2, 3)),
            beta=rng.random(2),
        ),
        case(
            state=rng.standard_normal((3, 3, 3)),
            k=rng.standard_normal((3, 3)),
            v=rng.standard_normal((3, 3)),
            beta=rng.random(3),
        ),
        case(
            state=rng.standard_normal((2, 3, 5, 2)),
            k=rng.standard_normal((2, 3, 5)),
            v=rng.standard_normal((2, 3, 2)),
            beta=rng.random((2, 3)),
        ),
        case(
            state=rng.standard_normal((4, 3)),
            k=rng.standard_normal(4),
            v=rng.standard_normal(3),
            beta=np.array(1.7),
        ),
        stress(
            state=np.float32([[2, 1], [6, 0]]),
            k=np.float32([1, 0]),
            v=np.float32([5, 5]),
            beta=np.array(0.5, np.float32),
        ),
        stress(
            state=np.float16([[2, 1], [6, 0]]),
            k=np.float16([1, 0]),
            v=np.float16([5, 5]),
            beta=np.array(0.5, np.float16),
        ),
    ),
)
