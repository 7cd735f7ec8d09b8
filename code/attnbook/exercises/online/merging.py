"""Many blocks merged at once."""

import numpy as np

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import online as solutions
from attnbook.exercises.write import Write, case, stress
from attnbook.reference import logsumexp, softmax

_rng = np.random.default_rng(6)


def with_parts(shares, lse=lambda lses: logsumexp(np.moveaxis(lses, 0, -1))):
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


def _blocks(n, *batch, n_q, d_v, dtype=np.float64, shift=0.0):
    return {
        "outs": _rng.standard_normal((n, *batch, n_q, d_v)).astype(dtype),
        "lses": (shift + 2 * _rng.standard_normal((n, *batch, n_q))).astype(dtype),
    }


def _with_empty(blocks, *places):
    for place in places:
        blocks["outs"][place], blocks["lses"][place] = 0, -np.inf
    return blocks


_TINY = {"outs": np.array([[[3.0]], [[8.0]]]), "lses": np.log([[4.0], [4.0]])}
_UNEVEN = {"outs": np.array([[[0.0]], [[4.0]], [[8.0]]]), "lses": np.log([[1.0], [3.0], [4.0]])}

merge_all = Write(
    name="online.merge_all",
    title="Merge many blocks at once",
    level="medium",
    minutes=12,
    solution_of=solutions.merge_all,
    explanation=(
        "The share of a block is $e^{L_b} / \\sum_c e^{L_c}$: the softmax of the $L_b$. So "
        "merging is attention itself, with one key for each block, the score $L_b$ and the "
        "value $O_b$; its log-sum-exp is the $L$ of all keys. Both functions have the guards."
    ),
    hints=(
        "What are the shares of two blocks, and which function of their L makes them?",
        "Shares of all blocks are a softmax over the blocks, and L is a log-sum-exp over them.",
        "Both functions work along the last axis: np.moveaxis(lses, 0, -1) puts the blocks there.",
        "To multiply the outputs, move the shares back, and give them one more axis.",
    ),
    misconceptions=(
        Misconception(
            with_parts(even),
            "the outputs are averaged evenly: each block counts by its share, e^{L_b} of the sum.",
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
        Misconception(
            with_parts(right_shares, lambda lses: np.sum(lses, axis=0)),
            "the L are added: it is their exponentials that add.",
        ),
        Misconception(
            with_parts(right_shares, lambda lses: np.mean(lses, axis=0)),
            "the L are averaged: it is their exponentials that add.",
        ),
        Misconception(
            with_parts(softmax),
            "the softmax runs over the queries: it should run over the blocks, the first axis.",
        ),
        *(
            Misconception(
                with_parts(shares, lse),
                "the exponentials of L overflow or vanish: subtract the largest L of each query, "
                "as softmax does.",
            )
            for shares, lse in (
                (unshifted, unshifted_lse),
                (unshifted, lambda lses: logsumexp(np.moveaxis(lses, 0, -1))),
            )
        ),
        *(
            Misconception(
                with_parts(shares, lse),
                "where all blocks are empty every L is -inf, and -inf - (-inf) is NaN: the output "
                "is 0 there, and L stays -inf.",
            )
            for shares, lse in (
                (unguarded, lambda lses: np.logaddexp.reduce(lses, axis=0)),
                (shifted_and_unguarded, shifted_and_unguarded_lse),
                (shifted_and_unguarded, lambda lses: np.logaddexp.reduce(lses, axis=0)),
            )
        ),
        Misconception(
            with_parts(one_maximum),
            "one maximum serves all queries: each subtracts the largest of its own L.",
        ),
        Misconception(
            with_parts(in_base_two),
            "the shares are powers of 2: L is a natural logarithm, and goes with np.exp.",
        ),
        Misconception(
            the_best_alone, "the block with the largest L is taken alone: each has its share."
        ),
        Misconception(other_order, "the order is the output, then L."),
        Misconception(
            with_parts(
                right_shares,
                lambda lses: logsumexp(np.moveaxis(lses, 0, -1)) - np.log(len(lses)).item(),
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
    ),
    notice="Merging is attention over blocks: one key a block, with the score L.",
    cases=(
        case(**_TINY),
        case(**_UNEVEN),
        case(**_blocks(1, n_q=2, d_v=3)),
        case(**_blocks(4, n_q=2, d_v=3)),
        case(**_blocks(3, n_q=5, d_v=2)),
        case(**_blocks(3, 2, n_q=4, d_v=5)),
        case(**_blocks(5, 2, 3, n_q=2, d_v=4)),
        case(**_blocks(3, n_q=3, d_v=3)),
        stress(**_with_empty(_blocks(3, n_q=2, d_v=3), 0)),
        stress(**_with_empty(_blocks(3, n_q=2, d_v=3), (1, 0), (2, 1))),
        stress(**_with_empty(_blocks(3, n_q=2, d_v=3), (0, 1), (1, 1), (2, 1))),
        stress(**_with_empty(_blocks(2, n_q=2, d_v=3), 0, 1)),
        stress(**_UNEVEN | {"outs": np.array([[[0.0]], [[np.nan]], [[8.0]]])}),
        stress(**_blocks(3, n_q=2, d_v=3, shift=1000.0)),
        stress(**_blocks(3, n_q=2, d_v=3, shift=-1000.0)),
        stress(
            outs=np.array([[[1.0], [2.0]], [[3.0], [4.0]]]),
            lses=np.array([[1000.0, -1000.0], [1001.0, -1001.0]]),
        ),
        stress(**_blocks(3, n_q=2, d_v=3, dtype=np.float32)),
    ),
)
