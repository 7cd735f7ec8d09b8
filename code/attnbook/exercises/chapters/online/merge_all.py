r"""Merge many blocks at once · medium · 12 min

Hints
1. By what fraction does each of two blocks count, and which function of their L makes these fractions?
2. The fractions of all blocks are a softmax over the blocks, and L is a log-sum-exp over them.
3. Both functions work along the last axis: np.moveaxis(lses, 0, -1) puts the blocks there.
4. Before you multiply the outputs, move the fractions back, and give them one more axis.

Why
A block counts by $e^{L_b} / \sum_c e^{L_c}$, which is the softmax of the $L_b$. So merging is
attention itself, with one key for each block, the score $L_b$ and the value $O_b$; its log-sum-exp
is the $L$ of all keys. Both functions have the guards.

Notice
Merging is attention over blocks: one key a block, with the score L.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.reference import logsumexp, softmax


def merge_all(outs, lses):
    """The blocks' outputs, averaged by the softmax of their L, and the log-sum-exp of these."""
    lses = np.moveaxis(lses, 0, -1)
    shares = np.moveaxis(softmax(lses), -1, 0)
    return np.sum(shares[..., None] * outs, axis=0), logsumexp(lses)


def by_hand(outs, lses):
    top = np.max(lses, axis=0)
    shift = np.where(np.isfinite(top), top, 0)
    exp = np.exp(lses - shift)
    total = np.sum(exp, axis=0)
    shares = exp / np.where(total == 0, 1, total)
    return np.sum(shares[..., None] * outs, axis=0), shift + np.log(total)


def by_pairs(outs, lses):
    """One block is merged after the other."""
    out, lse = outs[0], lses[0]
    for o, l in zip(outs[1:], lses[1:], strict=True):
        both = np.logaddexp(lse, l)
        shift = np.where(both == -np.inf, 0, both)
        out = np.exp(lse - shift)[..., None] * out + np.exp(l - shift)[..., None] * o
        lse = both
    return out, lse


rng = np.random.default_rng(6)


def blocks(n, *batch, n_q, d_v, dtype=np.float64, shift=0.0):
    return {
        "outs": rng.standard_normal((n, *batch, n_q, d_v)).astype(dtype),
        "lses": (shift + 2 * rng.standard_normal((n, *batch, n_q))).astype(dtype),
    }


def with_empty(blocks, *places):
    for place in places:
        blocks["outs"][place], blocks["lses"][place] = 0, -np.inf
    return blocks


EVEN = {"outs": np.array([[[3.0]], [[8.0]]]), "lses": np.log([[4.0], [4.0]])}
UNEVEN = {"outs": np.array([[[0.0]], [[4.0]], [[8.0]]]), "lses": np.log([[1.0], [3.0], [4.0]])}

CASES = (
    case(**EVEN, gives=(np.array([[5.5]]), np.log([8.0]))),
    case(**UNEVEN, gives=(np.array([[5.5]]), np.log([8.0]))),
    case(**blocks(1, n_q=2, d_v=3)),
    case(**blocks(4, n_q=2, d_v=3)),
    case(**blocks(3, n_q=5, d_v=2)),
    case(**blocks(3, 2, n_q=4, d_v=5)),
    case(**blocks(5, 2, 3, n_q=2, d_v=4)),
    case(**blocks(3, n_q=3, d_v=3)),
    stress(
        outs=np.array([[[1.0], [2.0]], [[3.0], [4.0]]]),
        lses=np.array([[1000.0, -1000.0], [1001.0, -1001.0]]),
    ),
    stress(**blocks(3, n_q=2, d_v=3, shift=1000.0)),
    stress(**blocks(3, n_q=2, d_v=3, shift=-1000.0)),
    stress(outs=np.array([[[1.0]], [[2.0]]]), lses=np.array([[1000.0], [0.0]])),
    stress(outs=np.array([[[1.0]], [[2.0]]]), lses=np.array([[0.0], [1000.0]])),
    stress(outs=np.array([[[0.0]], [[2.0]]]), lses=np.array([[-np.inf], [-2e30]])),
    stress(**with_empty(blocks(3, n_q=2, d_v=3), 0)),
    stress(**with_empty(blocks(3, n_q=2, d_v=3), (1, 0), (2, 1))),
    stress(**with_empty(blocks(3, n_q=2, d_v=3), (0, 1), (1, 1), (2, 1))),
    stress(**with_empty(blocks(2, n_q=2, d_v=3), 0, 1)),
    stress(**UNEVEN | {"outs": np.array([[[0.0]], [[np.nan]], [[8.0]]])}),
    stress(outs=np.array([[[1.0]], [[np.nan]]]), lses=np.array([[0.0], [-2000.0]])),
    stress(**blocks(3, n_q=2, d_v=3, dtype=np.float32)),
)

MISTAKES = """
a NaN is lost where its block's share rounds to 0: only an empty block has no influence.
    shares[..., None] * outs → np.where(shares[..., None] > 0, shares[..., None] * outs, 0)
the outputs are summed, or averaged evenly: each block counts in proportion to its e^{L_b}.
    np.sum(shares[..., None] * outs → np.mean(outs
    = (np.mean(outs, axis=0), np.mean(lses, axis=0))
    np.exp(lse - shift)[..., None] * out + np.exp(l - shift)[..., None] * o → (out + o) / 2
    = (np.sum(outs, axis=0), np.sum(lses, axis=0))
    np.sum(shares[..., None] * outs, axis=0), logsumexp → np.sum(outs, axis=0), logsumexp
the shares are not divided by their sum, that of all e^L.
    softmax(lses) → np.exp(lses)
    exp / np.where(total == 0, 1, total) → exp
one softmax serves all queries: each query has its own, over the blocks.
    softmax(lses) → softmax(lses.ravel()).reshape(lses.shape)
the shares meet the outputs in the wrong place: blocks are on the first axis of both, and the shares
have none for the features.
    shares[..., None] * outs, axis=0), logsumexp → shares * outs, axis=0), logsumexp
    np.moveaxis(softmax(lses), -1, 0) → softmax(lses)
the shares are made of L itself: take exponentials before you divide.
    softmax(lses) → lses / np.sum(lses, axis=-1, keepdims=True)
the largest L is taken, or the L are added or averaged: it is their exponentials that add up.
    logsumexp(lses) → np.max(lses, axis=-1)
    logsumexp(lses) → np.sum(lses, axis=-1)
    logsumexp(lses) → np.log(np.sum(lses, axis=-1))
    logsumexp(lses) → np.mean(lses, axis=-1)
L is a natural logarithm: it goes with np.exp and np.log, not with base 2.
    logsumexp(lses) → logsumexp(lses) / np.log(2).item()
    np.exp(lses → np.exp2(lses ; np.log → np.log2
    np.exp(lses → np.exp2(lses ; shift + np.log(total) → logsumexp(np.moveaxis(lses, 0, -1))
a sum runs over the queries: shares and L run over the blocks, the first axis.
    logsumexp(lses) → logsumexp(np.moveaxis(lses, -1, 0))
    np.moveaxis(softmax(lses), -1, 0) → softmax(np.moveaxis(lses, -1, 0))
    lses = np.moveaxis(lses, 0, -1) → ; np.moveaxis(softmax(lses), -1, 0) → softmax(lses)
the exponentials of L overflow or vanish: subtract the largest L of each query, as softmax does.
    np.max(lses, axis=0) → np.zeros_like(lses[0])
    np.max(lses, axis=0) → np.zeros_like(lses[0]) ; np.where(total == 0, 1, total) → total
    np.max(lses, axis=0) → np.zeros_like(lses[0]) ; shift + np.log(total) → logsumexp(np.moveaxis(lses, 0, -1))
    np.max(lses, axis=0) → np.zeros_like(lses[0]) ; np.where(total == 0, 1, total) → total ; shift + np.log(total) → logsumexp(np.moveaxis(lses, 0, -1))
    np.max(lses, axis=0) → lses[-1]
    np.max(lses, axis=0) → lses[0]
    np.max(lses, axis=0) → np.mean(lses, axis=0)
    np.max(lses, axis=0) → np.min(lses, axis=0)
one maximum serves all queries: where it is far above every L of a query, all exponentials of that
query are 0.
    np.max(lses, axis=0) → np.max(lses)
    np.max(lses, axis=0) → np.max(lses) ; np.where(total == 0, 1, total) → total
    np.max(lses, axis=0) → np.max(lses) ; shift + np.log(total) → logsumexp(np.moveaxis(lses, 0, -1))
    np.max(lses, axis=0) → np.max(lses) ; np.where(total == 0, 1, total) → total ; shift + np.log(total) → logsumexp(np.moveaxis(lses, 0, -1))
a NaN in an output is left out or becomes 0: that mends the query that sees nothing, and hides every
other fault as well.
    np.sum(shares → np.nansum(shares
    = (np.nan_to_num(merge_all(outs, lses)[0]), merge_all(outs, lses)[1])
where all blocks are empty every L is -inf, and -inf - (-inf) or 0 / 0 is NaN: the output is 0
there, and L stays -inf.
    np.where(np.isfinite(top), top, 0) → top
    np.where(np.isfinite(top), top, 0) → top ; np.sum(shares → np.nansum(shares
    np.where(np.isfinite(top), top, 0) → top ; shift + np.log(total) → logsumexp(np.moveaxis(lses, 0, -1))
only two blocks are merged: there may be any number.
    zip(outs[1:], lses[1:] → zip([outs[1]], [lses[1]]
L is that of the last block: after each merge it has to stand for all the keys so far.
    lse = both → lse = l
"""

exercise = write(
    merge_all, CASES, MISTAKES, drafts=(by_hand, by_pairs), oracle=by_pairs, results=("out", "lse")
)
