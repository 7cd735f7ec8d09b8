"""One write by the delta rule · easy · 8 min

Hints
1. First compute what the key reads, k H. For vectors in the last axis that is
   `(k[..., None, :] @ state)[..., 0, :]`.
2. What is missing is v minus that. To write it under the key, add an outer product,
   `k[..., :, None] * missing[..., None, :]`.
3. `beta` lacks the two axes of the matrix; `beta[..., None, None]` has them.

Why
Before the write the key reads k H. What is missing, times β, is written under the key, as an outer
product with a row for each feature of the key.

Notice
For a key of length 1 the reading moves the fraction β of the way to the new value. With a key
longer than √2 and β = 1 it moves past the new value, by more than it was off before; if such a key
is written again and again, the state grows without bound.
"""

import numpy as np

from attnbook.exercises.engine import case, draw, stress, write


def delta_update(state, k, v, beta):
    """H + β k ⊗ (v - k H): the key reads, and what is missing is written."""
    missing = v - (k[..., None, :] @ state)[..., 0, :]
    return state + beta[..., None, None] * k[..., :, None] * missing[..., None, :]


def by_a_matrix(state, k, v, beta):
    """(I - β k kᵀ) H + β k vᵀ: what is kept, and what is new."""
    one = beta[..., None, None] * k[..., :, None]
    kept = np.eye(k.shape[-1]) - one @ k[..., None, :]
    return (kept @ state + one @ v[..., None, :]).astype(state.dtype)


rng = np.random.default_rng(0)


def at_random(*batch, d_k=4, d_v=3, beta=None):
    beta = rng.random(batch) if beta is None else beta
    shapes = {"state": (d_k, d_v), "k": (d_k,), "v": (d_v,)}
    return draw(rng, shapes, batch) | {"beta": np.array(beta)}


def typed(state, k, v, beta, dtype=np.float64):
    given = {"state": state, "k": k, "v": v, "beta": beta}
    return {name: np.array(x, dtype) for name, x in given.items()}


CASES = (
    case(**typed([[2], [6]], [1, 0], [5], 0.5), gives=np.array([[3.5], [6.0]])),
    case(
        **typed([[1, 2], [3, 4]], [0.6, 0.8], [1, 0], 0.25),
        gives=np.array([[0.7, 1.34], [2.6, 3.12]]),
    ),
    case(**at_random(beta=0.7)),
    case(**at_random(2)),
    case(**at_random(3, d_k=3, d_v=3)),
    case(**at_random(2, 3, d_k=5, d_v=2)),
    case(**at_random(beta=1.7)),
    stress(**typed([[2, 1], [6, 0]], [1, 0], [5, 5], 0.5, np.float32)),
    stress(**typed([[2, 1], [6, 0]], [1, 0], [5, 5], 0.5, np.float16)),
)

MISTAKES = r"""
nothing is corrected: the value is added to what the key reads already.
    v - (k[..., None, :] @ state)[..., 0, :] → v
this is the plain sum: β and k H are not used.
    = state + k[..., :, None] * v[..., None, :]
β multiplies one of the two alone, the new value or the old; it belongs on all that is written,
β (v - k H).
    v - ( → beta[..., None] * v - ( ; beta[..., None, None] * →
    v - ( → v - beta[..., None] * ( ; beta[..., None, None] * →
the whole state is multiplied by 1 - β; the delta rule changes it only in the direction of the key.
    v - (k[..., None, :] @ state)[..., 0, :] → v ; state + → (1 - beta[..., None, None]) * state +
    state + → (1 - beta[..., None, None]) * state +
this is a decay by β; the delta rule subtracts what this key reads, and no more.
    = beta[..., None, None] * state + k[..., :, None] * v[..., None, :]
the key, or what it writes, is divided by its length or the square of it: take the key as it is.
    = delta_update(state, k / np.linalg.norm(k, axis=-1, keepdims=True), v, beta)
    = delta_update(state, k, v, beta / np.sum(k * k, axis=-1))
another number stands for β: what is missing is multiplied by β once, as it is.
    beta[..., None, None] → beta[..., None, None] ** 2
    = delta_update(state, k, v, np.clip(beta, 0, 1)) || delta_update(state, k, v, 1 - beta)
the key reads after it has written; what is missing has to be computed before the write.
    @ state) → @ (state + k[..., :, None] * v[..., None, :]))
this is what the key reads afterwards; the exercise asks for the new state.
    = (k[..., None, :] @ delta_update(state, k, v, beta))[..., 0, :]
what is missing is added to every row; k says how much of it each row gets.
    k[..., :, None] * →
each row of H is compared with v on its own; the key reads k H, a sum of rows.
    = state + beta[..., None, None] * k[..., :, None] * (v[..., None, :] - state)
rows and columns are exchanged: H has a row for each feature of the key.
    k[..., :, None] * missing[..., None, :] → missing[..., :, None] * k[..., None, :]
    (k[..., None, :] @ state)[..., 0, :] → (state @ k[..., :, None])[..., 0] ; k[..., :, None] * missing[..., None, :] → missing[..., :, None] * k[..., None, :]
k.T @ … is no outer product: `.T` leaves a vector as it is. k[..., :, None] is a column.
    = state + beta * (k.T @ (v - k @ state))
"""

exercise = write(delta_update, CASES, MISTAKES, oracle=by_a_matrix)
