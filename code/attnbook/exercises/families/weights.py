"""Wrong softmaxes under a mask, in NumPy: each makes weights of scores and a mask, or None.

They are shared by all exercises with such a softmax in them, each with its sentence.
"""

import numpy as np


def exp_over_sum(scores, axis=-1):
    """A softmax that knows nothing of masks, along one axis or several."""
    exp = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return exp / np.sum(exp, axis=axis, keepdims=True)


def with_scores(change, axis=-1):
    """The softmax of scores that a mask, where there is one, has changed."""

    def weigh(scores, mask):
        return exp_over_sum(scores if mask is None else change(scores, mask), axis)

    return weigh


def hidden(scores, mask):
    return np.where(mask, scores, -np.inf)


def filled(fill):
    return with_scores(lambda scores, mask: np.where(mask, scores, fill))


def along(axis):
    """The right softmax, empty rows and all, along another axis or several."""

    def weigh(scores, mask):
        kept = scores if mask is None else hidden(scores, mask)
        top = np.max(kept, axis=axis, keepdims=True)
        exp = np.exp(kept - np.where(np.isfinite(top), top, 0))
        total = np.sum(exp, axis=axis, keepdims=True)
        return exp / np.where(total == 0, 1, total)

    return weigh


def plain_exp(scores, mask):
    return np.exp(scores if mask is None else hidden(scores, mask))


def shares_of_scores(scores, mask):
    kept = scores if mask is None else np.where(mask, scores, 0)
    return kept / np.sum(kept, axis=-1, keepdims=True)


def no_softmax(scores, mask):
    return scores if mask is None else np.where(mask, scores, 0)


def hidden_if_zero(scores, mask):
    """Multiplied by the mask first, and then all zeros hidden: a visible 0 too."""
    kept = scores if mask is None else scores * mask
    return along(-1)(scores, np.broadcast_to(kept != 0, scores.shape))


def seen_if_zero(scores, mask):
    """Hidden where what the mask cuts off the scores is not 0."""
    return along(-1)(scores, None if mask is None else np.where(mask, 0, scores) == 0)


def best_alone(scores, mask):
    """The first of the largest visible scores has all the weight."""
    kept = scores if mask is None else hidden(scores, mask)
    best = np.arange(kept.shape[-1]) == np.argmax(kept, axis=-1)[..., None]
    return np.where(np.isneginf(kept), 0, best).astype(scores.dtype)


def squashed(scores, mask):
    """The logistic function of each score alone."""
    return 1 / (1 + np.exp(-(scores if mask is None else hidden(scores, mask))))


def powers_of_2(scores, mask):
    return along(-1)(scores * np.log(2).astype(scores.dtype), mask)


def twice(scores, mask):
    return along(-1)(along(-1)(scores, mask), mask)


def even_if_empty(scores, mask):
    seen = True if mask is None else np.any(mask, axis=-1, keepdims=True)
    return np.where(seen, along(-1)(scores, mask), 1 / scores.shape[-1]).astype(scores.dtype)


def small_number_added(scores, mask):
    kept = scores if mask is None else hidden(scores, mask)
    top = np.max(kept, axis=-1, keepdims=True)
    exp = np.exp(kept - np.where(np.isfinite(top), top, 0))
    return exp / (np.sum(exp, axis=-1, keepdims=True) + 1e-9)


ZERO = "a hidden score becomes 0, and exp(0) = 1 takes part: only -inf is absent."
FILL = (
    "a finite fill is a score like any other: where nothing is visible the weights come out even, "
    "not 0, and a visible score below the fill loses to it. Hide with -inf."
)
OVER = "the softmax runs over another axis, or over several: each row, the last axis, sums to 1."
ADDED = "the mask is added or subtracted: 1 more or less for a visible score hides nothing."
SEEN_IF_ZERO = "a hidden score of 0 stays visible: let the mask choose, not the score."
EVEN = "where nothing is visible the weights come out even: such a row should be zeros."
NO_SOFTMAX = "the exponential is missing: these are the scores, or their shares, not their softmax."

KNOWN = (
    (best_alone, "the best key has all the weight: softmax leaves every visible key a share."),
    (squashed, "each score is squashed on its own: the weights of a row should share one sum."),
    (powers_of_2, "these are shares of powers of 2; softmax takes powers of e."),
    (twice, "the softmax is taken twice: weights are not scores, and come out nearly even."),
    (filled(0.0), ZERO),
    (with_scores(lambda scores, mask: scores * mask), ZERO),
    (filled(-1e4), FILL),
    (filled(-100.0), FILL),
    (with_scores(lambda scores, mask: scores + mask), ADDED),
    (with_scores(lambda scores, mask: scores - mask), ADDED),
    (hidden_if_zero, "a visible score of 0 is hidden too: let the mask choose, not the score."),
    *((along(axis), OVER) for axis in (-2, 0, None, (-2, -1))),
    (plain_exp, "nothing is divided: the exponentials of a row, over their sum, are its weights."),
    (shares_of_scores, NO_SOFTMAX),
    (no_softmax, NO_SOFTMAX),
    (
        small_number_added,
        "the small number in the denominator takes part in every row: divide by the sum itself, "
        "and by 1 where it is 0.",
    ),
)
