"""Passes, right and wrong, on which the project's judge is judged: two functions and their arrays.

Each is written out here, right or wrong on purpose. Beside it stands for each array whether its
gradient is the right one, and what a judge has overlooked who does not see that.
"""

from typing import NamedTuple

import numpy as np

from attnbook.gradients import scaled_dot_product_attention_backward
from attnbook.reference import scaled_dot_product_attention, softmax


class Pass(NamedTuple):
    """A function, its backward pass, arrays to try them on, which gradients are right, and why."""

    forward: object
    backward: object
    arrays: tuple
    right: tuple
    told: str


def product(x, w):
    return x @ w


def product_backward(grad_out, x, w):
    return grad_out @ w.T, x.T @ grad_out


def doubled(grad_out, x, w):
    return grad_out @ w.T, 2 * x.T @ grad_out


def negated(grad_out, x, w):
    return grad_out @ w.T, -x.T @ grad_out


def by_8_millionths(grad_out, x, w):
    return grad_out @ w.T, (1 + 8e-6) * x.T @ grad_out


def one_entry_off(grad_out, x, w):
    grad_w = x.T @ grad_out
    grad_w[-1, -1] += 1.5e-6 * np.max(np.abs(grad_w))
    return grad_out @ w.T, grad_w


def small_one_doubled(grad_out, x, w):
    return 2 * grad_out @ w.T, x.T @ grad_out


def ravelled(grad_out, x, w):
    return (grad_out @ w.T).ravel(), x.T @ grad_out


def tiny_product(x, w):
    return 1e-9 * x @ w


def tiny_and_doubled(grad_out, x, w):
    return 2e-9 * grad_out @ w.T, 1e-9 * x.T @ grad_out


def squares(x):
    return x**2


def squares_backward(grad_out, x):
    return (2 * x * grad_out,)


def mean_of_rows(x):
    return np.mean(x, axis=0)


def one_row_for_all(grad_out, x):
    return (grad_out / len(x),)


def one_row_of_a_matrix(grad_out, x):
    return (grad_out[None] / len(x),)


def without_scale(grad_out, q, k, v):
    grad_q, grad_k, grad_v = scaled_dot_product_attention_backward(grad_out, q, k, v)
    return grad_q, q.shape[-1] ** 0.5 * grad_k, grad_v


def score_by_score(grad_out, q, k, v):
    c = q.shape[-1] ** -0.5
    A = softmax(c * q @ k.T)
    grad_scores = c * A * (1 - A) * (grad_out @ v.T)
    return grad_scores @ k, grad_scores.T @ q, A.T @ grad_out


def reversed_features(grad_out, q, k, v):
    return scaled_dot_product_attention_backward(grad_out[:, ::-1], q, k, v)


def reversed_queries(grad_out, q, k, v):
    return scaled_dot_product_attention_backward(grad_out[::-1], q, k, v)


def last_query_left_out(grad_out, q, k, v):
    grad_q, grad_k, grad_v = scaled_dot_product_attention_backward(grad_out, q, k, v)
    return np.where(np.arange(len(q))[:, None] < len(q) - 1, grad_q, 0), grad_k, grad_v


def one_nan(grad_out, q, k, v):
    grad_q, grad_k, grad_v = scaled_dot_product_attention_backward(grad_out, q, k, v)
    return grad_q, grad_k, np.where(np.arange(grad_v.size).reshape(grad_v.shape), grad_v, np.nan)


def one_infinity(grad_out, q, k, v):
    grad_q, grad_k, grad_v = scaled_dot_product_attention_backward(grad_out, q, k, v)
    return grad_q, grad_k, np.where(np.arange(grad_v.size).reshape(grad_v.shape), grad_v, np.inf)


rng = np.random.default_rng(11)


def drawn(*shapes):
    return tuple(rng.standard_normal(shape) for shape in shapes)


MATRICES = drawn((2, 3), (3, 2))
QKV = drawn((3, 4), (5, 4), (5, 2))


def of_attention(backward, *right_and_told):
    *right, told = right_and_told
    return Pass(scaled_dot_product_attention, backward, QKV, tuple(right), told)


RIGHT = scaled_dot_product_attention_backward

NOTHING_TO_COMPARE = (
    "where every difference is 0, a gradient of 0 is right: its error is not above the tolerance, "
    "which is 0 as well"
)

PASSES = {
    "a product": Pass(
        product, product_backward, MATRICES, (True, True), "right gradients are rejected"
    ),
    "a product, G_W twice as large": Pass(
        product, doubled, MATRICES, (True, False), "a gradient that is twice too large goes through"
    ),
    "a product, G_W with the opposite sign": Pass(
        product,
        negated,
        MATRICES,
        (True, False),
        "a gradient that points the other way goes through: it has the right sizes",
    ),
    "the square of one number": Pass(
        squares,
        squares_backward,
        drawn((1, 1)),
        (True,),
        "the right gradient of one number is rejected",
    ),
    "squares": Pass(
        squares,
        squares_backward,
        drawn((2, 2)),
        (True,),
        "right gradients of a parabola are rejected, on which a central difference is exact up to "
        "its rounding",
    ),
    "a product with X = 0": Pass(
        product,
        product_backward,
        (np.zeros((2, 3)), MATRICES[1]),
        (True, True),
        NOTHING_TO_COMPARE,
    ),
    "attention": of_attention(
        RIGHT, True, True, True, "right gradients are rejected where the loss bends"
    ),
    "attention, G_K without its scale": of_attention(
        without_scale, True, False, True, "a gradient that is twice too large goes through"
    ),
    "attention, softmax taken score by score": of_attention(
        score_by_score, False, False, True, "a gradient of the right size goes through"
    ),
    "attention, the features of G_O reversed": of_attention(
        reversed_features,
        False,
        False,
        False,
        "a pass goes through that mixes up the features of G_O: it shows only where they differ",
    ),
    "attention, the queries of G_O reversed": of_attention(
        reversed_queries,
        False,
        False,
        False,
        "a pass goes through that mixes up the queries of G_O: it shows only where they differ",
    ),
    "attention, the last query left out of G_Q": of_attention(
        last_query_left_out, False, True, True, "a gradient goes through whose last row is wrong"
    ),
    "attention, a NaN in G_V": of_attention(
        one_nan,
        True,
        True,
        False,
        "a NaN goes through: every comparison with it is False, also the one that finds it too far "
        "away",
    ),
    "attention, an infinity in G_V": of_attention(
        one_infinity,
        True,
        True,
        False,
        "an infinity goes through: measured by the largest entry of the gradient itself, no error is "
        "too large",
    ),
    "the mean of all rows, a matrix of one row returned for all": Pass(
        mean_of_rows,
        one_row_of_a_matrix,
        drawn((3, 2)),
        (False,),
        "a gradient of another shape goes through, which has as many axes as its array",
    ),
    "the mean of all rows, one row returned for all": Pass(
        mean_of_rows,
        one_row_for_all,
        drawn((3, 2)),
        (False,),
        "a gradient of another shape goes through, whose row NumPy repeats against the differences",
    ),
    "a product, G_X ravelled": Pass(
        product,
        ravelled,
        (MATRICES[0][:1], MATRICES[1]),
        (False, True),
        "a gradient of another shape goes through, which has as many entries as its array",
    ),
    "a product of large numbers": Pass(
        product,
        product_backward,
        tuple(2000 * x for x in MATRICES),
        (True, True),
        "right gradients are rejected where they are large, and the rounding of the loss with them",
    ),
    "a product, small entries beside large ones": Pass(
        product,
        product_backward,
        (MATRICES[0], MATRICES[1] * np.array([[1.0], [1.0], [1e-9]])),
        (True, True),
        "a right gradient is rejected for an entry near 0: the rounding of the differences is small "
        "only beside the largest entry",
    ),
    "a product times 1e-9, G_X twice as large": Pass(
        tiny_product,
        tiny_and_doubled,
        MATRICES,
        (False, True),
        "a gradient that is twice too large goes through where it is small",
    ),
    "a product, a small G_X beside a large G_W, twice as large": Pass(
        product,
        small_one_doubled,
        (1e3 * MATRICES[0], 1e-4 * MATRICES[1]),
        (False, True),
        "a gradient that is twice too large goes through beside another array's, which is larger",
    ),
    "a product, G_W too large by 8 millionths": Pass(
        product,
        by_8_millionths,
        MATRICES,
        (True, False),
        "a gradient goes through that is too large by 8 millionths, where one is allowed",
    ),
    "a product, one entry of G_W off by 1.5 millionths of the largest": Pass(
        product,
        one_entry_off,
        drawn((4, 6), (6, 5)),
        (True, False),
        "a gradient goes through in which one entry is off by more than a millionth of the largest: "
        "the tolerance is wider than that, or the entry hides among others",
    ),
    "attention with a single key": Pass(
        scaled_dot_product_attention,
        RIGHT,
        drawn((2, 3), (1, 3), (1, 2)),
        (True, True, True),
        NOTHING_TO_COMPARE,
    ),
    "attention, arrays of float32": Pass(
        scaled_dot_product_attention,
        RIGHT,
        tuple(x.astype(np.float32) for x in QKV),
        (True, True, True),
        "right gradients of float32 arrays are rejected",
    ),
}


def judged(known, verdicts):
    """What is wrong with the verdicts on a pass, or None."""
    if verdicts == known.right:
        return None
    accused = any(a and not b for a, b in zip(known.right, verdicts, strict=False))
    usual = accused == all(known.right)
    other = "a right gradient is rejected" if accused else "a wrong gradient goes through"
    says, right = (", ".join(map(str, each)) for each in (verdicts, known.right))
    return f"{known.told if usual else other}. Your judge says {says}; right is {right}."
