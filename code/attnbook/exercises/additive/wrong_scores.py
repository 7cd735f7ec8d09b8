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


def transposed(q, k, w_q, w_k, w_v):
    return np.tanh((q @ w_q)[..., None, :, :] + (k @ w_k)[..., :, None, :]) @ w_v


def by_number(q, k, w_q, w_k, w_v):
    return np.tanh(q @ w_q + k @ w_k) @ w_v


def parameters_swapped(q, k, w_q, w_k, w_v):
    return right(q, k, w_k, w_q, w_v)


def without_batch(q, k, w_q, w_k, w_v):
    return np.tanh((q @ w_q)[:, None] + (k @ w_k)[None]) @ w_v


def one_batch_axis(q, k, w_q, w_k, w_v):
    return np.tanh((q @ w_q)[:, :, None] + (k @ w_k)[:, None]) @ w_v
