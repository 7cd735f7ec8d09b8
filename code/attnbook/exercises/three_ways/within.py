"""Attention with one thing wrong in it, for the check to recognise."""

import numpy as np

from attnbook.exercises.families import weights
from attnbook.exercises.families.attention import of_length_1
from attnbook.reference import gaussian_scores, softmax, weighted_sum


def by_weight(weights, v, mask):
    """The weighted sum of all values whose weight is not 0, whatever the mask says."""
    products = weights[..., None] * v[..., None, :, :]
    return np.sum(np.where(weights[..., None] == 0, 0, products), axis=-2)


def attention(scale=lambda q, k, v: q.shape[-1] ** -0.5, weigh=softmax, mix=None):
    """The solution with one step exchanged; to wrong weights the mask is no second guard."""
    mix = mix or (weighted_sum if weigh is softmax else by_weight)

    def attention(q, k, v, mask=None):
        q = q * scale(q, k, v)
        return mix(weigh(q @ np.swapaxes(k, -1, -2), mask), v, mask)

    return attention


def keys_reversed(q, k, v, mask=None):
    return weighted_sum(softmax(q @ k.T * q.shape[-1] ** -0.5, mask), v, mask)


def indexed_by_the_mask(weigh):
    """Hidden scores set by an index, which wants a mask of their very shape."""

    def weights_of(scores, mask):
        if mask is not None:
            scores[~mask] = -np.inf
        return weigh(scores, None)

    return weights_of


def scaled_after_and_plain(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5
    return softmax(scores, mask) @ v


def scaled_after(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2)
    return weighted_sum(softmax(scores * q.shape[-1] ** -0.5, mask), v, mask)


def promoted_queries(q, k, v, mask=None):
    q = q / np.sqrt(q.shape[-1])
    return weighted_sum(softmax(q @ np.swapaxes(k, -1, -2), mask), v, mask)


def promoted_scores(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return weighted_sum(softmax(scores, mask), v, mask)


def scaled_weights(q, k, v, mask=None):
    weights = softmax(q @ np.swapaxes(k, -1, -2), mask)
    return weighted_sum(weights * q.shape[-1] ** -0.5, v, mask)


def scaled_in_place(q, k, v, mask=None):
    q *= q.shape[-1] ** -0.5
    return weighted_sum(softmax(q @ np.swapaxes(k, -1, -2), mask), v, mask)


def over_queries(scores, mask):
    mask = None if mask is None else np.swapaxes(mask, -1, -2)
    return np.swapaxes(softmax(np.swapaxes(scores, -1, -2), mask), -1, -2)


def over_queries_by_hand(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    exp = np.exp(scores - np.max(scores, axis=-2, keepdims=True))
    return weighted_sum(exp / np.sum(exp, axis=-2, keepdims=True), v, mask)


def shifted_by_one_maximum(scores, mask):
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    top = np.max(scores)
    exp = np.exp(scores - (top if np.isfinite(top) else 0))
    total = np.sum(exp, axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)


def unmasked(scores, mask):
    return softmax(scores)


def filled_with(fill):
    def weigh(scores, mask):
        return softmax(scores if mask is None else np.where(mask, scores, fill))

    return weigh


def filled_with_the_lowest(scores, mask):
    return filled_with(np.finfo(scores.dtype).min)(scores, mask)


def nan_where_empty(scores, mask):
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    exp = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exp / np.sum(exp, axis=-1, keepdims=True)


def unshifted(scores, mask):
    exp = np.exp(scores if mask is None else np.where(mask, scores, -np.inf))
    total = np.sum(exp, axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)


def arithmetic_mask(scores, mask):
    return softmax(scores if mask is None else scores + (1.0 - mask) * -np.inf)


def zeroed_after(scores, mask):
    return softmax(scores) if mask is None else softmax(scores) * mask


def zeroed_and_divided(scores, mask):
    weights = zeroed_after(scores, mask)
    total = np.sum(weights, axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def lowered(scores, mask):
    bias = 0.0 if mask is None else np.where(mask, 0.0, -1e9).astype(scores.dtype)
    return softmax(scores + bias)


def minus_inf_added(scores, mask):
    bias = 0.0 if mask is None else np.where(mask, 0.0, -np.inf).astype(scores.dtype)
    return softmax(scores + bias)


def nan_mended(scores, mask):
    return np.nan_to_num(nan_where_empty(scores, mask))


def inverted(scores, mask):
    return softmax(scores if mask is None else np.where(mask, -np.inf, scores))


def plain_product(weights, v, mask):
    return weights @ v


def finite_product(weights, v, mask):
    return weights @ np.where(np.isfinite(v), v, 0)


def mended_product(weights, v, mask):
    return weights @ np.nan_to_num(v)


def prepared(change):
    """The solution on changed inputs."""
    return lambda q, k, v, mask=None: attention()(*change(q, k, v, mask))


def with_mask(change):
    """The solution with another mask, where there is one."""
    return prepared(lambda q, k, v, mask: (q, k, v, mask if mask is None else change(mask)))


def finished(change):
    """The solution, and something done to what comes out."""
    return lambda q, k, v, mask=None: change(attention()(q, k, v, mask), q)


def scored_by(scores):
    """The solution with another score of queries and keys."""
    return lambda q, k, v, mask=None: weighted_sum(softmax(scores(q, k), mask), v, mask)


def keys_reshaped(q, k, v, mask=None):
    scores = q * q.shape[-1] ** -0.5 @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])
    return weighted_sum(softmax(scores, mask), v, mask)


def not_transposed(q, k, v, mask=None):
    return weighted_sum(softmax(q @ k * q.shape[-1] ** -0.5, mask), v, mask)


def all_items_at_once(q, k, v, mask=None):
    """The queries of every item look at the keys of every item, where no mask tells them apart."""
    if mask is not None:
        return attention()(q, k, v, mask)
    out = attention()(*(x.reshape(-1, x.shape[-1]) for x in (q, k, v)))
    return out.reshape(*q.shape[:-1], v.shape[-1])


def in_float16(q, k, v, mask=None):
    return attention()(*(x.astype(np.float16) for x in (q, k, v)), mask).astype(q.dtype)


def _causal(q, k):
    return np.tri(q.shape[-2], k.shape[-2], k.shape[-2] - q.shape[-2], dtype=bool)


SHARED = (
    (
        scored_by(lambda q, k: of_length_1(q) @ np.swapaxes(of_length_1(k), -1, -2)),
        "these are the weights of cosines: the vectors keep their lengths, and √d_k divides.",
    ),
    (
        scored_by(gaussian_scores),
        "the keys are scored by their distance; the score is the dot product, over √d_k.",
    ),
    (
        prepared(lambda q, k, v, mask: (q, k[:1] + 0 * k if k.ndim > 2 else k, v, mask)),
        "the first item's keys serve all items of the batch: each has its own.",
    ),
    *(
        (with_mask(first), "only the first row of the mask, or first item, is used.")
        for first in (lambda mask: mask[:1], lambda mask: mask[:1] if mask.ndim > 2 else mask)
    ),
    (
        keys_reshaped,
        "reshape keeps the order of the numbers; the keys have to be transposed: "
        "np.swapaxes(k, -1, -2).",
    ),
    (in_float16, "everything is computed in float16, which loses most of the digits."),
    (finished(lambda out, q: out + q), "the queries are added to the output: nothing asks for it."),
    (finished(lambda out, q: softmax(out)), "there is a second softmax, over the output."),
)


STILL_COUNTS = (
    "a hidden value still counts when it is infinite or NaN, since 0 · inf is NaN; use "
    "weighted_sum."
)
OTHERS = (
    *(
        (attention(weigh=fill, mix=plain_product), weights.FILL)
        for fill in (filled_with(-1e9), filled_with_the_lowest)
    ),
    (
        attention(weigh=nan_where_empty, mix=plain_product),
        "a query that sees nothing gives NaN here, as -inf - (-inf) and 0/0 do; its output should "
        "be zeros.",
    ),
    *(
        (
            attention(weigh=indexed_by_the_mask(weigh), mix=mix),
            "an index has to have the shape of the scores, and the mask's axes may have length 1: "
            "np.where broadcasts it.",
        )
        for weigh, mix in ((softmax, None), (nan_where_empty, plain_product))
    ),
    (attention(weigh=weights.seen_if_zero), weights.SEEN_IF_ZERO),
    (scaled_after_and_plain, STILL_COUNTS),
    (
        lambda q, k, v, mask=None: np.nan_to_num(scaled_after_and_plain(q, k, v, mask)),
        "every NaN of the output becomes 0, a visible one too: leave hidden values out by "
        "weighted_sum, and let the others show.",
    ),
    *SHARED,
    (
        prepared(lambda q, k, v, mask: (k, q, v, mask)),
        "queries and keys are exchanged: rows are queries, columns are keys.",
    ),
    (prepared(lambda q, k, v, mask: (q, v, k, mask)), "keys and values are exchanged."),
    (
        prepared(lambda q, k, v, mask: (q, k, k, mask)),
        "the keys are mixed; the weights mix the values, v.",
    ),
    (
        with_mask(lambda mask: np.swapaxes(mask, -1, -2)),
        "the mask is transposed: its rows are queries, its columns keys.",
    ),
    (
        prepared(lambda q, k, v, mask: (q, k, v, _causal(q, k))),
        "a causal mask of its own hides keys: use the mask that is given, and none where it is "
        "None.",
    ),
    (
        prepared(lambda q, k, v, mask: (q, k, v, _causal(q, k) & (True if mask is None else mask))),
        "a causal mask hides keys besides the mask that is given.",
    ),
    (
        all_items_at_once,
        "the items of a batch look at each other's keys: leave the batch axes to `@`.",
    ),
    (
        attention(weigh=lambda s, mask: softmax(0 * s, mask)),
        "the visible values are averaged evenly: the scores are not used.",
    ),
    (
        finished(lambda out, q: out * q.shape[-1] ** -0.5),
        "the output is scaled as well: the scale belongs to the scores alone.",
    ),
)
