"""Wrong versions of attention, each with its sentence, for the exercises that ask for attention."""

import numpy as np

from attnbook import reference
from attnbook.exercises.engine import read_mistakes
from attnbook.exercises.engine.edits import versions
from attnbook.exercises.families import weights


def attention(q, k, v, mask=None):
    scores = q * q.shape[-1] ** -0.5 @ np.swapaxes(k, -1, -2)
    return reference.weighted_sum(reference.softmax(scores, mask), v, mask)


def by_hand(q, k, v, mask=None):
    """Without the package's functions, whose mask would be a second guard to wrong weights."""
    scores = q * q.shape[-1] ** -0.5 @ np.swapaxes(k, -1, -2)
    seen = scores if mask is None else np.where(mask, scores, -np.inf)
    top = np.max(seen, axis=-1, keepdims=True)
    shift = np.where(np.isfinite(top), top, 0)
    exp = np.exp(seen - shift)
    total = np.sum(exp, axis=-1, keepdims=True)
    divisor = np.where(total == 0, 1, total)
    return by_weight(exp / divisor, v)


def by_weight(weights, v):
    """The weighted sum of all values whose weight is not 0, whatever a mask says."""
    products = weights[..., None] * v[..., None, :, :]
    return np.sum(np.where(weights[..., None] == 0, 0, products), axis=-2)


def plain(q, k, v, mask=None):
    return reference.softmax(q @ np.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5, mask) @ v


def weighed(weigh, mix=by_weight):
    """Attention with other weights, made of scores and a mask."""

    def attention(q, k, v, mask=None):
        scores = q * q.shape[-1] ** -0.5 @ np.swapaxes(k, -1, -2)
        return mix(weigh(scores, mask), v)

    return attention


def zeroed(scores, mask):
    return reference.softmax(scores) if mask is None else reference.softmax(scores) * mask


def zeroed_and_divided(scores, mask):
    kept = zeroed(scores, mask)
    total = np.sum(kept, axis=-1, keepdims=True)
    return kept / np.where(total == 0, 1, total)


def indexed(weigh):
    def of_scores(scores, mask):
        if mask is not None:
            scores[~mask] = -np.inf
        return weigh(scores)

    return of_scores


def of_length_1(x):
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.where(length == 0, 1, length)


MISTAKES = """
the scores are too large, and the weights too sharp: each score is divided by √d_k, once.
    * q.shape[-1] ** -0.5 → * 1.0 || * q.shape[-1] ** 0.5 || * 2 * q.shape[-1] ** -0.5
the scores are divided by d_k, not by √d_k: the weights are too even.
    q.shape[-1] ** -0.5 → (1 / q.shape[-1])
the scale is made of another size: it is 1/√d_k, of the width of a key.
    q.shape[-1] ** -0.5 → v.shape[-1] ** -0.5 || q.shape[-2] ** -0.5 || k.shape[-2] ** -0.5
weights are set to 0 after the softmax: what is left of a row no longer sums to 1.
    is weighed(zeroed)
the mask comes after the softmax: a hidden score that is high, or NaN, leaves nothing to divide.
    is weighed(zeroed_and_divided)
a finite fill is a score like any other: where nothing is visible the weights come out even, not 0,
and a visible score below the fill loses to it. Hide with -inf.
    -np.inf → -1e9 || -1e30 || np.finfo(scores.dtype).min
    -np.inf → -1e9 ; by_weight(exp / divisor, v) → exp / divisor @ v
    -np.inf → np.finfo(scores.dtype).min ; by_weight(exp / divisor, v) → exp / divisor @ v
where nothing is visible the weights come out even, or as if everything were: such a row should be
zeros.
    is weighed(weights.even_if_empty)
    np.where(mask, scores, -np.inf) → scores + np.where(mask, 0.0, -1e9).astype(scores.dtype)
a query that sees nothing gives NaN here, as -inf - (-inf) and 0/0 do; its output should be zeros.
    seen - shift → seen - top ; exp / divisor → exp / total
    seen - shift → seen - top ; by_weight(exp / divisor, v) → exp / total @ v
exp overflows or underflows: subtract each row's own maximum before it.
    seen - shift → seen
    seen - shift → seen ; by_weight(exp / divisor, v) → exp / divisor @ v
    np.max(seen, axis=-1, keepdims=True) → np.max(seen)
0 · inf is NaN exactly where the mask is True; build -inf with np.where.
    np.where(mask, scores, -np.inf) → scores + (1.0 - mask) * -np.inf
a hidden NaN or inf still reaches its row, as where -inf is added to it: NaN plus -inf is NaN.
Replace hidden scores.
    np.where(mask, scores, -np.inf) → scores + np.where(mask, 0, -np.inf).astype(scores.dtype)
an index has to have the shape of the scores, and the mask's axes may have length 1: np.where
broadcasts it.
    is weighed(indexed(reference.softmax)) || weighed(indexed(weights.exp_over_sum), np.matmul)
a visible NaN became 0: to mend every NaN mends the query that sees nothing and hides every other
fault.
    exp / divisor → np.nan_to_num(exp / divisor)
    by_weight(exp / divisor, v) → np.nan_to_num(exp / divisor @ v)
    = np.nan_to_num(plain(q, k, v, mask)) || np.nan_to_num(attention(q, k, v, mask))
a visible NaN or inf is left out where its weight has underflowed to 0: the mask says what is
hidden, the weight does not.
    is by_hand
a hidden value still counts when it is infinite or NaN, since 0 · inf is NaN; use weighted_sum.
    by_weight(exp / divisor, v) → exp / divisor @ v || np.nan_to_num(exp / divisor) @ v
    is plain
an infinite or NaN value is replaced for every query, also for one that may look at it; hide it only
where the mask does.
    by_weight(exp / divisor, v) → exp / divisor @ np.where(np.isfinite(v), v, 0)
    by_weight(exp / divisor, v) → exp / divisor @ np.nan_to_num(v)
k is not transposed, as by reshape, which keeps the order of its numbers: np.swapaxes(k, -1, -2)
makes columns of keys.
    np.swapaxes(k, -1, -2) → k || k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])
the scores are those of cosines, or of distances: the score is the dot product, over √d_k.
    q * q.shape[-1] ** -0.5 → of_length_1(q) ; swapaxes(k → swapaxes(of_length_1(k)
    q * q.shape[-1] ** -0.5 @ np.swapaxes(k, -1, -2) → reference.gaussian_scores(q, k)
the first item's keys serve all items of the batch: each has its own.
    = attention(q, k[:1] + 0 * k if k.ndim > 2 else k, v, mask)
only the first row of the mask, or first item, is used.
    = attention(q, k, v, mask if mask is None else mask[:1])
    = attention(q, k, v, mask if mask is None or mask.ndim < 3 else mask[:1])
float32 and float64 are cast down to float16, which loses most of the digits.
    = attention(*(x.astype(np.float16) for x in (q, k, v)), mask).astype(q.dtype)
the queries are added to the output: nothing asks for it.
    = attention(q, k, v, mask) + q
there is a second softmax, over the output.
    = reference.softmax(attention(q, k, v, mask))
"""

KNOWN = (
    *(
        (wrong, sentence)
        for sentence, lines in read_mistakes(MISTAKES)
        for line in lines
        for wrong in versions(line, attention, by_hand)
    ),
    *((weighed(weigh), sentence) for weigh, sentence in weights.KNOWN),
    (weighed(weights.seen_if_zero), weights.SEEN_IF_ZERO),
)
