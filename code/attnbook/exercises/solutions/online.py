"""Solutions to the exercises of the chapter on online softmax."""

import numpy as np

from attnbook.masks import causal_mask
from attnbook.online import visible_blocks
from attnbook.reference import logsumexp, softmax


def three_numbers():
    """The factor at the second score, and l and o after the third."""
    c, p = 2 / 8, 4 / 8
    return [c, c * 1 + 1 + p, c * 6 + 1 + p * 2]


def start_at_zero():
    """Below a maximum of 0 the exponential of -1000 is 0 in a float."""
    return np.array([-1000.0])


def step(m, l, o, scores, v):
    """m, l and o after one more block of scores and values."""
    new = np.maximum(m, np.max(scores, axis=-1))
    shift = np.where(new == -np.inf, 0, new)
    c, p = np.exp(m - shift), np.exp(scores - shift[..., None])
    return new, c * l + np.sum(p, axis=-1), c[..., None] * o + p @ v


def merge_all(outs, lses):
    """The blocks' outputs, averaged by the softmax of their L, and the log-sum-exp of these."""
    lses = np.moveaxis(lses, 0, -1)
    shares = np.moveaxis(softmax(lses), -1, 0)
    return np.sum(shares[..., None] * outs, axis=0), logsumexp(lses)


def causal_blocks():
    """Empty, full and cut blocks of 128 by 128, for the last 512 queries of 2048 keys."""
    some, every = visible_blocks(causal_mask(512, 2048), 128, 128)
    return [np.sum(~some), np.sum(every), np.sum(some & ~every)]


def corner():
    """The diagonal alone: in each block on it, the last query does not see the first key."""
    return np.eye(4, dtype=bool)


def block_gradient(grad_out, out, lse, scores, v):
    """exp(S - L) ∘ (grad_O vᵀ - rowsum(grad_O ∘ O)) for one block of keys."""
    shift = np.where(lse == -np.inf, 0, lse)[..., None]
    along = np.sum(grad_out * out, axis=-1, keepdims=True)
    return np.exp(scores - shift) * (grad_out @ np.swapaxes(v, -1, -2) - along)
