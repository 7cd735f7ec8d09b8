"""Wrong versions of a softmax over valid lengths, each with one mistake."""

import numpy as np


def visible(scores, valid_lens):
    """The right mask."""
    n_k = scores.shape[-1]
    lens = np.full(len(scores), n_k) if valid_lens is None else valid_lens
    return np.arange(n_k) < lens.reshape(len(scores), *[1] * (scores.ndim - 3), -1, 1)


def one_too_many(scores, valid_lens):
    """A mask that counts up to the length, the length included."""
    return visible(scores, None if valid_lens is None else valid_lens + 1)


def inverted(scores, valid_lens):
    """A mask that shows the padding."""
    return visible(scores, None) if valid_lens is None else ~visible(scores, valid_lens)


def in_rows(scores, valid_lens):
    """A mask that hides the queries past a length."""
    if valid_lens is None or valid_lens.ndim == 2:
        return visible(scores, valid_lens)
    return np.swapaxes(visible(np.swapaxes(scores, -1, -2), valid_lens), -1, -2)


def without_queries(scores, valid_lens):
    """A mask of shape (batch, n_k), which aligns the batch with the queries."""
    if valid_lens is None or valid_lens.ndim == 2:
        return visible(scores, valid_lens)
    return np.arange(scores.shape[-1]) < valid_lens[:, None]


def without_heads(scores, valid_lens):
    """A mask of shape (batch, rows, n_k), which aligns the batch with the heads."""
    if valid_lens is None:
        return visible(scores, None)
    return visible(scores[(slice(None), *[0] * (scores.ndim - 3))], valid_lens)


def softmax_of(mask_of=visible, axis=-1):
    """An exact softmax with some mask, over some axis."""

    def softmax(scores, valid_lens=None):
        kept = np.where(mask_of(scores, valid_lens), scores, -np.inf)
        return divide(np.exp(kept - finite(kept.max(axis=axis, keepdims=True))), axis)

    return softmax


def softmax_with(fill_of):
    """A softmax whose hidden scores become a fill, and that knows no empty row."""

    def softmax(scores, valid_lens=None):
        scores = real(scores)
        return plain(np.where(visible(scores, valid_lens), scores, fill_of(scores.dtype)))

    return softmax


def with_weights(weigh):
    """A softmax from scores and a mask, of those that several exercises share."""
    return lambda scores, valid_lens=None: weigh(real(scores), visible(scores, valid_lens))


def of_one_kind(ndim):
    """A mask for lengths of one number of axes: the others are taken for it."""

    def mask_of(scores, valid_lens):
        if valid_lens is None:
            return visible(scores, None)
        return np.arange(scores.shape[-1]) < valid_lens[(..., *[None] * (scores.ndim - ndim))]

    return mask_of


def with_other_lengths(change):
    """A mask of changed lengths."""
    return lambda scores, lens: visible(scores, None if lens is None else change(lens))


def at_the_end(scores, valid_lens):
    """A mask for padding that comes first."""
    return visible(scores[..., ::-1], valid_lens)[..., ::-1] | np.zeros(scores.shape, bool)


def hidden_by_none(scores, valid_lens):
    """A mask that hides everything where no lengths are given."""
    return visible(scores, np.zeros(len(scores), int) if valid_lens is None else valid_lens)


def not_divided(scores, valid_lens=None):
    """Weights set to zero after the softmax."""
    return np.where(visible(scores, valid_lens), plain(scores), 0)


def divided_again(scores, valid_lens=None):
    """Weights set to zero after the softmax, and divided by their sum."""
    weights = not_divided(scores, valid_lens)
    return weights / weights.sum(axis=-1, keepdims=True)


def guarded_again(scores, valid_lens=None):
    """Weights set to zero after the softmax, and divided by their sum where that is not 0."""
    return divide(not_divided(scores, valid_lens))


def hidden_maximum(scores, valid_lens=None):
    """The maximum is taken over hidden scores too."""
    exp = np.exp(real(scores) - scores.max(axis=-1, keepdims=True))
    return divide(np.where(visible(scores, valid_lens), exp, 0))


def one_hidden_maximum(scores, valid_lens=None):
    """One maximum for all rows, taken over hidden scores too."""
    return divide(np.where(visible(scores, valid_lens), np.exp(scores - scores.max()), 0))


def multiplied_and_divided(scores, valid_lens=None):
    """Exponentials times the mask: a hidden NaN or infinity stays."""
    exp = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return divide(exp * visible(scores, valid_lens))


def lowered(scores, valid_lens=None):
    """A finite number is added to hidden scores."""
    bias = np.where(visible(scores, valid_lens), 0.0, -1e9)
    return softmax_of()(scores + bias.astype(real(scores).dtype))


def mended(scores, valid_lens=None):
    """Every NaN becomes 0, whatever its reason."""
    return np.nan_to_num(softmax_with(lambda dtype: -np.inf)(scores, valid_lens))


def added(scores, valid_lens=None):
    """-inf is added to hidden scores."""
    bias = np.where(visible(scores, valid_lens), 0, -np.inf)
    return softmax_of()(scores + bias.astype(real(scores).dtype), None)


def no_maximum(scores, valid_lens=None):
    """Exponentials without a shift."""
    return divide(np.exp(np.where(visible(scores, valid_lens), scores, -np.inf)))


def one_maximum(scores, valid_lens=None):
    """One shift for all rows."""
    kept = np.where(visible(scores, valid_lens), scores, -np.inf)
    return divide(np.exp(kept - finite(kept.max())))


def plain(scores):
    """A softmax that knows no empty row."""
    exp = np.exp(real(scores) - scores.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)


def divide(exp, axis=-1):
    """Each row over its sum, a row of zeros left as it is."""
    total = exp.sum(axis=axis, keepdims=True)
    return exp / np.where(total == 0, 1, total)


def finite(top):
    """A maximum that can be subtracted: 0 for a row of -inf."""
    return np.where(np.isfinite(top), top, 0)


def real(scores):
    """Integers as float64."""
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)
