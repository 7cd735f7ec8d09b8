"""Scaled dot-product attention · medium · 15 min

Hints
1. Three steps, one line each: scores, weights, output. Which two of them are matrix products?
2. `np.swapaxes(k, -1, -2)` works for any number of batch axes; the scale is `q.shape[-1] ** -0.5`,
   a plain Python number that leaves the dtype alone.
3. Scale the queries before the product, not the scores after it: in float16 that is the difference
   between a score and infinity.
4. `softmax(scores, mask)` and `weighted_sum(weights, v, mask)` take care of everything hidden.

Why
Two batched matrix products with a softmax between them. The scale stands before the product, so
that float16 scores that fit do not overflow on the way. The chapter's function also casts float16 to
float32 first, which saves digits in the product. `softmax` gives a query that sees nothing zeros,
and `weighted_sum` keeps hidden values out, whatever they are.

Notice
The function has no learned part. All that a model learns sits in how q, k and v are made before
they come here.
"""

import numpy as np

from attnbook import reference
from attnbook.exercises.engine import case, draw_qkv, stress, write
from attnbook.exercises.families import attention
from attnbook.masks import causal_mask, padding_mask
from attnbook.reference import softmax, weighted_sum


def scaled_dot_product_attention(q, k, v, mask=None):
    """softmax(Q Kᵀ / √d_k) V over the visible keys, on any stack of queries, keys and values."""
    q = q * q.shape[-1] ** -0.5
    scores = q @ np.swapaxes(k, -1, -2)
    return weighted_sum(softmax(scores, mask), v, mask)


def causal(q, k):
    return causal_mask(q.shape[-2], k.shape[-2])


def all_items_at_once(q, k, v, mask=None):
    """The queries of every item look at the keys of every item, where no mask tells them apart."""
    if mask is not None:
        return scaled_dot_product_attention(q, k, v, mask)
    out = scaled_dot_product_attention(*(x.reshape(-1, x.shape[-1]) for x in (q, k, v)))
    return out.reshape(*q.shape[:-1], v.shape[-1])


rng = np.random.default_rng(0)
KEYS = np.outer(2 * np.log([1.0, 3.0, 4.0]), [1.0, 0.0, 0.0, 0.0])
TINY = {"q": np.eye(1, 4), "k": KEYS, "v": np.array([[0.0], [4.0], [8.0]])}
FAR_APART = {
    "q": np.array([[1e4, 0.0]]),
    "k": np.array([[1.0, 0.0], [3.0, 0.0], [2.0, 0.0]]),
    "v": np.arange(1.0, 10.0).reshape(3, 3),
}


def normal(*sizes, **options):
    return draw_qkv(rng, *sizes, **options)


def equal_keys(dtype):
    """Weights of 1/2 whatever the scale: only the dtype can go wrong."""
    q, k, v = [[1, 2]], [[1, 1], [1, 1]], [[2, 4, 6], [4, 8, 10]]
    return {name: np.array(x, dtype) for name, x in zip("qkv", (q, k, v), strict=True)}


def two_keys(mask, second_key, second_value):
    return {
        "q": np.array([[1.0, 0.0], [0.0, 1.0]]),
        "k": np.array([[1.0, 2.0], [second_key, 1.0]]),
        "v": np.array([[1.0, 2.0, 3.0], [second_value, 5.0, 6.0]]),
        "mask": mask,
    }


ONE_VISIBLE = np.array([[False, False], [True, False]])
ONE_AND_BOTH = np.array([[True, False], [True, True]])


def small_integers(entry, dtype):
    """Scores beyond the range of the dtype."""
    q, k, v = [[entry, entry]], [[1, 1], [2, 2]], [[1, 2, 3], [4, 5, 6]]
    return {name: np.array(x, dtype) for name, x in zip("qkv", (q, k, v), strict=True)}


CASES = (
    case(**TINY, gives=np.array([[5.5]])),
    case(**TINY, mask=np.array([[True, True, False]]), gives=np.array([[3.0]])),
    case(**normal(1, 1, 1, 1)),
    case(**normal(3, 5, 4, 2), mask=causal_mask(3, 5)),
    case(**normal(3, 5, 4, 2)),
    case(**normal(4, 4, 4, 4)),
    case(**normal(3, 4, 9, 5, batch=(2,)), mask=padding_mask(np.array([2, 4]), 4)),
    case(**normal(4, 3, 6, 7, batch=(2, 5)), mask=rng.random((2, 1, 4, 3)) < 0.7),
    case(**normal(3, 3, 3, 3, batch=(3,)), mask=causal_mask(3, 3)),
    case(**normal(2, 6, 5, 3, dtype=np.float32), mask=np.arange(6) < np.array([[4], [5]])),
    case(**normal(3, 4, 5, 2, batch=(2,))),
    case(**normal(2, 2, 2, 2, batch=(2, 2))),
    *(stress(**equal_keys(dtype)) for dtype in (np.float32, np.float16, np.int64)),
    stress(**two_keys(ONE_VISIBLE, 3.0, 4.0)),
    stress(**two_keys(ONE_AND_BOTH, 0.0, 4.0)),
    stress(**two_keys(ONE_VISIBLE, np.inf, 4.0)),
    stress(**two_keys(ONE_VISIBLE, 3.0, np.nan)),
    stress(**two_keys(ONE_VISIBLE, np.nan, -np.inf)),
    stress(**two_keys(ONE_AND_BOTH, 3.0, np.nan)),
    stress(**two_keys(ONE_AND_BOTH, 3.0, -np.inf)),
    stress(**two_keys(ONE_AND_BOTH, np.nan, 4.0)),
    stress(  # the only visible score is the lowest number
        q=np.array([[np.finfo(np.float64).min]]),
        k=np.array([[1.0], [0.5]]),
        v=np.array([[1.0], [2.0]]),
        mask=np.array([[True, False]]),
    ),
    stress(**FAR_APART),
    stress(**FAR_APART | {"q": np.array([[-1e4, 0.0]])}),
    stress(**FAR_APART | {"q": np.array([[1e4, 0.0], [0.0, 0.0]])}),
    stress(**FAR_APART | {"v": np.array([[np.nan], [1.0], [np.inf]])}),
    stress(**FAR_APART | {"q": np.array([[-1e12, 0.0]])}, mask=np.array([[True, True, False]])),
    stress(
        q=np.full((1, 64), 40, np.float16),
        k=np.full((64, 64), 40, np.float16),
        v=np.eye(64, dtype=np.float16),
    ),
    stress(**small_integers(100, np.int8)),
    stress(**small_integers(200, np.uint8)),
)

MISTAKES = """
these are the weights: the output mixes the values with them.
    weighted_sum(softmax(scores, mask), v, mask) → softmax(scores, mask)
the sign of the scores is turned: the best match should get the most weight.
    softmax(scores → softmax(-scores
the visible values are averaged evenly: the scores are not used.
    softmax(scores → softmax(0 * scores
the weights are divided by the number of keys once more: they sum to 1 already.
    softmax(scores, mask) → softmax(scores, mask) / k.shape[-2]
the scale shrinks the output: it belongs to the scores alone.
    q = q * q.shape[-1] ** -0.5 → pass ; softmax(scores, mask) → softmax(scores, mask) * q.shape[-1] ** -0.5
    = scaled_dot_product_attention(q, k, v, mask) * q.shape[-1] ** -0.5
k.T reverses every axis; on a stack of keys only the last two may be swapped.
    np.swapaxes(k, -1, -2) → k.T
the mask is never used: hidden keys keep their weight.
    = scaled_dot_product_attention(q, k, v)
the mask is read upside down: True means that a query may look.
    = scaled_dot_product_attention(q, k, v, mask if mask is None else ~mask)
the mask is transposed: its rows are queries, its columns keys.
    = scaled_dot_product_attention(q, k, v, mask if mask is None else np.swapaxes(mask, -1, -2))
a causal mask hides keys besides: use the mask that is given, and none where it is None.
    = scaled_dot_product_attention(q, k, v, causal(q, k))
    = scaled_dot_product_attention(q, k, v, causal(q, k) & (True if mask is None else mask))
queries, keys and values have changed places: queries meet keys, and their weights mix the values.
    = scaled_dot_product_attention(k, q, v, mask) || scaled_dot_product_attention(q, v, k, mask)
    = scaled_dot_product_attention(q, k, k, mask)
float16 and float32 come out as float64, as they do when they are divided by np.sqrt(d_k), which is
a float64 of NumPy; d_k ** 0.5 is a plain Python number, which leaves the dtype alone.
    q = q * q.shape[-1] ** -0.5 → q = q / np.sqrt(q.shape[-1])
q kᵀ leaves the range of a small dtype before it is scaled down; scale the queries first.
    q = q * q.shape[-1] ** -0.5 → pass ; (k, -1, -2) → (k, -1, -2) * q.shape[-1] ** -0.5
"""

exercise = write(
    scaled_dot_product_attention,
    CASES,
    MISTAKES,
    also=attention.KNOWN,
    oracle=reference.scaled_dot_product_attention,
    ours=(reference.scaled_dot_product_attention,),
    exact_zeros=True,
)
