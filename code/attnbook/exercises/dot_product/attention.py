"""Scaled dot-product attention, written in full."""

import numpy as np

from attnbook.exercises.dot_product import wrong_attention as wrong
from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.families import weights
from attnbook.exercises.solutions import dot_product as solutions
from attnbook.masks import causal_mask, padding_mask
from attnbook.reference import softmax

rng = np.random.default_rng(0)


def _random(n_q, n_k, d_k, d_v, batch=(), dtype=np.float64):
    sizes = {"q": (n_q, d_k), "k": (n_k, d_k), "v": (n_k, d_v)}
    return {name: rng.standard_normal(batch + size).astype(dtype) for name, size in sizes.items()}


def _tiny(dtype=np.float64):
    keys = np.outer(2 * np.log([1.0, 3.0, 4.0]), [1.0, 0.0, 0.0, 0.0])
    values = np.array([[0.0], [4.0], [8.0]])
    return {"q": np.eye(1, 4, dtype=dtype), "k": keys.astype(dtype), "v": values.astype(dtype)}


def _equal_keys(dtype):
    """Weights of 1/2 whatever the scale: only the dtype can go wrong."""
    q, k = np.array([[1, 2]]), np.array([[1, 1], [1, 1]])
    return {
        "q": q.astype(dtype),
        "k": k.astype(dtype),
        "v": np.array([[2, 4, 6], [4, 8, 10]], dtype),
    }


def _far_apart(size):
    """Scores so far apart that the weights are 0 and 1 whatever the scale."""
    return {
        "q": np.array([[size, 0.0]]),
        "k": np.array([[1.0, 0.0], [3.0, 0.0], [2.0, 0.0]]),
        "v": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
    }


def _one_visible(hidden_key, hidden_value):
    """The first query sees nothing, the second key 0 alone."""
    return {
        "q": np.array([[1.0, 0.0], [0.0, 1.0]]),
        "k": np.array([[1.0, 2.0], [hidden_key, 1.0]]),
        "v": np.array([[1.0, 2.0, 3.0], [hidden_value, 5.0, 6.0]]),
        "mask": np.array([[False, False], [True, False]]),
    }


def _one_and_both(second_key, second_value):
    """The first query sees key 0 alone, the second both."""
    return _one_visible(second_key, second_value) | {
        "mask": np.array([[True, False], [True, True]])
    }


def _small_integers(entry, dtype):
    """Scores beyond the range of the dtype."""
    return {
        "q": np.array([[entry, entry]], dtype),
        "k": np.array([[1, 1], [2, 2]], dtype),
        "v": np.array([[1, 2, 3], [4, 5, 6]], dtype),
    }


def _lowest():
    """The only visible score is the lowest number."""
    return {
        "q": np.array([[np.finfo(np.float64).min]]),
        "k": np.array([[1.0], [0.5]]),
        "v": np.array([[1.0], [2.0]]),
        "mask": np.array([[True, False]]),
    }


ONLY_FINITE = (
    "an infinite or NaN value is replaced for every query, also for one that may look at it; hide "
    "it only where the mask does."
)
PROMOTED = (
    "the result is float64 whatever came in: np.sqrt of an integer is a float64, and float32 "
    "divided by that is float64."
)

scaled_dot_product_attention = Write(
    name="dot_product.scaled_dot_product_attention",
    title="Scaled dot-product attention",
    level="medium",
    minutes=15,
    solution_of=solutions.scaled_dot_product_attention,
    exact_zeros=True,
    hints=(
        "Three steps, one line each: scores, weights, output. Which two of them are matrix "
        "products?",
        "`np.swapaxes(k, -1, -2)` works for any number of batch axes; the scale is "
        "`q.shape[-1] ** -0.5`, a plain Python number that leaves the dtype alone.",
        "Scale the queries before the product, not the scores after it: in float16 that is the "
        "difference between a score and infinity.",
        "`softmax(scores, mask)` and `weighted_sum(weights, v, mask)` take care of everything "
        "hidden.",
    ),
    explanation=(
        "Two batched matrix products with a softmax between them. The scale stands before the "
        "product, so that float16 scores that fit do not overflow on the way. `softmax` gives "
        "a query that sees nothing zeros, and `weighted_sum` keeps hidden values out, whatever "
        "they are."
    ),
    misconceptions=(
        Misconception(
            wrong.attention(scale=lambda q, k, v: q.shape[-2] ** -0.5),
            "the scale is 1/√n_q, from the number of queries; the width of a key counts.",
        ),
        Misconception(
            wrong.attention(scale=lambda q, k, v: 2 * q.shape[-1] ** -0.5),
            "the scores are twice too large: the scale is 1/√d_k.",
        ),
        Misconception(
            wrong.attention(mix=lambda w, v, mask: np.asarray(w)),
            "these are the weights: the output mixes the values with them.",
        ),
        Misconception(
            wrong.attention(weigh=lambda s, mask: softmax(-s, mask)),
            "the sign of the scores is turned: the best match should get the most weight.",
        ),
        Misconception(
            wrong.attention(weigh=lambda s, mask: softmax(s, mask) / s.shape[-1]),
            "the weights are divided by the number of keys once more: they sum to 1 already.",
        ),
        Misconception(
            wrong.not_transposed,
            "k is not transposed: np.swapaxes(k, -1, -2) makes columns of keys.",
        ),
        Misconception(
            wrong.attention(scale=lambda q, k, v: 1.0),
            "the scale 1/√d_k is missing: the weights are too sharp.",
        ),
        Misconception(
            wrong.attention(scale=lambda q, k, v: 1 / q.shape[-1]),
            "the scores are divided by d_k, not by √d_k: the weights are too even.",
        ),
        Misconception(
            wrong.attention(scale=lambda q, k, v: q.shape[-1] ** 0.5),
            "the scores are multiplied by √d_k; they should be divided by it.",
        ),
        Misconception(
            wrong.attention(scale=lambda q, k, v: v.shape[-1] ** -0.5),
            "the scale is 1/√d_v, from the values; only the width of the keys counts.",
        ),
        Misconception(
            wrong.attention(scale=lambda q, k, v: k.shape[-2] ** -0.5),
            "the scale is 1/√n_k, from the number of keys; the width of a key counts.",
        ),
        Misconception(wrong.attention(weigh=wrong.over_queries), weights.OVER_QUERIES),
        Misconception(wrong.over_queries_by_hand, weights.OVER_QUERIES),
        Misconception(
            wrong.scaled_weights,
            "the scale stands after the softmax, where it shrinks the output; it belongs to "
            "the scores.",
        ),
        Misconception(
            wrong.keys_reversed,
            "k.T reverses every axis; on a stack of keys only the last two may be swapped.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.unmasked),
            "the mask is never used: hidden keys keep their weight.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.inverted),
            "the mask is read upside down: True means that a query may look.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.zeroed_after),
            "weights are set to 0 after the softmax: what is left of a row no longer sums to 1.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.zeroed_and_divided),
            "the mask comes after the softmax: a hidden score that is high, or NaN, leaves nothing "
            "to divide.",
        ),
        Misconception(wrong.attention(weigh=wrong.filled_with(-1e9)), weights.FILL),
        Misconception(wrong.attention(weigh=wrong.filled_with(-1e30)), weights.FILL),
        Misconception(wrong.attention(weigh=wrong.filled_with_the_lowest), weights.FILL),
        Misconception(
            wrong.attention(weigh=wrong.lowered),
            "-1e9 is added to hidden scores: where nothing is visible the weights come out as if "
            "everything were.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.nan_where_empty),
            "a query that sees nothing gives NaN here, as -inf - (-inf) and 0/0 do; its output "
            "should be zeros.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.unshifted),
            "large scores overflow: subtract the maximum of the row before the exponential.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.shifted_by_one_maximum),
            "one maximum is subtracted from several rows: a row far below it underflows to 0.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.arithmetic_mask),
            "0 · inf is NaN exactly where the mask is True; build -inf with np.where.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.minus_inf_added),
            "a hidden NaN or inf still reaches its row, as where -inf is added to it: NaN plus "
            "-inf is NaN. Replace hidden scores.",
        ),
        Misconception(
            wrong.attention(weigh=wrong.nan_mended),
            "a visible NaN became 0: to mend every NaN mends the query that sees nothing and hides "
            "every other fault.",
        ),
        Misconception(
            wrong.attention(mix=wrong.plain_product),
            "a hidden value still counts when it is infinite or NaN, since 0 · inf is NaN; "
            "use weighted_sum.",
        ),
        Misconception(
            wrong.attention(mix=wrong.by_weight),
            "a visible NaN or inf is left out where its weight has underflowed to 0: the mask says "
            "what is hidden, the weight does not.",
        ),
        Misconception(wrong.attention(mix=wrong.finite_product), ONLY_FINITE),
        Misconception(wrong.attention(mix=wrong.mended_product), ONLY_FINITE),
        Misconception(wrong.promoted_queries, PROMOTED),
        Misconception(wrong.promoted_scores, PROMOTED),
        *(Misconception(wrong.attention(weigh=w), sentence) for w, sentence in weights.KNOWN),
        Misconception(wrong.attention(weigh=weights.even_if_empty), weights.EVEN),
        *(Misconception(known, sentence) for known, sentence in wrong.OTHERS),
        Misconception(
            wrong.scaled_in_place,
            "q *= … changes the caller's queries; make a new array.",
        ),
        Misconception(
            wrong.scaled_after,
            "q kᵀ leaves the range of a small dtype before it is scaled down; scale the queries "
            "first.",
        ),
    ),
    notice=(
        "The function has no learned part. All that a model learns sits in how q, k and v are made "
        "before they come here."
    ),
    cases=(
        case(**_tiny()),
        case(**_tiny(), mask=np.array([[True, True, False]])),
        case(**_random(1, 1, 1, 1)),
        case(**_random(3, 5, 4, 2), mask=causal_mask(3, 5)),
        case(**_random(3, 5, 4, 2)),
        case(**_random(4, 4, 4, 4)),
        case(**_random(3, 4, 9, 5, batch=(2,)), mask=padding_mask(np.array([2, 4]), 4)),
        case(**_random(4, 3, 6, 7, batch=(2, 5)), mask=rng.random((2, 1, 4, 3)) < 0.7),
        case(**_random(3, 3, 3, 3, batch=(3,)), mask=causal_mask(3, 3)),
        case(**_random(2, 6, 5, 3, dtype=np.float32), mask=np.arange(6) < np.array([[4], [5]])),
        case(**_random(3, 4, 5, 2, batch=(2,))),
        case(**_random(2, 2, 2, 2, batch=(2, 2))),
        stress(**_equal_keys(np.float32)),
        stress(**_equal_keys(np.float16)),
        stress(**_equal_keys(np.int64)),
        stress(**_one_visible(3.0, 4.0)),
        stress(**_one_and_both(0.0, 4.0)),
        stress(**_one_visible(np.inf, 4.0)),
        stress(**_one_visible(3.0, np.nan)),
        stress(**_one_visible(np.nan, -np.inf)),
        stress(**_one_and_both(3.0, np.nan)),
        stress(**_one_and_both(3.0, -np.inf)),
        stress(**_one_and_both(np.nan, 4.0)),
        stress(**_lowest()),
        stress(**_far_apart(1e4)),
        stress(**_far_apart(-1e4)),
        stress(**_far_apart(1e4) | {"q": np.array([[1e4, 0.0], [0.0, 0.0]])}),
        stress(**_far_apart(1e4) | {"v": np.array([[np.nan], [1.0], [np.inf]])}),
        stress(**_far_apart(-1e12), mask=np.array([[True, True, False]])),
        stress(
            q=np.full((1, 64), 40, np.float16),
            k=np.full((64, 64), 40, np.float16),
            v=np.eye(64, dtype=np.float16),
        ),
        stress(**_small_integers(100, np.int8)),
        stress(**_small_integers(200, np.uint8)),
    ),
)
