r"""Project, step 1: the forward pass · hard · 20 min

Hints
1. For each block of queries begin with m = −∞, l = 0 and o = 0, one of each for every query, and
   go over the blocks of keys.
2. Query i stands at key i + n_k − n_q, and sees the keys up to that one. Set the other scores of a
   tile to −∞ before you hand it to `step`.
3. The last query of a block sees the furthest: the inner loop ends with the tile that holds the
   key at which this query stands.
4. When all tiles of a block of queries are done, its output is o / l, and its L is m + log(l).

Why
For each block of queries m, l and o begin anew, and `step` takes one tile after the other into
them. The inner loop stops behind the last key that the last query of the block sees, so that no
empty tile is made. At the end o is divided by l, once.

Notice
That is FlashAttention's forward pass, and no array in it had more scores than one tile.
"""

import numpy as np

from attnbook.exercises.chapters.flash_attention._counted import (
    example,
    tiles_left,
    without_the_matrix,
)
from attnbook.exercises.engine import case, counting_calls, draw_qkv, stress, write
from attnbook.masks import causal_mask
from attnbook.online import attention_with_lse


def forward(q, k, v, rows, columns, step):
    """Causal attention and its L: tiles of `rows` queries by `columns` keys, each taken by step."""
    (n_q, d), n_k = q.shape, len(k)
    out, lse = np.empty((n_q, v.shape[1])), np.empty(n_q)
    for i in range(0, n_q, rows):
        last = np.arange(i, min(i + rows, n_q)) + n_k - n_q
        m, l, o = (
            np.full(len(last), -np.inf),
            np.zeros(len(last)),
            np.zeros((len(last), v.shape[1])),
        )
        for j in range(0, last[-1] + 1, columns):
            keys = np.arange(j, min(j + columns, n_k))
            scores = q[i : i + rows] @ k[keys].T / d**0.5
            scores = np.where(keys <= last[:, None], scores, -np.inf)
            m, l, o = step(m, l, o, scores, v[keys])
        out[i : i + rows], lse[i : i + rows] = o / l[:, None], m + np.log(l)
    return out, lse


def step(m, l, o, scores, v):
    """One more block, as in the chapter on online softmax."""
    new = np.maximum(m, np.max(scores, axis=-1))
    shift = np.where(new == -np.inf, 0, new)
    c, p = np.exp(m - shift), np.exp(scores - shift[..., None])
    return new, c * l + np.sum(p, axis=-1), c[..., None] * o + p @ v


def as_one_tile(q, k, v, rows, columns, step):
    """The full score matrix goes to step as one tile."""
    scores = np.where(causal_mask(len(q), len(k)), q @ k.T / q.shape[-1] ** 0.5, -np.inf)
    start = np.full(len(q), -np.inf), np.zeros(len(q)), np.zeros((len(q), v.shape[1]))
    m, l, o = step(*start, scores, v)
    return o / l[:, None], m + np.log(l)


def without_step(q, k, v, rows, columns, step):
    return attention_with_lse(q, k, v, causal_mask(len(q), len(k)))


def begun_once(q, k, v, rows, columns, step):
    """The numbers of one block of queries go on to the next."""
    out, lse = np.empty((len(q), v.shape[1])), np.empty(len(q))
    m, l, o = np.full(rows, -np.inf), np.zeros(rows), np.zeros((rows, v.shape[1]))
    for i in range(0, len(q), rows):
        last = np.arange(i, min(i + rows, len(q))) + len(k) - len(q)
        for j in range(0, last[-1] + 1, columns):
            keys = np.arange(j, min(j + columns, len(k)))
            scores = q[i : i + rows] @ k[keys].T / q.shape[-1] ** 0.5
            m, l, o = step(m, l, o, np.where(keys <= last[:, None], scores, -np.inf), v[keys])
        out[i : i + rows], lse[i : i + rows] = o / l[:, None], m + np.log(l)
    return out, lse


def by_definition(q, k, v, rows, columns):
    """The definition under a causal mask, and the number of tiles in which anything is visible."""
    found = attention_with_lse(q, k, v, causal_mask(len(q), len(k)))
    return *found, tiles_left(len(q), len(k), rows, columns)


rng = np.random.default_rng(8)


def sized(n_q, n_k, rows, columns, **widths):
    return draw_qkv(rng, n_q, n_k, **widths) | {"rows": rows, "columns": columns}


def far_below_zero(size):
    """Two queries and two keys with the same large negative score everywhere."""
    ones = np.ones((2, 1))
    return {"q": ones, "k": -size * ones, "v": np.array([[1.0], [2.0]])}


CASES = (
    case(
        **example(),
        rows=3,
        columns=2,
        gives=(np.array([[0.0], [4 / 3], [5.5]]), np.log([1.0, 3.0, 8.0]), 2),
    ),
    case(**sized(4, 4, 2, 2)),
    case(**sized(6, 6, 2, 3)),
    case(**sized(6, 6, 3, 2)),
    case(**sized(4, 8, 2, 2)),
    case(**sized(4, 9, 2, 4, d_k=5, d_v=2)),
    case(**sized(7, 7, 3, 2)),
    case(**sized(5, 8, 2, 3, d_k=2, d_v=6)),
    case(**sized(5, 5, 1, 1)),
    case(**sized(3, 10, 8, 16)),
    stress(
        **far_below_zero(1000.0),
        rows=1,
        columns=1,
        gives=(np.array([[1.0], [1.5]]), -1000.0 + np.log([1.0, 2.0]), 3),
    ),
    stress(
        **far_below_zero(1e300),
        rows=2,
        columns=2,
        gives=(np.array([[1.0], [1.5]]), -1e300 + np.log([1.0, 2.0]), 1),
    ),
)

MISTAKES = """
every tile is made, the empty ones too: the inner loop ends with the tile of the last key that the
last query of the block sees.
    range(0, last[-1] + 1, columns) → range(0, n_k, columns)
the inner loop ends too early: the last query of a block sees further than the first, and its own
key as well.
    last[-1] + 1 → last[0] + 1
    last[-1] + 1 → last[-1]
query 0 does not stand at key 0: the last query sees the last key, so query i stands at key
i + n_k − n_q.
    + n_k - n_q → + 0
the future is not hidden in the tiles on the diagonal: set its scores to −inf there.
    np.where(keys <= last[:, None], scores, -np.inf) → scores
    np.where(keys <= last[:, None], scores, -np.inf) → scores ; range(0, last[-1] + 1, columns) → range(0, n_k, columns)
a query sees its own key, too: keys <= last, and not keys < last.
    keys <= last → keys < last
a query does not see the key behind its own: keys <= last.
    keys <= last[:, None] → keys <= last[:, None] + 1
the mask compares places within the tile: a tile begins at query i and at key j.
    keys <= last → keys - j <= last
    keys <= last → keys - j <= last - last[0]
hidden scores are set to 0, or weights are: the exponential of 0 is 1, that of −inf is 0.
    scores, -np.inf) → scores, 0)
m begins at 0, or at another number: scores far below it vanish before they are compared, so begin
with −∞.
    np.full(len(last), -np.inf) → np.zeros(len(last)) || np.full(len(last), -1e9)
hidden scores are set to a large negative number: a score may be lower still, but never below −∞.
    scores, -np.inf) → scores, -1e9) || scores, -1e30)
the scores are not divided by the square root of d_k, or not by that.
    / d**0.5 → / 1
    / d**0.5 → / d
    / d**0.5 → / v.shape[1]**0.5
the last block of keys is dropped where it is smaller than the others.
    range(0, last[-1] + 1, columns) → range(0, min(last[-1] + 1, n_k // columns * columns), columns)
m, l and o begin anew in each tile: they do so with each block of queries, and go on from tile to tile.
    keys = np.arange(j → m, l, o = np.full(len(last), -np.inf), 0 * last, np.zeros((len(last), v.shape[1]))\\n            keys = np.arange(j
o is divided by l in every tile: it stays a sum until the block of queries has met all its keys.
    scores, v[keys])\\n → scores, v[keys])\\n            o = o / l[:, None]\\n ; o / l[:, None], m → o, m
o is never divided by l: do it once, when the block of queries has met all its keys.
    o / l[:, None], m → o, m
L is m + log(l): the maximum and the sum together.
    m + np.log(l) → m
    m + np.log(l) → np.log(l)
    m + np.log(l) → m + l
these are powers or logarithms to base 2: L is natural.
    m + np.log(l) → m + np.log2(l)
m, l and o go on from one block of queries to the next: each block begins anew, with −inf, 0 and 0.
    is begun_once
the whole matrix is one tile: hand `step` tiles of `rows` queries by `columns` keys.
    is as_one_tile
`step` is never called: the tiles are counted by the calls of the `step` that your function is
given.
    is without_step
"""

exercise = write(
    forward,
    CASES,
    MISTAKES,
    through=counting_calls(step, results=2),
    oracle=by_definition,
    results=("out", "lse", "tiles"),
    counts={"tiles": "calls of `step`"},
    refused=without_the_matrix(step, lambda n_q, n_k: draw_qkv(np.random.default_rng(0), n_q, n_k)),
)
