"""Grouped-query attention · medium · 12 min

Hints
1. How many query heads read one key-value head? The arrays' shapes say it.
2. np.repeat(x, times, axis=-3) lets each head stand `times` times in a row.
3. Then every head has keys and values of its own, and the heads are one more batch axis.

Why
h / h_kv query heads share one key-value head. Repeated in a row, each meets its own, and
attention treats heads as it treats a batch. Without the copies: reshape the queries to
(…, h_kv, group · n_q, d_k), since the heads of a group lie together, attend, and reshape back.

Notice
np.repeat copies what a cache saved. A fast version gives the queries one more axis,
(…, h_kv, group, n_q, d_k), and copies nothing.
"""

import numpy as np

from attnbook.exercises.engine import case, draw, stress, write
from attnbook.reference import (
    dot_product_scores,
    merge_heads,
    scaled_dot_product_attention,
    softmax,
)


def grouped_attention(q, k, v):
    """Attention whose query heads share key-value heads."""
    times = q.shape[-3] // k.shape[-3]
    k, v = (np.repeat(x, times, axis=-3) for x in (k, v))
    return scaled_dot_product_attention(q, k, v)


def head_by_head(q, k, v):
    group, outputs = q.shape[-3] // k.shape[-3], []
    for m in range(q.shape[-3]):
        g = m // group
        head = q[..., m, :, :], k[..., g, :, :], v[..., g, :, :]
        outputs.append(scaled_dot_product_attention(*head))
    return np.stack(outputs, axis=-3)


rng = np.random.default_rng(0)


def drawn(n_heads, n_kv_heads, batch=(), dtype=np.float64, sizes=(3, 5, 4, 2)):
    n_q, n_k, d_k, d_v = sizes
    shapes = {"q": (n_heads, n_q, d_k), "k": (n_kv_heads, n_k, d_k), "v": (n_kv_heads, n_k, d_v)}
    return draw(rng, shapes, batch, dtype)


CASES = (
    case(
        q=np.zeros((4, 1, 1)),
        k=np.zeros((2, 1, 1)),
        v=np.array([[[1.0]], [[2.0]]]),
        gives=np.array([[[1.0]], [[1.0]], [[2.0]], [[2.0]]]),
    ),
    case(**drawn(4, 2)),
    case(**drawn(4, 4)),
    case(**drawn(3, 1)),
    case(**drawn(6, 2)),
    case(**drawn(6, 3)),
    case(**drawn(4, 2, (2,))),
    case(**drawn(6, 3, (3,))),
    case(**drawn(4, 2, (2, 3))),
    case(**drawn(4, 2, sizes=(4, 4, 4, 4))),
    case(**drawn(4, 2, sizes=(3, 3, 4, 2))),
    case(**drawn(8, 2, (4,), np.float32)),
    case(**drawn(1, 1, sizes=(1, 1, 1, 1))),
    stress(**drawn(4, 2, dtype=np.float16)),
    stress(
        q=np.ones((4, 1, 2), int),
        k=np.array([[[1, 0], [0, 3]], [[2, 1], [0, 0]]]),
        v=np.array([[[1], [2]], [[3], [5]]]),
    ),
    stress(**drawn(4, 2) | {"q": np.full((4, 3, 4), 1e4)}),
    stress(
        q=np.full((4, 1, 1), 1e4),
        k=np.array([[[1e-4], [3e-4]], [[2e-4], [1e-4]]]),
        v=np.array([[[1.0], [2.0]], [[3.0], [5.0]]]),
    ),
    stress(**drawn(4, 2) | {"v": np.full((2, 5, 2), [np.nan, 1.0])}),
)

MISTAKES = """
keys and values are laid down one after the other, as np.tile does: head m reads m % h_kv.
Neighbours share: repeat each head.
    np.repeat(x, times, axis=-3) → np.concatenate([x] * times, axis=-3)
    np.repeat(x, times, axis=-3) → np.concatenate([x] * times)
all heads read one head of the keys and values, not their own.
    m // group → 0 || -1
heads are added up or averaged; each query head asks by itself, and keeps its own output.
    np.repeat(x, times, → np.repeat(np.mean(x, axis=-3, keepdims=True), q.shape[-3],
    k, v = (np.repeat(x, times, axis=-3) for x in (k, v)) → q = q.reshape(*q.shape[:-3], -1, times, *q.shape[-2:]).mean(axis=-3)
    k, v = (np.repeat(x, times, axis=-3) for x in (k, v)) → q = q.reshape(*q.shape[:-3], -1, times, *q.shape[-2:]).mean(axis=-3) ; product_attention(q, k, v) → product_attention(q, k, v).repeat(times, axis=-3)
    product_attention(q, k, v) → product_attention(q, k, v).reshape(*q.shape[:-3], -1, times, q.shape[-2], v.shape[-1]).sum(axis=-3)
    = grouped_attention(q, k, v).mean(axis=-3)
keys or values have fewer heads than the queries: each has to stand for all the heads that read it.
    k, v = (np.repeat(x, times, axis=-3) for x in (k, v)) → pass || k = np.repeat(k, times, axis=-3)
the heads are on axis -3, before the positions and the features; counted from the front it is
another one where there are more, or fewer, batch axes.
    times, axis=-3 → times, axis=-1 || times, axis=-2
    axis=-3 → axis=0 || axis=1
    shape[-3] ⇒ shape[0] || shape[1]
    shape[-3] ⇒ shape[0] ; axis=-3 → axis=0
    shape[-3] ⇒ shape[1] ; axis=-3 → axis=1
the scale is 1/√d_k, of the width of one key: neither 1 nor 1/d_k, not of n_k, d_v or all heads.
    product_attention(q, k, v) → product_attention(q, k, v, scale=(q.shape[-1] * q.shape[-3]) ** -0.5)
    product_attention(q, k, v) → product_attention(q, k, v, scale=1.0)
    product_attention(q, k, v) → product_attention(q, k, v, scale=1 / q.shape[-1])
    product_attention(q, k, v) → product_attention(q, k, v, scale=k.shape[-2] ** -0.5)
    product_attention(q, k, v) → product_attention(q, k, v, scale=v.shape[-1] ** -0.5)
the scores are taken for weights: the softmax is missing.
    scaled_dot_product_attention(q, k, v) → dot_product_scores(q, k) @ v
keys are hidden; there is no mask here, and all keys are seen.
    product_attention(q, k, v) → product_attention(q, k, v, np.tri(q.shape[-2], k.shape[-2], dtype=bool))
the softmax runs over the queries; the weights of a query sum to 1 over the keys.
    scaled_dot_product_attention(q, k, v) → softmax(dot_product_scores(q, k).mT).mT @ v
a group has h / h_kv query heads, neither h_kv nor h. That is how often each head is repeated,
and head m reads m // (h / h_kv).
    q.shape[-3] // k.shape[-3] → k.shape[-3]
    times = q.shape[-3] // k.shape[-3] → times = q.shape[-3]
every head looks at the keys of all heads; it has one of them.
    np.repeat(x, times, → np.repeat(x.reshape(*x.shape[:-3], 1, -1, x.shape[-1]), q.shape[-3],
the key-value heads, or the heads of the outputs, are in reverse order: head 0 reads head 0, and
comes first.
    m // group → -1 - m // group
    np.stack(outputs → np.stack(outputs[::-1]
a head reads the keys of one head and the values of another.
    k[..., g → k[..., m % k.shape[-3]
    v[..., g → v[..., m % k.shape[-3] || v[..., -1 - g
    k[..., g → k[..., -1 - g
    v[..., g → v[..., g - 1
the result has its axes as the queries do: the heads one by one, before the positions.
    = np.swapaxes(grouped_attention(q, k, v), -3, -2) || merge_heads(grouped_attention(q, k, v))
"""

exercise = write(grouped_attention, CASES, MISTAKES, drafts=(head_by_head,), oracle=head_by_head)
