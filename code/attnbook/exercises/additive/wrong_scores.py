"""Additive scores with one thing wrong in them, for the checks to recognise."""

import numpy as np


def scorer(combine=lambda a, b, w_v: np.tanh(a + b) @ w_v):
    """The solution with another way to combine projected queries a, keys b and w_v."""

    def scores(q, k, w_q, w_k, w_v):
        return combine((q @ w_q)[..., :, None, :], (k @ w_k)[..., None, :, :], w_v)

    return scores


right = scorer()


def _bent_with(bend):
    return scorer(lambda a, b, w_v: bend(a + b) @ w_v)


no_tanh = _bent_with(lambda x: x)
relu = _bent_with(lambda x: np.maximum(x, 0))
sigmoid = _bent_with(lambda x: 0.5 + 0.5 * np.tanh(x / 2))
typed_tanh = _bent_with(lambda x: (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1))
typed_with_both_signs = _bent_with(lambda x: (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x)))
typed_with_one_sign = _bent_with(lambda x: (1 - np.exp(-2 * x)) / (1 + np.exp(-2 * x)))
product = scorer(lambda a, b, w_v: np.tanh(a * b) @ w_v)
difference = scorer(lambda a, b, w_v: np.tanh(a - b) @ w_v)
tanh_last = scorer(lambda a, b, w_v: np.tanh((a + b) @ w_v))
bent_apart = scorer(lambda a, b, w_v: (np.tanh(a) + np.tanh(b)) @ w_v)
query_forgotten = scorer(lambda a, b, w_v: np.tanh(b + 0 * a) @ w_v)
w_v_forgotten = scorer(lambda a, b, w_v: np.sum(np.tanh(a + b), axis=-1))
mean_for_sum = scorer(lambda a, b, w_v: np.mean(np.tanh(a + b) * w_v, axis=-1))
scaled = scorer(lambda a, b, w_v: np.tanh(a + b) @ w_v * len(w_v) ** -0.5)
scaled_inside = scorer(lambda a, b, w_v: np.tanh((a + b) * len(w_v) ** -0.5) @ w_v)
w_v_inside = scorer(lambda a, b, w_v: np.sum(np.tanh((a + b) * w_v), axis=-1))
an_axis_left = scorer(lambda a, b, w_v: np.tanh(a + b) @ w_v[:, None])
double = scorer(lambda a, b, w_v: (np.tanh(a + b) @ w_v).astype(np.float64))

not_added_up = scorer(lambda a, b, w_v: np.tanh(a + b) * w_v)
tanh_of_w_v = scorer(lambda a, b, w_v: (a + b) @ np.tanh(w_v))
tanh_twice = scorer(lambda a, b, w_v: np.tanh(np.tanh(a + b) @ w_v))
key_forgotten = scorer(lambda a, b, w_v: np.tanh(a + 0 * b) @ w_v)


def _dot(units):
    """Dot products of what `units` makes of projected queries and keys, weighted by w_v."""

    def scores(q, k, w_q, w_k, w_v):
        return (units(q @ w_q) * w_v) @ np.swapaxes(units(k @ w_k), -1, -2)

    return scores


dot_of_sums = _dot(lambda x: x)
dot_of_units = _dot(np.tanh)


def tanh_of_dot(*inputs):
    return np.tanh(dot_of_sums(*inputs))


def transposed(q, k, w_q, w_k, w_v):
    return np.tanh((q @ w_q)[..., None, :, :] + (k @ w_k)[..., :, None, :]) @ w_v


def by_number(q, k, w_q, w_k, w_v):
    return np.tanh(q @ w_q + k @ w_k) @ w_v


def parameters_swapped(q, k, w_q, w_k, w_v):
    return right(q, k, w_k, w_q, w_v)


def by_einsum(q, k, w_q, w_k, w_v):
    """The right version again; what it raises on wrong shapes differs."""
    a, b = np.einsum("...qd,dh->...qh", q, w_q), np.einsum("...kd,dh->...kh", k, w_k)
    return np.einsum("...h,h->...", np.tanh(a[..., :, None, :] + b[..., None, :, :]), w_v)


def _with_axes(of_queries, of_keys):
    """The solution with other new axes."""
    return lambda q, k, w_q, w_k, w_v: np.tanh(of_queries(q @ w_q) + of_keys(k @ w_k)) @ w_v


def _in_loops(q, k, w_q, w_k, w_v):
    return np.array([[np.tanh(x @ w_q + y @ w_k) @ w_v for y in k] for x in q])


WITHOUT_BATCH = (
    _with_axes(lambda a: a[:, None], lambda b: b[None]),
    _with_axes(lambda a: a[:, None], lambda b: b),
    _with_axes(lambda a: a[..., None, :], lambda b: b),
    _in_loops,
)
ONE_BATCH_AXIS = (
    _with_axes(lambda a: a[:, :, None], lambda b: b[:, None]),
    _with_axes(lambda a: a[:, :, None, :], lambda b: b[:, None, :, :]),
)
