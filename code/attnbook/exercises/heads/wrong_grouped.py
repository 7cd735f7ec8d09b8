"""Wrong versions of grouped attention, with what is wrong in them."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.reference import (
    dot_product_scores,
    merge_heads,
    scaled_dot_product_attention,
    softmax,
)


def _group(q, k):
    return q.shape[-3] // k.shape[-3]


def _repeat(x, times):
    return np.repeat(x, times, axis=-3)


def _tile(x, times):
    return np.concatenate([x] * times, axis=-3)


def _tile_the_first_axis(x, times):
    return np.concatenate([x] * times)


def _last(x, times):
    return np.repeat(x[..., -1:, :, :], times * x.shape[-3], axis=-3)


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


def _pooled(q, k, v):
    pooled = q.reshape(*q.shape[:-3], k.shape[-3], _group(q, k), *q.shape[-2:]).mean(axis=-3)
    return scaled_dot_product_attention(pooled, k, v)


def _queries_averaged(q, k, v):
    return _repeat(_pooled(q, k, v), _group(q, k))


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


def _not_at_all(x, times):
    return x


def _outputs_added(q, k, v):
    out = attention()(q, k, v)
    return out.reshape(*out.shape[:-3], k.shape[-3], -1, *out.shape[-2:]).sum(axis=-3)


def _times(number, axis=-3):
    """Each head stands as often as `number` says, perhaps along another axis."""

    def attend_in_groups(q, k, v):
        k, v = (np.repeat(x, number(q, k), axis=axis) for x in (k, v))
        return scaled_dot_product_attention(q, k, v)

    return attend_in_groups


def _head_m_reads(head):
    """Head m of the queries reads head `head(m, k)`, which there may not be."""

    def attend_by_heads(q, k, v):
        each = []
        for m in range(q.shape[-3]):
            g = head(m, k)
            pair = k[..., g, :, :], v[..., g, :, :]
            each.append(scaled_dot_product_attention(q[..., m, :, :], *pair))
        return np.stack(each, axis=-3)

    return attend_by_heads


def _without_softmax(q, k, v):
    k, v = (_repeat(x, _group(q, k)) for x in (k, v))
    return dot_product_scores(q, k) @ v


def _weights_alone(q, k, v):
    return softmax(dot_product_scores(q, _repeat(k, _group(q, k))))


def _causal(q, k, v):
    k, v = (_repeat(x, _group(q, k)) for x in (k, v))
    seen = np.tri(q.shape[-2], k.shape[-2], dtype=bool)
    return scaled_dot_product_attention(q, k, v, seen)


def _values_for_keys(q, k, v):
    return attention()(q, v, k)


def _keys_twice(q, k, v):
    return attention()(q, k, k)


def _scaled_by(size):
    def attend_in_groups(q, k, v):
        return attention(scale=lambda q: size(k, v) ** -0.5)(q, k, v)

    return attend_in_groups


_TILE = (
    "keys and values are laid down one after the other, as np.tile does: head m reads m % h_kv. "
    "Neighbours share: repeat each head."
)
_AXIS = (
    "the heads are on axis -3; an axis counted from the front is another one where there are more, "
    "or fewer, batch axes."
)
_BY_D_K = "the scores are divided by √{}; the scale is 1/√d_k, of the width of a key."

MISTAKES = (
    Misconception(attention(_tile, _tile), _TILE),
    Misconception(attention(_tile_the_first_axis, _tile_the_first_axis), _TILE),
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
    Misconception(attention(_last, _last), "all heads read the last head of the keys and values."),
    Misconception(
        attention(_mean, _mean),
        "keys and values are averaged over all heads; each group has its own.",
    ),
    *(
        Misconception(known, "the queries of a group are averaged; each asks by itself.")
        for known in (_queries_averaged, _pooled)
    ),
    Misconception(_outputs_added, "the outputs of a group are added up; each head keeps its own."),
    Misconception(
        _as_they_are,
        "keys and values have fewer heads than the queries: each has to stand for all the "
        "heads that read it.",
    ),
    Misconception(
        lambda q, k, v: attention()(q, k, v).mean(axis=-3),
        "the outputs are averaged over the heads; each head keeps its own.",
    ),
    *(
        Misconception(known, _AXIS)
        for known in (
            attention(_along(0), _along(0)),
            attention(_along(1), _along(1)),
            _times(lambda q, k: q.shape[0] // k.shape[0], axis=0),
            _times(lambda q, k: q.shape[0] // k.shape[0]),
            _times(lambda q, k: q.shape[1] // k.shape[1], axis=1),
            _times(lambda q, k: q.shape[1] // k.shape[1]),
        )
    ),
    Misconception(
        attention(_along(-1), _along(-1)),
        "the features are repeated, axis -1; the heads are on axis -3.",
    ),
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
    Misconception(_scaled_by(lambda k, v: k.shape[-2]), _BY_D_K.format("n_k")),
    Misconception(_scaled_by(lambda k, v: v.shape[-1]), _BY_D_K.format("d_v")),
    Misconception(_without_softmax, "the scores are taken for weights: the softmax is missing."),
    Misconception(_weights_alone, "these are the weights: the values are still missing."),
    Misconception(_causal, "keys are hidden; there is no mask here, and all keys are seen."),
    Misconception(_keys_twice, "the keys are averaged in place of the values."),
    Misconception(_values_for_keys, "keys and values are exchanged."),
    Misconception(
        attention(attend=_over_queries),
        "the softmax runs over the queries; the weights of a query sum to 1 over the keys.",
    ),
    Misconception(
        _times(lambda q, k: k.shape[-3]),
        "each head is repeated h_kv times; h / h_kv heads of queries share one.",
    ),
    Misconception(
        _times(lambda q, k: q.shape[-3]),
        "each head is repeated h times; only h / h_kv heads of queries share one.",
    ),
    Misconception(
        _head_m_reads(lambda m, k: m // k.shape[-3]),
        "head m reads head m // h_kv; a group has h / h_kv heads, so it is m // (h / h_kv).",
    ),
    Misconception(
        attention(values=_not_at_all),
        "the keys stand for all heads and the values do not: repeat both.",
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
)
