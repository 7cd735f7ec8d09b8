"""Mergers of many blocks with wrong shares, or a wrong log-sum-exp."""

import numpy as np

from attnbook.exercises.solutions import online as solutions
from attnbook.reference import logsumexp, softmax


def right_lse(lses):
    return logsumexp(np.moveaxis(lses, 0, -1))


def with_parts(shares, lse=right_lse):
    """The blocks' outputs summed by shares of (n_blocks, ..., n_q), and an lse."""

    def wrong(outs, lses):
        return np.sum(shares(lses)[..., None] * outs, axis=0), lse(lses)

    return wrong


def right_shares(lses):
    return np.moveaxis(softmax(np.moveaxis(lses, 0, -1)), -1, 0)


def unshifted(lses):
    return np.exp(lses) / np.sum(np.exp(lses), axis=0)


def unshifted_lse(lses):
    return np.log(np.sum(np.exp(lses), axis=0))


def unguarded(lses):
    return np.exp(lses - np.logaddexp.reduce(lses, axis=0))


def shifted_and_unguarded(lses):
    exp = np.exp(lses - np.max(lses, axis=0))
    return exp / np.sum(exp, axis=0)


def shifted_and_unguarded_lse(lses):
    top = np.max(lses, axis=0)
    return top + np.log(np.sum(np.exp(lses - top), axis=0))


def shifted_by(shift, lse=None):
    """Every guard, and the exponentials shifted by another number than each query's largest L."""

    def wrong(outs, lses):
        by = np.broadcast_to(shift(lses), lses.shape[1:])
        by = np.where(np.isfinite(by), by, 0).astype(lses.dtype)
        exp = np.exp(lses - by)
        total = np.sum(exp, axis=0)
        shares = exp / np.where(total == 0, 1, total)
        out = np.sum(shares[..., None] * outs, axis=0)
        return out, lse(lses) if lse else by + np.log(total)

    return wrong


def raised_to(number):
    """An empty block has a large negative L, and is made empty again in the end."""

    def wrong(outs, lses):
        low = np.asarray(number, lses.dtype)
        out, lse = solutions.merge_all(outs, np.where(lses == -np.inf, low, lses))
        empty = np.all(lses == -np.inf, axis=0)
        return np.where(empty[..., None], 0, out).astype(outs.dtype), np.where(empty, -np.inf, lse)

    return wrong


def one_maximum(lses):
    exp = np.exp(lses - np.max(lses))
    return exp / np.sum(exp, axis=0)


def even(lses):
    return np.full_like(lses, 1 / len(lses))


def sums(lses):
    return np.ones_like(lses)


def of_their_size(lses):
    return lses / np.sum(lses, axis=0)


def in_base_two(lses):
    exp = np.exp2(lses - np.max(lses, axis=0))
    return exp / np.sum(exp, axis=0)


def the_best_alone(outs, lses):
    best = np.argmax(lses, axis=0)[None, ..., None]
    out = np.take_along_axis(outs, best, axis=0)[0]
    return out, solutions.merge_all(outs, lses)[1]


def other_order(outs, lses):
    return solutions.merge_all(outs, lses)[::-1]


def nan_mended(outs, lses):
    lse = np.logaddexp.reduce(lses, axis=0)
    return np.nan_to_num(np.sum(np.exp(lses - lse)[..., None] * outs, axis=0)), lse


def the_first_two(outs, lses):
    lse = np.logaddexp(lses[0], lses[1])
    shift = np.where(lse == -np.inf, 0, lse)
    shares = np.exp(lses[:2] - shift)
    return np.sum(shares[..., None] * outs[:2], axis=0), lse


def halves(outs, lses):
    """Shares of each pair, averaged: the last block counts most."""
    out, lse = outs[0], lses[0]
    for o, l in zip(outs[1:], lses[1:], strict=True):
        out, lse = (out + o) / 2, np.logaddexp(lse, l)
    return out, lse


def not_added(outs, lses):
    """L is that of the last block each time, so later shares are too large."""
    out, lse = outs[0], lses[0]
    for o, l in zip(outs[1:], lses[1:], strict=True):
        both = np.logaddexp(lse, l)
        shift = np.where(both == -np.inf, 0, both)
        out = np.exp(lse - shift)[..., None] * out + np.exp(l - shift)[..., None] * o
        lse = l
    return out, lse


def without_an_axis(outs, lses):
    return np.sum(right_shares(lses) * outs, axis=0), right_lse(lses)


def not_moved_back(outs, lses):
    shares = softmax(np.moveaxis(lses, 0, -1))
    return np.sum(shares[..., None] * outs, axis=0), right_lse(lses)


def from_a_start_at_zero(outs, lses):
    """A first block of output 0 and L = 0, as np.zeros makes it."""
    zeros = np.zeros_like(outs[:1]), np.zeros_like(lses[:1])
    return solutions.merge_all(np.concatenate([zeros[0], outs]), np.concatenate([zeros[1], lses]))


def one_maximum_lse(lses):
    return np.max(lses) + np.log(np.sum(np.exp(lses - np.max(lses)), axis=0))


def lse_in_base_two(lses):
    top = np.max(lses, axis=0)
    return top + np.log2(np.sum(np.exp2(lses - top), axis=0))
