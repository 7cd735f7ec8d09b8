"""Mistakes that people make, each as it would stand in the package.

`as_in` puts a wrong version under the same decorator and signature as the function it stands for.
"""

import sys

import numpy as np

from attnbook import masks, reference
from attnbook.operation import check_and_cast


def as_in(right):
    def place(wrong):
        wrong.__annotations__ = right.__wrapped__.__annotations__
        return check_and_cast(wrong)

    return place


def put(monkeypatch, place, name, wrong):
    """A wrong version in the place of a function, in each file of a module that has it."""
    for file, module in list(sys.modules.items()):
        if f"{file}.".startswith(f"{place.__name__}.") and hasattr(module, name):
            monkeypatch.setattr(module, name, wrong)


# The right versions, kept: a test puts a wrong one in the place of the right one.
right_softmax, right_lse = reference.softmax, reference.logsumexp
right_gaussian, right_attention = (
    reference.gaussian_scores,
    reference.scaled_dot_product_attention,
)

softmax = as_in(reference.softmax)
logsumexp = as_in(reference.logsumexp)
attention = as_in(reference.scaled_dot_product_attention)


def hide(scores, mask):
    return scores if mask is None else np.where(mask, scores, -np.inf)


def normalised(exp, axis=-1):
    total = np.sum(exp, axis=axis, keepdims=True)
    return exp / np.where(total == 0, 1, total)


def top(scores, **axis):
    """The maximum, or 0 where there is none."""
    top = np.max(scores, initial=-np.inf, **axis)
    return np.where(np.isfinite(top), top, 0)


def row_top(scores):
    return top(scores, axis=-1, keepdims=True)


def filled(fill):
    """The mask as a large negative number in place of -inf; rows that see nothing are mended."""

    @softmax
    def softmax_with_a_fill(scores, mask=None):
        if mask is None:
            return right_softmax(scores)
        scores = np.where(mask, scores, fill)
        return np.where(mask.any(axis=-1, keepdims=True), right_softmax(scores), 0)

    return softmax_with_a_fill


@softmax
def over_the_wrong_axis(scores, mask=None):
    scores = hide(scores, mask)
    axis = -2 if scores.ndim > 1 else -1
    return normalised(np.exp(scores - top(scores, axis=axis, keepdims=True)), axis)


@softmax
def without_the_maximum(scores, mask=None):
    return normalised(np.exp(hide(scores, mask)))


@softmax
def with_one_maximum_for_all_rows(scores, mask=None):
    scores = hide(scores, mask)
    return normalised(np.exp(scores - top(scores)))


@softmax
def with_the_maximum_of_hidden_scores_too(scores, mask=None):
    return normalised(np.exp(hide(scores - row_top(scores), mask)))


@softmax
def uniform_where_nothing_is_visible(scores, mask=None):
    scores = hide(scores, mask)
    exp = np.exp(scores - row_top(scores))
    return normalised(np.where(exp.sum(axis=-1, keepdims=True) == 0, 1, exp))


@softmax
def nan_where_nothing_is_visible(scores, mask=None):
    scores = hide(scores, mask)
    exp = np.exp(scores - row_top(scores))
    return exp / np.sum(exp, axis=-1, keepdims=True)


@softmax
def zeroed_after_softmax(scores, mask=None):
    weights = right_softmax(scores)
    return weights if mask is None else np.where(mask, weights, 0)


@softmax
def zeroed_after_softmax_and_divided_again(scores, mask=None):
    weights = right_softmax(scores)
    return weights if mask is None else normalised(weights * mask)


@softmax
def with_finfo_min_added(scores, mask=None):
    hidden = 0 if mask is None else np.where(mask, 0, np.finfo(scores.dtype).min)
    return right_softmax(scores + hidden)


@softmax
def with_scores_times_the_mask(scores, mask=None):
    return right_softmax(scores if mask is None else scores * mask)


@softmax
def with_the_mask_inverted(scores, mask=None):
    return right_softmax(scores, None if mask is None else ~mask)


@softmax
def with_the_mask_ignored(scores, mask=None):
    return right_softmax(scores)


@softmax
def summed_in_float16(scores, mask=None):
    scores = hide(scores, mask)
    exp = np.exp(scores - row_top(scores)).astype(np.float16)
    return normalised(exp).astype(scores.dtype)


@softmax
def with_a_small_number_in_the_denominator(scores, mask=None):
    scores = hide(scores, mask)
    exp = np.exp(scores - row_top(scores))
    return exp / (exp.sum(axis=-1, keepdims=True) + 1e-9)


@softmax
def with_nan_and_infinity_replaced(scores, mask=None):
    return right_softmax(np.nan_to_num(hide(scores, mask), neginf=-np.inf))


@softmax
def that_changes_its_argument(scores, mask=None):
    scores -= row_top(scores)
    return right_softmax(scores, mask)


def that_returns_float64(scores, mask=None):
    return right_softmax(scores, mask).astype(np.float64)


@logsumexp
def lse_without_the_maximum(scores, mask=None):
    return np.log(np.exp(hide(scores, mask)).sum(axis=-1))


@logsumexp
def lse_nan_where_nothing_is_visible(scores, mask=None):
    scores = hide(scores, mask)
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    return (largest + np.log(np.exp(scores - largest).sum(axis=-1, keepdims=True)))[..., 0]


@logsumexp
def lse_in_base_two(scores, mask=None):
    return right_lse(scores, mask) / np.log(2).astype(scores.dtype)


@logsumexp
def lse_of_all_keys(scores, mask=None):
    return right_lse(scores)


def scored(scale_of):
    """Attention with another scale: a rule on q and k."""

    @attention
    def attention_with_another_scale(q, k, v, mask=None, bias=None, scale=None):
        scale = scale_of(q, k) if scale is None else scale
        return right_attention(q, k, v, mask, bias, scale)

    return attention_with_another_scale


@attention
def with_the_bias_scaled_too(q, k, v, mask=None, bias=None, scale=None):
    bias = None if bias is None else bias * q.shape[-1] ** -0.5
    return right_attention(q, k, v, mask, bias, scale)


@attention
def with_the_bias_ignored(q, k, v, mask=None, bias=None, scale=None):
    return right_attention(q, k, v, mask, None, scale)


@attention
def with_queries_hidden_where_keys_should_be(q, k, v, mask=None, bias=None, scale=None):
    out = right_attention(q, k, v, None, bias, scale)
    return out if mask is None else np.where(mask.any(axis=-1, keepdims=True), out, 0)


@as_in(reference.weighted_sum)
def with_zero_times_infinity(weights, v, mask=None):
    return weights @ v


@as_in(reference.weighted_sum)
def with_the_weight_for_the_mask(weights, v, mask=None):
    seen = weights[..., None] != 0
    return np.sum(np.where(seen, weights[..., None] * v[..., None, :, :], 0), axis=-2)


@as_in(reference.weighted_sum)
def with_every_product_formed(weights, v, mask=None):
    shown = np.ones((1, 1), bool) if mask is None else mask
    return np.sum(np.where(shown[..., None], weights[..., None] * v[..., None, :, :], 0), axis=-2)


@as_in(reference.soft_cap)
def clipped(scores, cap):
    return np.clip(scores, -cap, cap)


@as_in(reference.gaussian_scores)
def with_the_width_not_squared(q, k, width=1.0):
    return right_gaussian(q, k) / float(width)


def strict_triangle(n_q, n_k):
    return np.tri(n_q, n_k, n_k - n_q - 1, dtype=bool)


def top_left(n_q, n_k):
    return np.tri(n_q, n_k, dtype=bool)


def upper_triangle(n_q, n_k):
    return ~np.tri(n_q, n_k, n_k - n_q, dtype=bool)


def one_key_too_many(n_q, n_k, left, right=0):
    return masks.sliding_window_mask.__wrapped__(n_q, n_k, left + 1, right)


def up_to_and_with_the_length(valid_lens, n_k):
    return np.arange(n_k) <= valid_lens.reshape(len(valid_lens), -1, 1)
