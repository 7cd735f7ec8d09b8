"""Read a chunk · medium · 8 min

Hints
1. Two parts are added: what the steps of the chunk have written, and what stands in the state.
2. Inside the chunk, the scores q kᵀ under a causal mask serve as weights; np.tril keeps the
   triangle.
3. The state is read by all queries at once: q @ state.

Why
np.tril keeps row i up to column i, so step i reads the steps up to its own. The state comes from
before the chunk, and every step reads all of it.

Notice
With a single step in the chunk this is the recurrent form, and with the whole text in it the
parallel form.
"""

import numpy as np

from attnbook import linear
from attnbook.exercises.engine import case, draw, stress, write
from attnbook.reference import softmax


def read_chunk(q, k, v, state):
    """(M ∘ q kᵀ) v + q H: the chunk's own steps, and what the steps before have left."""
    return np.tril(q @ np.swapaxes(k, -1, -2)) @ v + q @ state


def with_weights(q, k, v, state):
    scores, seen = q @ np.swapaxes(k, -1, -2), np.tri(q.shape[-2], dtype=bool)
    weights = np.where(seen, scores, 0)
    return q @ state + weights @ v


def step_by_step(q, k, v, state):
    """Write, then read, one step after the other."""
    return linear.recurrent(q, k, v, state=state)[0]


rng = np.random.default_rng(1)


def at_random(n, d_k, d_v, *batch):
    shapes = {"q": (n, d_k), "k": (n, d_k), "v": (n, d_v), "state": (d_k, d_v)}
    return draw(rng, shapes, batch)


def typed(dtype, **arrays):
    return {name: np.array(x, dtype) for name, x in arrays.items()}


CASES = (
    case(
        **typed(float, q=[[1, 3]], k=[[1, 1]], v=[[8]], state=[[0], [4]]), gives=np.array([[44.0]])
    ),
    case(
        **typed(float, q=[[1, 3], [1, 2]], k=[[0, 1], [1, 1]], v=[[4], [8]], state=[[1], [0]]),
        gives=np.array([[13.0], [33.0]]),
    ),
    case(**at_random(5, 4, 3)),
    case(**at_random(4, 4, 4)),
    case(**at_random(5, 4, 3, 2)),
    case(**at_random(3, 4, 6, 2, 5)),
    case(**at_random(3, 3, 3, 3)),
    case(**typed(np.float32, **at_random(4, 2, 3))),
    stress(**typed(np.float16, **{name: np.round(x) for name, x in at_random(3, 2, 2).items()})),
)

MISTAKES = """
a step reads the steps after it: the causal mask is missing, or the whole chunk was written into
the state before it was read.
    np.tril( → (
the diagonal is lost: a step writes first and reads then, its own value included.
    -2)) → -2), -1)
the triangle is one diagonal too high: each step reads the one after it too.
    -2)) → -2), 1)
only the first step reads the state; every step does.
    + q @ state → + np.where(np.arange(q.shape[-2])[:, None] == 0, q @ state, 0)
negative scores become 0; here the scores are the weights, of any sign.
    scores, 0 → np.maximum(scores, 0), 0
the state's part is added to the values; it is added to the output.
    v + q @ state → (v + q @ state)
queries and keys are exchanged in the scores: rows are queries.
    tril(q @ np.swapaxes(k → tril(k @ np.swapaxes(q
there is a softmax over the scores; here they are the weights.
    np.where(seen, scores, 0) → softmax(scores, seen) || softmax(scores * q.shape[-1] ** -0.5, seen)
the output, or the chunk's part of it, is divided by the sum of the scores; nothing is here.
    weights @ v → weights @ v / weights.sum(axis=-1, keepdims=True)
    q @ state + weights @ v → (q @ state + weights @ v) / weights.sum(axis=-1, keepdims=True)
these are not the last two axes of every stack of keys: swap -1 and -2.
    tril(q @ np.swapaxes(k, -1, -2) → tril(q @ k.T || tril(q @ np.swapaxes(k, 0, 1)
    tril(q @ np.swapaxes(k, -1, -2) → tril(q @ np.swapaxes(k, 1, 2)
the triangle of ones is multiplied by the values; it masks the scores q kᵀ.
    = np.tri(q.shape[-2]) @ v + q @ state
"""

exercise = write(read_chunk, CASES, MISTAKES, drafts=(with_weights,), oracle=step_by_step)
