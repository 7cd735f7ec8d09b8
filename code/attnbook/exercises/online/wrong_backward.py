"""Wrong gradients of one block's scores, with what is wrong in them."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.solutions import online as solutions
from attnbook.reference import softmax


def transposed(x):
    return np.swapaxes(x, -1, -2)


def without_minus_inf(lse):
    return np.where(lse == -np.inf, 0, lse)


def weights_of(lse, scores):
    return np.exp(scores - without_minus_inf(lse)[..., None])


def with_parts(
    weights=weights_of,
    of_weights=lambda grad_out, v: grad_out @ transposed(v),
    along=lambda grad_out, out, w, dw: np.sum(grad_out * out, axis=-1, keepdims=True),
    joined=lambda w, dw, along: w * (dw - along),
):
    """The right gradient with some of its parts exchanged."""

    def wrong(grad_out, out, lse, scores, v):
        w, dw = weights(lse, scores), of_weights(grad_out, v)
        return joined(w, dw, along(grad_out, out, w, dw))

    return wrong


def of_the_block(lse, scores):
    return softmax(scores)


def unguarded(lse, scores):
    return np.exp(scores - lse[..., None])


def unshifted(lse, scores):
    return np.exp(scores) / np.exp(lse)[..., None]


def unshifted_and_guarded(lse, scores):
    total = np.exp(lse)[..., None]
    return np.exp(scores) / np.where(total == 0, 1, total)


def divided_by_l(lse, scores):
    return np.exp(scores) / lse[..., None]


def in_the_block(grad_out, out, w, dw):
    return np.sum(w * dw, axis=-1, keepdims=True)


MISTAKES = (
    *(
        Misconception(
            with_parts(weights=of_the_block, along=along),
            "the weights are a softmax of this block: among all keys they are exp(S - L).",
        )
        for along in (
            lambda grad_out, out, w, dw: np.sum(grad_out * out, axis=-1, keepdims=True),
            in_the_block,
        )
    ),
    Misconception(
        with_parts(along=in_the_block),
        "the sum over this block alone is subtracted: over all keys it is rowsum(grad_O ∘ O).",
    ),
    Misconception(
        with_parts(along=lambda grad_out, out, w, dw: 0),
        "nothing is subtracted: raising one score lowers the weights of all other keys.",
    ),
    Misconception(
        with_parts(along=lambda *_: np.mean(_[0] * _[1], axis=-1, keepdims=True)),
        "the mean over the features is subtracted: g · O is their sum.",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: w * dw - along),
        "what is subtracted is multiplied by the weight too: A ∘ (… - …).",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: w * (dw - w * along)),
        "what is subtracted is multiplied by the weight twice: A ∘ (… - rowsum).",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: w**2 * (dw - along)),
        "the weights are taken twice: once is enough.",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: w @ (dw - along)),
        "the weights meet the bracket in a matrix product: multiply entry by entry.",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: dw - along),
        "the weights are missing: a key without weight cannot move.",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: w * (dw + along)),
        "g · O is added: what counts is the distance of a value from the output.",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: -w * (dw - along)),
        "the sign is turned: a score pulls the output towards its value.",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: dw),
        "that is the gradient by the weights: go on through the softmax.",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: w),
        "these are the weights: the gradient of their scores is asked for.",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: w * (1 - w) * dw),
        "that is the diagonal of the Jacobian alone: the other keys count as well.",
    ),
    Misconception(
        with_parts(along=lambda grad_out, out, w, dw: np.sum(grad_out * out, axis=-1)),
        "the sums lost their axis and met the keys: keepdims=True gives each row its own.",
    ),
    Misconception(
        with_parts(along=lambda *_: np.sum(_[0] * _[1], axis=-2, keepdims=True)),
        "the sum runs over the queries: each has its own, over the features, axis=-1.",
    ),
    Misconception(
        with_parts(along=lambda *_: np.sum(_[0] * _[1])),
        "one sum serves all queries: each has its own, over the features, axis=-1.",
    ),
    Misconception(
        with_parts(along=lambda grad_out, out, w, dw: grad_out @ transposed(out)),
        "grad_out @ outᵀ pairs all queries: multiply entry by entry, then sum the features.",
    ),
    Misconception(
        with_parts(of_weights=lambda grad_out, v: grad_out @ v.T),
        "v.T reverses every axis; on a stack of values only the last two may be swapped.",
    ),
    Misconception(
        lambda grad_out, out, lse, scores, v: with_parts(
            along=lambda *_: without_minus_inf(lse)[..., None]
        )(grad_out, out, lse, scores, v),
        "L is subtracted from the gradient of the weights: what belongs there is g · O.",
    ),
    Misconception(
        with_parts(joined=lambda w, dw, along: -w * along),
        "the values of the block are missing: each key has its own g · v.",
    ),
    Misconception(
        lambda grad_out, out, lse, scores, v: (
            weights_of(lse, scores) * ((grad_out - out) @ transposed(v))
        ),
        "out is subtracted from grad_out: what is subtracted is their product, g · O.",
    ),
    Misconception(
        with_parts(along=lambda grad_out, out, w, dw: np.sum(w, axis=-1, keepdims=True)),
        "the sum of the weights is subtracted: what belongs there is g · O.",
    ),
    Misconception(
        with_parts(of_weights=lambda grad_out, v: grad_out @ v),
        "v is not transposed: each query's g meets each value, grad_out @ vᵀ.",
    ),
    Misconception(
        with_parts(weights=lambda lse, scores: np.exp(scores - without_minus_inf(lse))),
        "L has no axis for the keys, and meets the scores in the wrong place: lse[..., None].",
    ),
    Misconception(
        with_parts(weights=lambda lse, scores: 1 / weights_of(lse, scores)),
        "the difference is turned round: weights are exp(S - L), and below 1.",
    ),
    Misconception(
        with_parts(weights=lambda lse, scores: scores - without_minus_inf(lse)[..., None]),
        "S - L are logarithms of the weights: take their exponentials.",
    ),
    Misconception(
        with_parts(weights=lambda lse, scores: np.exp2(scores - without_minus_inf(lse)[..., None])),
        "these are powers of 2: S and L are natural logarithms, and go with np.exp.",
    ),
    Misconception(
        with_parts(weights=lambda lse, scores: weights_of(np.max(scores, axis=-1), scores)),
        "the block's largest score is subtracted in place of L: these do not sum to 1.",
    ),
    Misconception(
        with_parts(weights=unguarded),
        "where a query sees nothing L is -inf, and -inf - (-inf) is NaN: shift by 0 there.",
    ),
    Misconception(
        with_parts(weights=lambda lse, scores: np.exp(scores)),
        "L is not used: exp(S) becomes weights when it is divided by exp(L).",
    ),
    Misconception(
        with_parts(weights=lambda lse, scores: weights_of(lse / np.log(2).item(), scores)),
        "L is divided by ln 2: it is a natural logarithm already.",
    ),
    Misconception(
        with_parts(along=lambda *_: np.sum(_[1], axis=-1, keepdims=True)),
        "the output alone is summed: g · O needs grad_out * out.",
    ),
    Misconception(
        with_parts(along=lambda *_: np.sum(_[0], axis=-1, keepdims=True)),
        "grad_out alone is summed: g · O needs grad_out * out.",
    ),
    Misconception(
        with_parts(along=lambda *_: np.sum(_[1] * _[1], axis=-1, keepdims=True)),
        "that is O · O: g · O needs grad_out * out.",
    ),
    Misconception(
        lambda grad_out, out, *rest: with_parts(
            along=lambda out, grad_out, w, dw: np.sum(grad_out * out, axis=-1, keepdims=True)
        )(out, grad_out, *rest),
        "out stands where grad_out belongs: values meet the gradient of the output.",
    ),
    Misconception(
        lambda grad_out, out, lse, scores, v: transposed(weights_of(lse, scores)) @ grad_out,
        "that is the gradient of the values: asked is that of the scores.",
    ),
    Misconception(
        lambda grad_out, out, lse, scores, v: with_parts()(
            grad_out, softmax(scores) @ v, lse, scores, v
        ),
        "the output of this block is used: g · O needs the output over all keys.",
    ),
    Misconception(
        lambda grad_out, *rest: (
            solutions.block_gradient(grad_out, *rest) * grad_out.shape[-1] ** -0.5
        ),
        "no scale belongs here: it stands between scores and queries.",
    ),
    Misconception(
        with_parts(weights=unshifted),
        "exp(S) and exp(L) overflow or vanish, each for itself: subtract before exp.",
    ),
    Misconception(
        with_parts(weights=unshifted_and_guarded),
        "exp(S) and exp(L) overflow or vanish, each for itself: subtract before exp.",
    ),
    *(
        Misconception(
            lambda *given, weights=weights: np.nan_to_num(with_parts(weights=weights)(*given)),
            "a NaN that came in became 0: shift by 0 where L is -inf, so that none arises, and "
            "let others show.",
        )
        for weights in (weights_of, unguarded)
    ),
    Misconception(
        with_parts(weights=divided_by_l),
        "L is a logarithm: the exponentials are divided by exp(L), or L is subtracted first.",
    ),
)
