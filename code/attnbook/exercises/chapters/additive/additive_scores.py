"""The additive score · medium · 10 min

Hints
1. Project both sides first: `q @ w_q` is (..., n_q, d_hidden), `k @ w_k` is (..., n_k, d_hidden).
2. Each query has to meet each key: give the queries a new axis for the keys, `[..., :, None, :]`,
   and the keys one for the queries.
3. The sum has the shape (..., n_q, n_k, d_hidden). `@ w_v` adds up its last axis.

Why
The two new axes make every query meet every key, and broadcasting does the rest. The tanh stands
after the sum and before w_v: there the query can change what a key counts.

Notice
No width of a query or key is left in the result, and none need agree. What it costs is the array in
the middle, n_q · n_k · d_hidden numbers.
"""

import math

import numpy as np

from attnbook import reference
from attnbook.exercises.engine import case, draw, stress, write
from attnbook.reference import softmax


def additive_scores(q, k, w_q, w_k, w_v):
    """S_ij = tanh(q_i W_q + k_j W_k) · w_v, for queries and keys of any two widths."""
    hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
    return hidden @ w_v


@np.vectorize(signature="(d),(e),(d,h),(e,h),(h)->()")
def of_one_pair(q, k, w_q, w_k, w_v):
    units = zip(w_v, w_q.T, w_k.T, strict=True)
    with np.errstate(invalid="ignore"):  # in ∞ · 0
        return sum(v * math.tanh(q @ for_q + k @ for_k) for v, for_q, for_k in units)


def pair_by_pair(q, k, w_q, w_k, w_v):
    return of_one_pair(q[..., :, None, :], k[..., None, :, :], w_q, w_k, w_v)


rng = np.random.default_rng(0)


def random(n_q, n_k, d_q, d_k, d_hidden, batch=(), dtype=np.float64):
    sizes = {
        "q": (*batch, n_q, d_q),
        "k": (*batch, n_k, d_k),
        "w_q": (d_q, d_hidden),
        "w_k": (d_k, d_hidden),
        "w_v": (d_hidden,),
    }
    return draw(rng, sizes, dtype=dtype)


def tiny(dtype=np.float64):
    """One query of width 2, two keys of width 3; the hidden units get 1, 1/2 and 3/2, 0."""
    floating = dtype if np.dtype(dtype).kind == "f" else np.float64
    return {
        "q": np.array([[1, 2]], dtype),
        "k": np.array([[1, 0, 0], [0, 1, 1]], dtype),
        "w_q": np.array([[0.5, 0.0], [0.0, 0.25]], floating),
        "w_k": np.array([[0.5, 0.0], [0.0, 0.5], [1.0, -1.0]], floating),
        "w_v": np.array([2.0, 1.0], floating),
    }


def far_out(size):
    """Sums so large that each unit is 1 or -1: the scores are 3, 1, -1 or -3."""
    return tiny() | {
        "q": np.array([[size, size], [0.0, 0.0]]),
        "k": np.array([[1.0, 0.0, 0.0], [-3 * size, size, size]]),
    }


CASES = (
    case(**tiny(), gives=np.array([[2 * np.tanh(1) + np.tanh(0.5), 2 * np.tanh(1.5)]])),
    case(**random(1, 1, 1, 1, 1)),
    case(**random(2, 1, 3, 2, 4)),
    case(**random(3, 3, 2, 2, 2)),
    case(**random(3, 5, 4, 2, 6)),
    case(**random(3, 4, 5, 2, 7, batch=(2,))),
    case(**random(4, 3, 2, 6, 5, batch=(2, 3))),
    case(**random(3, 3, 3, 3, 3, batch=(3,))),
    case(**random(2, 3, 4, 5, 1, batch=(1,))),
    case(**random(2, 3, 4, 5, 3, batch=(2, 1, 3))),
    case(**random(2, 3, 4, 5, 6, dtype=np.float32)),
    stress(**tiny(np.float16)),
    stress(**tiny(np.int8)),
    stress(**tiny() | {"q": np.array([[1, 2]]), "k": np.array([[1, 0, 0], [0, 1, 1]])}),
    stress(**far_out(1e4)),
    stress(**far_out(-1e300)),
    stress(**tiny() | {"k": np.array([[1.0, 0.0, 0.0], [np.nan, 1.0, 1.0]])}),
    stress(**tiny() | {"q": np.array([[np.inf, 1.0]])}),
    stress(**random(2, 3, 2, 3, 400)),
)

MISTAKES = """
a constant is added, to the score or before the tanh; this score has no bias.
    [..., None, :, :]) → [..., None, :, :] + 1)
    hidden @ w_v → hidden @ w_v + 1
this bends with another function; the score wants np.tanh.
    np.tanh → np.exp || np.sin
    np.tanh( → np.maximum(0, || (lambda x: 0.5 + 0.5 * np.tanh(x / 2))(
the tanh is missing: the query adds one number to its whole row, and softmax drops it.
    np.tanh( → (
each side is bent before they meet: the query still adds one number to its whole row. Add first.
    np.tanh((q @ w_q) → (np.tanh(q @ w_q) ; (k @ w_k) → np.tanh(k @ w_k)
the tanh is one of each hidden unit, before they are added up: not of the score, nor of w_v.
    np.tanh( → ( ; hidden @ w_v → np.tanh(hidden @ w_v)
    hidden @ w_v → np.tanh(hidden @ w_v)
    np.tanh( → ( ; hidden @ w_v → hidden @ np.tanh(w_v)
query and key are multiplied; in this score they are added, unit by unit.
    ] + ( → ] * (
    = (np.tanh(q @ w_q) * w_v) @ np.swapaxes(np.tanh(k @ w_k), -1, -2)
    = (q @ w_q * w_v) @ np.swapaxes(k @ w_k, -1, -2)
    = np.tanh((q @ w_q * w_v) @ np.swapaxes(k @ w_k, -1, -2))
w_v stands inside the tanh; it weights what comes out of it.
    = additive_scores(q, k, w_q * w_v, w_k * w_v, np.ones_like(w_v))
this is the mean over the hidden units; a score is their sum.
    hidden @ w_v → (hidden * w_v).mean(axis=-1)
the score, or what the tanh gets, is divided by √d_hidden; the additive score has no scale.
    hidden @ w_v → hidden @ w_v * len(w_v) ** -0.5
    np.tanh( → np.tanh(len(w_v) ** -0.5 * ( ; :, :]) → :, :]))
the exponentials of a large sum overflow, and ∞/∞ is NaN; np.tanh has no such limit.
    np.tanh( → (lambda x: (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1))(
    np.tanh( → (lambda x: (1 - np.exp(-2 * x)) / (1 + np.exp(-2 * x)))(
    np.tanh( → (lambda x: (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x)))(
query i meets key i only; every query is scored against every key.
    [..., :, None, :] → ; [..., None, :, :] →
this works for one number of batch axes only: with `[..., :, None, :]` and `[..., None, :, :]` both
sides count their axes from the back.
    [..., :, None, :] → [:, None] ; [..., None, :, :] → [None]
    [..., :, None, :] → [:, None] ; [..., None, :, :] →
    [..., :, None, :] → [..., None, :] ; [..., None, :, :] →
    = np.array([[np.tanh(x @ w_q + y @ w_k) @ w_v for y in k] for x in q])
    [..., :, None, :] → [:, :, None] ; [..., None, :, :] → [:, None]
    [..., :, None, :] → [:, :, None, :] ; [..., None, :, :] → [:, None, :, :]
"""

exercise = write(
    additive_scores, CASES, MISTAKES, oracle=pair_by_pair, ours=(reference.additive_scores,)
)
