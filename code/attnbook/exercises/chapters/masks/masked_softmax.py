"""Masked softmax, exactly · hard · 13 min

Hints
1. The lengths given have the shape (batch, 1, …, 1, 1) or (batch, 1, …, n_q, 1): compare
   np.arange(n_k) with them, and the mask meets the scores.
2. np.where(visible, scores, -np.inf) comes first, before any maximum or exponential.
3. Where nothing is visible the maximum is -inf and the sum 0. Subtract 0 and divide by 1 there: two
   calls of np.where.

Why
The lengths get an axis of length 1 for the keys, for every further axis, and, when there is one per
sequence, for the queries. A hidden score is replaced by −∞ before the maximum, so it cannot
influence anything. Two guards settle the empty row: subtract 0 where the maximum is −∞, and divide
by 1 where the sum is 0.

Notice
In rows without a visible NaN no weight behind the mask is merely small: each is exactly 0, whatever
was hidden there, even NaN.
"""

import numpy as np

from attnbook import reference
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.families import weights
from attnbook.reference import softmax


def masked_softmax(scores, valid_lens=None):
    """Softmax over the first `valid_lens` keys of each row, exactly 0 past them."""
    n_k = scores.shape[-1]
    lens = np.full(len(scores), n_k) if valid_lens is None else valid_lens
    lens = lens.reshape(len(scores), *[1] * (scores.ndim - 3), -1, 1)
    visible = np.where(np.arange(n_k) < lens, scores, -np.inf)
    top = visible.max(axis=-1, keepdims=True)
    exp = np.exp(visible - np.where(np.isfinite(top), top, 0))
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)


def none_apart(scores, valid_lens=None):
    """The weights of lengths, where there are any."""
    if valid_lens is None:
        return masked_softmax(scores)
    n_k, lens = scores.shape[-1], valid_lens
    lens = lens.reshape(len(scores), *[1] * (scores.ndim - 3), -1, 1)
    visible = np.where(np.arange(n_k) < lens, scores, -np.inf)
    return weights.along(-1)(visible, None)


def real(scores):
    return scores if scores.dtype.kind == "f" else scores * 1.0


def by(weigh, kind=real):
    """The answer with other weights of scores and a mask."""

    def answer(scores, valid_lens=None):
        n_k = scores.shape[-1]
        lens = np.full(len(scores), n_k) if valid_lens is None else valid_lens
        mask = np.arange(n_k) < lens.reshape(len(scores), *[1] * (scores.ndim - 3), -1, 1)
        return weigh(kind(scores), mask)

    return answer


def over_sum(exp):
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)


def zeroed(scores, mask):
    return np.where(mask, weights.exp_over_sum(scores), 0)


def late(scores, mask):
    return over_sum(np.where(mask, np.exp(scores - scores.max(-1, keepdims=True)), 0))


def row_by_row(scores, valid_lens=None):
    """The package's softmax of the visible part of each row, and zeros behind it."""
    out = np.zeros_like(softmax(scores))
    for row in np.ndindex(scores.shape[:-1]):
        n = scores.shape[-1]
        if valid_lens is not None:
            n = valid_lens[row[0]] if valid_lens.ndim == 1 else valid_lens[row[0], row[-1]]
        out[row][:n] = softmax(scores[row][:n]) if n else 0
    return out


def lens(*lens):
    return np.array(lens)


rng = np.random.default_rng(3)
ONE = np.log([[[1.0, 3.0, 4.0]]])
TWO = np.log([[[1.0, 3.0, 4.0]], [[2.0, 2.0, 4.0]]])
FOUR = np.log([[[1.0, 3, 4, 8], [2, 2, 4, 8]], [[1, 1, 2, 4], [4, 1, 3, 8]]])
LOST = np.array([[[0.0, 1.0, np.nan], [2.0, np.inf, -np.inf]]])
FAR = np.array([[[0.0, 0.0, 1.0], [1e4, 1e4, 1e4 + 1]]])
LOWEST = np.finfo(np.float64).min

CASES = (
    case(scores=ONE, valid_lens=lens(2), gives=np.array([[[1 / 4, 3 / 4, 0]]])),
    case(scores=ONE, valid_lens=None, gives=np.array([[[1 / 8, 3 / 8, 4 / 8]]])),
    case(scores=np.array([[[2.0]]]), valid_lens=lens(1)),
    case(scores=TWO, valid_lens=lens(2, 3)),
    case(scores=TWO, valid_lens=lens(0, 2)),
    case(scores=ONE, valid_lens=lens(0), gives=np.zeros((1, 1, 3))),
    case(scores=np.swapaxes(TWO, 0, 1), valid_lens=lens([1, 3])),
    case(scores=FOUR, valid_lens=lens(2, 3)),
    case(scores=FOUR, valid_lens=lens([1, 3], [2, 4])),
    case(scores=FOUR),
    case(scores=np.array([[[0.0, -20.0, 1.0]]]), valid_lens=lens(2)),
    case(scores=rng.standard_normal((3, 2, 5)), valid_lens=lens(5, 1, 3)),
    case(scores=rng.standard_normal((3, 2, 5)), valid_lens=lens([5, 0], [1, 3], [2, 4])),
    case(scores=rng.standard_normal((2, 3, 2, 4)), valid_lens=lens(1, 3)),
    case(scores=rng.standard_normal((2, 2, 3, 5)), valid_lens=lens([1, 0, 5], [4, 2, 3])),
    case(scores=rng.standard_normal((2, 1, 3, 4, 6)), valid_lens=lens(6, 2)),
    case(scores=rng.standard_normal((2, 3, 1, 4)), valid_lens=None),
    stress(scores=rng.standard_normal((2, 1, 200)), valid_lens=lens(150, 3)),
    stress(scores=LOST, valid_lens=lens([2, 1])),
    stress(scores=np.array([[[1.0, 2.0, 1e300]]]), valid_lens=lens(2)),
    stress(scores=FAR, valid_lens=lens(3)),
    stress(scores=np.array([[[-1e4, 1 - 1e4, -2e4]]]), valid_lens=lens(2)),
    stress(scores=np.array([[[-3e9, -4e9, -5e9]]]), valid_lens=lens(1)),
    stress(scores=np.full((1, 1, 3), LOWEST), valid_lens=lens(1)),
    stress(scores=np.array([[[0.0, np.nan]]]), valid_lens=None),
    stress(scores=np.array([[[-np.inf, -np.inf, 1.0]]]), valid_lens=lens(2)),
    stress(scores=np.array([[[1, 2, 3]], [[4, 4, 0]]]), valid_lens=lens(2, 3)),
    stress(scores=np.array([[[100, -100, 3]]], np.int8), valid_lens=lens(2)),
    stress(scores=np.array([[[1, 2, 3]]], np.uint8), valid_lens=lens(3)),
    stress(scores=np.float32(TWO), valid_lens=lens(1, 3)),
    stress(scores=np.float16(TWO), valid_lens=lens(2, 3)),
    stress(scores=np.float16([[[6e4, 6e4, -6e4]]]), valid_lens=lens(3)),
    stress(scores=FOUR, valid_lens=lens(0, 4).astype(np.int32)),
    stress(scores=FOUR, valid_lens=lens(0, 4).astype(np.uint8)),
)

MISTAKES = """
the sign of the scores is turned: the highest score should get the most weight.
    scores, -np.inf) → -1.0 * scores, -np.inf)
these are the masked scores: their softmax is asked for.
    exp / np.where(total == 0, 1, total) → visible
every visible key gets the same weight: the scores are not used.
    scores, -np.inf) → 0 * np.nan_to_num(scores), -np.inf)
the lengths meet the wrong axis: there is one per sequence or one per query, and further axes,
or queries, that have none of their own need an axis of length 1.
    -1, 1) → -1, 1) if lens.ndim == 2 else lens[:, None]
    *[1] * (scores.ndim - 3), -1, 1) → -1, 1)
    lens.reshape(len(scores), *[1] * (scores.ndim - 3), -1, 1) → lens[(..., *[None] * (scores.ndim - 1))]
    lens.reshape(len(scores), *[1] * (scores.ndim - 3), -1, 1) → lens[(..., *[None] * (scores.ndim - 2))]
queries are hidden, which are rows: a valid length hides keys, which are columns.
    np.arange(n_k) < lens → np.arange(scores.shape[-2])[:, None] < lens if np.ndim(valid_lens) == 1 else np.arange(n_k) < lens
the last keys are shown: here the padding stands at the end, so j < length.
    np.arange(n_k) < lens → np.arange(n_k) >= n_k - lens
one key too few is visible, or one too many: the keys of a length L are 0 … L - 1, so j < L.
    < lens → < lens - 1 || <= lens
one length is used for all sequences: each has its own.
    < lens → < lens[:1] || < lens.max() || < lens.min()
the mask comes after the softmax: hidden scores stay in the denominator and the rows do not sum to
1.
    is by(zeroed)
the hidden scores take part in the softmax before they are removed: a high one, or a NaN, leaves
nothing to divide. Hide scores before the maximum is taken.
    is by(lambda scores, mask: zeroed(scores, mask) / zeroed(scores, mask).sum(-1, keepdims=True))
    is by(lambda scores, mask: over_sum(zeroed(scores, mask))) || by(late) || by(late, np.array)
    is by(lambda scores, mask: over_sum(np.exp(scores - scores.max(-1, keepdims=True)) * mask), np.array)
    is by(lambda scores, mask: over_sum(np.where(mask, np.exp(scores - scores.max()), 0)), np.array)
where nothing is visible the weights are NaN, as -inf - (-inf) and 0/0 are: such a row should be
zeros.
    np.where(total == 0, 1, total) → total
exp overflows or underflows on large scores: subtract each row's maximum first.
    visible - np.where(np.isfinite(top), top, 0) → visible
a hidden NaN or inf still reaches its row, as where -inf is added to it: NaN plus -inf is NaN.
Replace hidden scores.
    scores, -np.inf) → 0, -np.inf) + scores
    is by(lambda scores, mask: weights.along(-1)(scores + np.where(mask, 0, scores.dtype.type(-np.inf)), None))
"""

exercise = write(
    masked_softmax,
    CASES,
    MISTAKES,
    drafts=(none_apart,),
    also=[(by(weigh), sentence) for weigh, sentence in weights.KNOWN],
    oracle=row_by_row,
    ours=(reference.masked_softmax,),
    exact_zeros=True,
)
