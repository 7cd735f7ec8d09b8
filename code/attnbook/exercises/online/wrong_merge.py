"""Wrong versions of a merger of many blocks, with what is wrong in them."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.online import wrong_shares as wrong
from attnbook.reference import logsumexp, softmax

OVERFLOW = (
    "the exponentials of L overflow or vanish: subtract the largest L of each query, as softmax "
    "does."
)
MISTAKES = (
    Misconception(
        wrong.with_parts(wrong.even),
        "the outputs are averaged evenly: each block counts by its share, e^{L_b} of the sum.",
    ),
    Misconception(
        wrong.with_parts(wrong.even, lambda lses: np.mean(lses, axis=0)),
        "outputs and L are averaged evenly: each block counts by its share, and e^L adds.",
    ),
    Misconception(
        wrong.with_parts(wrong.sums, lambda lses: np.sum(lses, axis=0)),
        "outputs and L are added as they are: weigh the outputs, and add e^L.",
    ),
    *(
        Misconception(
            wrong.with_parts(np.exp, lse),
            "the outputs are multiplied by e^L, and their sum is not divided by that of e^L.",
        )
        for lse in (wrong.right_lse, wrong.unshifted_lse)
    ),
    Misconception(
        wrong.with_parts(lambda lses: np.exp(lses - np.max(lses, axis=0))),
        "the shares are not divided by their sum.",
    ),
    Misconception(
        wrong.with_parts(lambda lses: softmax(lses.ravel()).reshape(lses.shape)),
        "one softmax serves all queries: each has its own shares, over the blocks.",
    ),
    Misconception(
        wrong.with_parts(lambda lses: wrong.right_shares(lses) / np.asarray(len(lses), lses.dtype)),
        "the sum is divided by the number of blocks: their shares sum to 1 already.",
    ),
    Misconception(
        wrong.without_an_axis,
        "the shares have no axis for the features, and meet the outputs in the wrong place: "
        "shares[..., None].",
    ),
    Misconception(
        wrong.not_moved_back,
        "the shares have their blocks on the last axis, and the outputs on the first: move them "
        "back.",
    ),
    Misconception(
        wrong.from_a_start_at_zero,
        "the start counts as a block with L = 0, a key of score 0: nothing has L = -inf.",
    ),
    Misconception(
        wrong.halves, "the outputs are averaged evenly in pairs: each block counts by its share."
    ),
    Misconception(
        wrong.with_parts(wrong.sums),
        "the outputs are summed: each is an average already, so weigh them.",
    ),
    Misconception(
        wrong.with_parts(wrong.of_their_size),
        "the shares are those of L itself: exponentiate before you divide.",
    ),
    Misconception(
        wrong.with_parts(wrong.right_shares, lambda lses: np.max(lses, axis=0)),
        "L is the largest of the blocks': the others add to the sum of exponentials.",
    ),
    *(
        Misconception(
            wrong.with_parts(wrong.right_shares, lse),
            "the L are added: it is their exponentials that add.",
        )
        for lse in (
            lambda lses: np.sum(lses, axis=0),
            lambda lses: np.log(np.sum(lses, axis=0)),
        )
    ),
    Misconception(
        wrong.with_parts(
            wrong.right_shares, lambda lses: wrong.right_lse(lses - np.max(lses, axis=0))
        ),
        "the largest L was subtracted before the exponentials, and is not added again.",
    ),
    Misconception(
        wrong.with_parts(wrong.right_shares, lambda lses: wrong.right_lse(lses) / np.log(2).item()),
        "L is a logarithm to base 2: ours is natural.",
    ),
    Misconception(
        wrong.with_parts(
            wrong.right_shares, lambda lses: np.nan_to_num(wrong.right_lse(lses), neginf=0)
        ),
        "L is 0 where all blocks are empty, as for a key of score 0: it stays -inf.",
    ),
    Misconception(
        wrong.with_parts(
            wrong.right_shares, lambda lses: wrong.right_lse(lses) + np.log(len(lses)).item()
        ),
        "the logarithm of the number of blocks is added: the sum of e^L has them all.",
    ),
    Misconception(
        wrong.with_parts(wrong.right_shares, logsumexp),
        "L is summed over the queries: it should run over the blocks, the first axis.",
    ),
    Misconception(
        wrong.with_parts(wrong.right_shares, lambda lses: np.mean(lses, axis=0)),
        "the L are averaged: it is their exponentials that add.",
    ),
    *(
        Misconception(
            wrong.with_parts(softmax, lse),
            "the softmax runs over the queries: it should run over the blocks, the first axis.",
        )
        for lse in (wrong.right_lse, logsumexp)
    ),
    *(
        Misconception(
            wrong.with_parts(shares, lse),
            OVERFLOW,
        )
        for shares, lse in (
            (wrong.unshifted, wrong.unshifted_lse),
            (wrong.unshifted, wrong.right_lse),
        )
    ),
    *(
        Misconception(wrong.shifted_by(lambda lses: 0, lse), OVERFLOW)
        for lse in (None, wrong.right_lse)
    ),
    *(
        Misconception(
            wrong.shifted_by(shift),
            "the shift is another number than the largest L, and overflows where one lies far "
            "above it: subtract the largest of each query.",
        )
        for shift in (
            lambda lses: lses[-1],
            lambda lses: lses[0],
            lambda lses: np.mean(lses, axis=0),
            lambda lses: np.min(lses, axis=0),
        )
    ),
    *(
        Misconception(
            wrong.raised_to(number),
            "an empty block gets a large negative L, and a block of keys may lie below that: only "
            "-inf is below all.",
        )
        for number in (-1e4, -1e9, -1e30)
    ),
    *(
        Misconception(
            wrong.with_parts(shares, lse),
            "where all blocks are empty every L is -inf, and -inf - (-inf) or 0 / 0 is NaN: the "
            "output is 0 there, and L stays -inf.",
        )
        for shares, lse in (
            (wrong.unguarded, lambda lses: np.logaddexp.reduce(lses, axis=0)),
            (wrong.shifted_and_unguarded, wrong.shifted_and_unguarded_lse),
            (wrong.shifted_and_unguarded, lambda lses: np.logaddexp.reduce(lses, axis=0)),
        )
    ),
    *(
        Misconception(
            wrong.with_parts(wrong.one_maximum, lse),
            "one maximum serves all queries: each subtracts the largest of its own L.",
        )
        for lse in (wrong.right_lse, wrong.one_maximum_lse)
    ),
    *(
        Misconception(
            wrong.with_parts(wrong.in_base_two, lse),
            "the shares are powers of 2: L is a natural logarithm, and goes with np.exp.",
        )
        for lse in (wrong.right_lse, wrong.lse_in_base_two)
    ),
    *(
        Misconception(
            wrong.shifted_by(np.max, lse),
            "one maximum serves all queries: each subtracts the largest of its own L.",
        )
        for lse in (None, wrong.right_lse)
    ),
    Misconception(
        wrong.the_best_alone, "the block with the largest L is taken alone: each has its share."
    ),
    Misconception(wrong.other_order, "the order is the output, then L."),
    Misconception(
        wrong.with_parts(
            wrong.right_shares,
            lambda lses: wrong.right_lse(lses) - np.log(len(lses)).item(),
        ),
        "L is the logarithm of a mean: the sum is not divided by the number of blocks.",
    ),
    Misconception(
        wrong.nan_mended,
        "a NaN that a block handed over became 0: where all blocks are empty, shift by 0, and "
        "no NaN needs mending.",
    ),
    Misconception(wrong.the_first_two, "two blocks alone are merged: there may be any number."),
    Misconception(
        wrong.not_added,
        "L is that of the last block: after each merger it has to grow by what was merged.",
    ),
)
