"""Wrong versions of a merger of many blocks, with what is wrong in them."""

import numpy as np

from attnbook.exercises.exercise import Misconception
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


MISTAKES = (
    Misconception(
        with_parts(even),
        "the outputs are averaged evenly: each block counts by its share, e^{L_b} of the sum.",
    ),
    Misconception(
        with_parts(even, lambda lses: np.mean(lses, axis=0)),
        "outputs and L are averaged evenly: each block counts by its share, and e^L adds.",
    ),
    Misconception(
        with_parts(sums, lambda lses: np.sum(lses, axis=0)),
        "outputs and L are added as they are: weigh the outputs, and add e^L.",
    ),
    *(
        Misconception(
            with_parts(np.exp, lse),
            "the outputs are multiplied by e^L, and their sum is not divided by that of e^L.",
        )
        for lse in (right_lse, unshifted_lse)
    ),
    Misconception(
        with_parts(lambda lses: np.exp(lses - np.max(lses, axis=0))),
        "the shares are not divided by their sum.",
    ),
    Misconception(
        with_parts(lambda lses: softmax(lses.ravel()).reshape(lses.shape)),
        "one softmax serves all queries: each has its own shares, over the blocks.",
    ),
    Misconception(
        with_parts(lambda lses: right_shares(lses) / np.asarray(len(lses), lses.dtype)),
        "the sum is divided by the number of blocks: their shares sum to 1 already.",
    ),
    Misconception(
        without_an_axis,
        "the shares have no axis for the features, and meet the outputs in the wrong place: "
        "shares[..., None].",
    ),
    Misconception(
        not_moved_back,
        "the shares have their blocks on the last axis, and the outputs on the first: move them "
        "back.",
    ),
    Misconception(
        from_a_start_at_zero,
        "the start counts as a block with L = 0, a key of score 0: nothing has L = -inf.",
    ),
    Misconception(
        halves, "the outputs are averaged evenly in pairs: each block counts by its share."
    ),
    Misconception(
        with_parts(sums), "the outputs are summed: each is an average already, so weigh them."
    ),
    Misconception(
        with_parts(of_their_size),
        "the shares are those of L itself: exponentiate before you divide.",
    ),
    Misconception(
        with_parts(right_shares, lambda lses: np.max(lses, axis=0)),
        "L is the largest of the blocks': the others add to the sum of exponentials.",
    ),
    *(
        Misconception(
            with_parts(right_shares, lse), "the L are added: it is their exponentials that add."
        )
        for lse in (
            lambda lses: np.sum(lses, axis=0),
            lambda lses: np.log(np.sum(lses, axis=0)),
        )
    ),
    Misconception(
        with_parts(right_shares, lambda lses: right_lse(lses - np.max(lses, axis=0))),
        "the largest L was subtracted before the exponentials, and is not added again.",
    ),
    Misconception(
        with_parts(right_shares, lambda lses: right_lse(lses) / np.log(2).item()),
        "L is a logarithm to base 2: ours is natural.",
    ),
    Misconception(
        with_parts(right_shares, lambda lses: np.nan_to_num(right_lse(lses), neginf=0)),
        "L is 0 where all blocks are empty, as for a key of score 0: it stays -inf.",
    ),
    Misconception(
        with_parts(right_shares, lambda lses: right_lse(lses) + np.log(len(lses)).item()),
        "the logarithm of the number of blocks is added: the sum of e^L has them all.",
    ),
    Misconception(
        with_parts(right_shares, logsumexp),
        "L is summed over the queries: it should run over the blocks, the first axis.",
    ),
    Misconception(
        with_parts(right_shares, lambda lses: np.mean(lses, axis=0)),
        "the L are averaged: it is their exponentials that add.",
    ),
    *(
        Misconception(
            with_parts(softmax, lse),
            "the softmax runs over the queries: it should run over the blocks, the first axis.",
        )
        for lse in (right_lse, logsumexp)
    ),
    *(
        Misconception(
            with_parts(shares, lse),
            "the exponentials of L overflow or vanish: subtract the largest L of each query, "
            "as softmax does.",
        )
        for shares, lse in (
            (unshifted, unshifted_lse),
            (unshifted, right_lse),
        )
    ),
    *(
        Misconception(
            with_parts(shares, lse),
            "where all blocks are empty every L is -inf, and -inf - (-inf) or 0 / 0 is NaN: the "
            "output is 0 there, and L stays -inf.",
        )
        for shares, lse in (
            (unguarded, lambda lses: np.logaddexp.reduce(lses, axis=0)),
            (shifted_and_unguarded, shifted_and_unguarded_lse),
            (shifted_and_unguarded, lambda lses: np.logaddexp.reduce(lses, axis=0)),
        )
    ),
    *(
        Misconception(
            with_parts(one_maximum, lse),
            "one maximum serves all queries: each subtracts the largest of its own L.",
        )
        for lse in (right_lse, one_maximum_lse)
    ),
    *(
        Misconception(
            with_parts(in_base_two, lse),
            "the shares are powers of 2: L is a natural logarithm, and goes with np.exp.",
        )
        for lse in (right_lse, lse_in_base_two)
    ),
    Misconception(
        the_best_alone, "the block with the largest L is taken alone: each has its share."
    ),
    Misconception(other_order, "the order is the output, then L."),
    Misconception(
        with_parts(
            right_shares,
            lambda lses: right_lse(lses) - np.log(len(lses)).item(),
        ),
        "L is the logarithm of a mean: the sum is not divided by the number of blocks.",
    ),
    Misconception(
        nan_mended,
        "a NaN that a block handed over became 0: where all blocks are empty, shift by 0, and "
        "no NaN needs mending.",
    ),
    Misconception(the_first_two, "two blocks alone are merged: there may be any number."),
    Misconception(
        not_added,
        "L is that of the last block: after each merger it has to grow by what was merged.",
    ),
)
