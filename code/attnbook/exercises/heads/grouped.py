"""Attention whose heads of queries share heads of keys and values."""

import numpy as np

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import heads as solutions
from attnbook.exercises.write import Write, case, stress
from attnbook.reference import merge_heads, scaled_dot_product_attention, softmax

rng = np.random.default_rng(0)


def _drawn(n_heads, n_kv_heads, batch=(), dtype=np.float64, sizes=(3, 5, 4, 2)):
    n_q, n_k, d_k, d_v = sizes
    shapes = (n_heads, n_q, d_k), (n_kv_heads, n_k, d_k), (n_kv_heads, n_k, d_v)
    arrays = [rng.standard_normal((*batch, *shape)).astype(dtype) for shape in shapes]
    return dict(zip("qkv", arrays, strict=True))


def _group(q, k):
    return q.shape[-3] // k.shape[-3]


def _repeat(x, times):
    return np.repeat(x, times, axis=-3)


def _tile(x, times):
    return np.concatenate([x] * times, axis=-3)


def _first(x, times):
    return np.repeat(x[..., :1, :, :], times * x.shape[-3], axis=-3)


def _mean(x, times):
    return np.repeat(np.mean(x, axis=-3, keepdims=True), times * x.shape[-3], axis=-3)


def _along(axis):
    return lambda x, times: np.repeat(x, times, axis=axis)


def attention(keys=_repeat, values=_repeat, scale=None, attend=scaled_dot_product_attention):
    """A version with other ways to share keys and values, or another scale."""

    def attend_in_groups(q, k, v):
        times = _group(q, k)
        s = None if scale is None else scale(q)
        return attend(q, keys(k, times), values(v, times), scale=s)

    return attend_in_groups


def _over_queries(q, k, v, scale=None):
    scores = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    weights = softmax(np.swapaxes(scores, -1, -2))
    return np.swapaxes(weights, -1, -2) @ v


def _as_they_are(q, k, v):
    return scaled_dot_product_attention(q, k, v)


def _queries_averaged(q, k, v):
    pooled = q.reshape(*q.shape[:-3], k.shape[-3], _group(q, k), *q.shape[-2:]).mean(axis=-3)
    return _repeat(scaled_dot_product_attention(pooled, k, v), _group(q, k))


def _as_often_as_there_are(q, k, v):
    k, v = (_repeat(x, k.shape[-3]) for x in (k, v))
    return scaled_dot_product_attention(q, k, v)


def _other_values(q, k, v):
    return attention()(q, k, np.flip(v, -3))


def _other_keys(q, k, v):
    return attention()(q, np.flip(k, -3), v)


def _next_values(q, k, v):
    return attention()(q, k, np.roll(v, 1, axis=-3))


def _all_keys_together(q, k, v):
    """Each head of queries looks at the keys of all heads."""

    def joined(x):
        flat = x.reshape(*x.shape[:-3], 1, -1, x.shape[-1])
        return np.repeat(flat, q.shape[-3], axis=-3)

    return scaled_dot_product_attention(q, joined(k), joined(v))


_TILE = (
    "keys and values are laid down one after the other, as np.tile does: head m reads m % h_kv. "
    "Neighbours share: repeat each head."
)
_AXIS = (
    "the heads are on axis -3; an axis counted from the front is another one where there are more, "
    "or fewer, batch axes."
)

grouped_attention = Write(
    name="heads.grouped_attention",
    title="Grouped-query attention",
    level="medium",
    minutes=12,
    solution_of=solutions.grouped_attention,
    hints=(
        "How many heads of queries read one head of keys? The arrays' shapes say it.",
        "np.repeat(x, times, axis=-3) lets each head stand `times` times in a row.",
        "Then every head has keys and values of its own, and the heads are one more batch axis.",
    ),
    explanation=(
        "h / h_kv heads of queries share one of keys and values. Repeated in a row, each meets its "
        "own, and attention treats heads as it treats a batch. Without the copies: reshape the "
        "queries to (…, h_kv, group · n_q, d_k), since the heads of a group lie together, attend, "
        "and reshape back."
    ),
    misconceptions=(
        Misconception(attention(_tile, _tile), _TILE),
        Misconception(
            attention(values=_tile),
            "the keys are repeated and the values are tiled: a head must read the values of its "
            "own keys.",
        ),
        Misconception(
            attention(keys=_tile),
            "the values are repeated and the keys are tiled: a head must read the values of its "
            "own keys.",
        ),
        Misconception(
            attention(_first, _first),
            "all heads read head 0 of the keys and values, not their own.",
        ),
        Misconception(
            attention(_mean, _mean),
            "keys and values are averaged over all heads; each group has its own.",
        ),
        Misconception(
            _queries_averaged, "the queries of a group are averaged; each asks by itself."
        ),
        Misconception(
            _as_they_are,
            "keys and values have fewer heads than the queries: each has to stand for all the "
            "heads that read it.",
        ),
        Misconception(
            lambda q, k, v: attention()(q, k, v).mean(axis=-3),
            "the outputs are averaged over the heads; each head keeps its own.",
        ),
        Misconception(attention(_along(0), _along(0)), _AXIS),
        Misconception(attention(_along(1), _along(1)), _AXIS),
        Misconception(
            attention(_along(-2), _along(-2)),
            "the positions are repeated, axis -2; the heads are on axis -3.",
        ),
        Misconception(
            attention(scale=lambda q: (q.shape[-1] * q.shape[-3]) ** -0.5),
            "the scale is that of all heads together; a score is a product of d_k numbers, those "
            "of one head.",
        ),
        Misconception(attention(scale=lambda q: 1.0), "the scores are not divided by √d_k."),
        Misconception(
            attention(scale=lambda q: 1 / q.shape[-1]),
            "the scores are divided by d_k; the scale is 1/√d_k.",
        ),
        Misconception(
            attention(attend=_over_queries),
            "the softmax runs over the queries; the weights of a query sum to 1 over the keys.",
        ),
        Misconception(
            _as_often_as_there_are,
            "each head is repeated h_kv times; h / h_kv heads of queries share one.",
        ),
        Misconception(
            _all_keys_together,
            "every head looks at the keys of all heads; it has one of them.",
        ),
        Misconception(
            lambda q, k, v: attention()(q, k[..., ::-1, :, :], v[..., ::-1, :, :]),
            "the heads of keys and values are in reverse order: head 0 reads head 0.",
        ),
        *(
            Misconception(known, "a head reads the keys of one head and the values of another.")
            for known in (_other_values, _other_keys, _next_values)
        ),
        Misconception(
            lambda q, k, v: np.flip(attention()(q, k, v), -3),
            "the outputs are in reverse order: head 0 comes first.",
        ),
        Misconception(
            lambda q, k, v: np.swapaxes(attention()(q, k, v), -3, -2),
            "the positions stand before the heads; the result has its axes as the queries do.",
        ),
        Misconception(
            lambda q, k, v: merge_heads(attention()(q, k, v)),
            "the heads are merged already; they are wanted one by one.",
        ),
        Misconception(
            lambda q, k, v: attention()(q, k, v).astype(np.float64),
            "the result is float64 whatever came in; keep the caller's float type.",
        ),
    ),
    notice=(
        "np.repeat copies what a cache saved. A fast version gives the queries one more axis, "
        "(…, h_kv, group, n_q, d_k), and copies nothing."
    ),
    cases=(
        case(
            q=np.zeros((4, 1, 1)),
            k=np.zeros((2, 1, 1)),
            v=np.array([[[1.0]], [[2.0]]]),
        ),
        case(**_drawn(4, 2)),
        case(**_drawn(4, 4)),
        case(**_drawn(3, 1)),
        case(**_drawn(6, 2)),
        case(**_drawn(6, 3)),
        case(**_drawn(4, 2, (2,))),
        case(**_drawn(6, 3, (3,))),
        case(**_drawn(4, 2, (2, 3))),
        case(**_drawn(4, 2, sizes=(4, 4, 4, 4))),
        case(**_drawn(8, 2, (4,), np.float32)),
        case(**_drawn(1, 1, sizes=(1, 1, 1, 1))),
        stress(**_drawn(4, 2, dtype=np.float16)),
        stress(
            q=np.ones((4, 1, 2), int),
            k=np.array([[[1, 0], [0, 3]], [[2, 1], [0, 0]]]),
            v=np.array([[[1], [2]], [[3], [5]]]),
        ),
        stress(**_drawn(4, 2) | {"q": np.full((4, 3, 4), 1e4)}),
        stress(**_drawn(4, 2) | {"v": np.array([[[np.nan]] * 5, [[1.0]] * 5])}),
    ),
)
