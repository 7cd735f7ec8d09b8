"""Tile for repeat · easy · 6 min

Hints
1. Write down which key-value head each query head reads, once repeated and once tiled.
2. With one key-value head, or with as many as there are query heads, the two are the same.
3. Four query heads and two key-value heads: heads 1 and 2 are mixed up. They must find something else
   there.

Why
Repeated, the query heads read 0, 0, 1, 1; tiled, they read 0, 1, 0, 1. With one key each the
weights are 1, and each head returns the value that it reads: 0, 0, 1, 1 against 0, 1, 0, 1.

Notice
A test of grouped heads needs at least two key-value heads, more query heads, and heads that differ.
Random arrays with 4 and 2 heads do it; 4 and 1, or 4 and 4, prove nothing.
"""

import numpy as np

from attnbook.exercises.engine import break_it, finite_arrays
from attnbook.reference import scaled_dot_product_attention


def tile_for_repeat():
    """Head 1 of the queries reads head 0 of the values, and by the tile it reads head 1."""
    q = np.zeros((4, 1, 1))
    k = np.zeros((2, 1, 1))
    v = np.array([[[0.0]], [[1.0]]])
    return q, k, v


def tiled(q, k, v):
    times = len(q) // len(k)
    k, v = np.tile(k, (times, 1, 1)), np.tile(v, (times, 1, 1))
    return scaled_dot_product_attention(q, k, v)


def repeated(q, k, v):
    times = len(q) // len(k)
    k, v = np.repeat(k, times, axis=0), np.repeat(v, times, axis=0)
    return scaled_dot_product_attention(q, k, v)


def are_grouped_heads(q, k, v):
    wanted = "real numbers of shape (heads, positions, features)"
    if refusal := finite_arrays(3, wanted, q=q, k=k, v=v):
        return refusal
    if q.shape[2] != k.shape[2]:
        return (
            f"queries of width {q.shape[2]} meet keys of width {k.shape[2]}; they need one width."
        )
    if k.shape[:2] != v.shape[:2]:
        return f"k has {k.shape[:2]} heads and positions and v has {v.shape[:2]}; give as many."
    if float(np.abs(q).max()) * float(np.abs(k).max()) > 1e300 / q.shape[2]:
        return "products of these queries and keys overflow; smaller numbers will do."
    if len(q) % len(k):
        return (
            f"{len(q)} query heads cannot share {len(k)} key-value heads: the first is no multiple."
        )
    return None


MISTAKES = """
there is one key-value head, and every query head reads it: multi-query attention
cannot tell a tile.
    np.ones((4, 1, 1)), np.ones((1, 2, 1)), np.array([[[1.0], [2.0]]])
    if len(k) == 1
each query head has keys of its own, so nothing is repeated or tiled.
    np.ones((2, 1, 1)), np.ones((2, 1, 1)), np.array([[[1.0]], [[2.0]]])
    if len(k) == len(q)
the key-value heads are copies of one another: it does not matter who reads which.
    np.ones((4, 1, 1)), np.ones((2, 2, 1)), np.array([[[1.0], [2.0]]] * 2)
    if np.allclose(k, k[0]) and np.allclose(v, v[0])
all values are equal, and so is every average of them.
    np.ones((4, 1, 1)), np.array([[[1.0]], [[2.0]]]), np.ones((2, 1, 3))
    if np.allclose(v, v[0, 0])
both heads have the same values, and these queries weigh them alike: let the values of the two heads
differ.
    np.zeros((4, 1, 1)), np.arange(4.0).reshape(2, 2, 1), np.array([[[0.0], [2.0]]] * 2)
    if np.allclose(v, v[0])
the heads hold different values, but what is found of them is the same.
    np.zeros((4, 1, 1)), np.zeros((2, 2, 1)), np.array([[[0.0], [2.0]], [[1.0], [1.0]]])
    if np.allclose(repeated(q, k, v), tiled(q, k, v))
"""

exercise = break_it(
    tile_for_repeat,
    MISTAKES,
    broken=tiled,
    right=repeated,
    allowed=are_grouped_heads,
    stated=([[[0]], [[0]], [[1]], [[1]]], [[[0]], [[1]], [[0]], [[1]]]),
)
