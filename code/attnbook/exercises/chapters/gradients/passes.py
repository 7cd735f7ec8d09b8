"""Passes, right and wrong, on which the project's judge is judged: two functions and their arrays.

Each is written out here, right or wrong on purpose, and beside it stands for each array whether its
gradient is the right one.
"""

from typing import NamedTuple

import numpy as np

from attnbook.gradients import scaled_dot_product_attention_backward
from attnbook.reference import scaled_dot_product_attention, softmax


class Pass(NamedTuple):
    """A function, its backward pass, arrays to try them on, and which gradients are right."""

    forward: object
    backward: object
    arrays: tuple
    right: tuple


def product(x, w):
    return x @ w


def product_backward(grad_out, x, w):
    return grad_out @ w.T, x.T @ grad_out


def doubled(grad_out, x, w):
    return grad_out @ w.T, 2 * x.T @ grad_out


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


def last_query_left_out(grad_out, q, k, v):
    grad_q, grad_k, grad_v = scaled_dot_product_attention_backward(grad_out, q, k, v)
    return np.where(np.arange(len(q))[:, None] < len(q) - 1, grad_q, 0), grad_k, grad_v


def one_nan(grad_out, q, k, v):
    grad_q, grad_k, grad_v = scaled_dot_product_attention_backward(grad_out, q, k, v)
    return grad_q, grad_k, np.where(np.arange(grad_v.size).reshape(grad_v.shape), grad_v, np.nan)


rng = np.random.default_rng(11)


def drawn(*shapes):
    return tuple(rng.standard_normal(shape) for shape in shapes)


MATRICES = drawn((2, 3), (3, 2))
QKV = drawn((3, 4), (5, 4), (5, 2))


def of_attention(backward, *right):
    return Pass(scaled_dot_product_attention, backward, QKV, right)


RIGHT = scaled_dot_product_attention_backward

PASSES = {
    "a product": Pass(product, product_backward, MATRICES, (True, True)),
    "a product, G_W twice as large": Pass(product, doubled, MATRICES, (True, False)),
    "squares": Pass(squares, squares_backward, drawn((2, 2)), (True,)),
    "a product with X = 0": Pass(
        product, product_backward, (np.zeros((2, 3)), MATRICES[1]), (True, True)
    ),
    "attention": of_attention(RIGHT, True, True, True),
    "attention, G_K without its scale": of_attention(without_scale, True, False, True),
    "attention, softmax taken score by score": of_attention(score_by_score, False, False, True),
    "attention, the features of G_O reversed": of_attention(reversed_features, False, False, False),
    "attention, the last query left out of G_Q": of_attention(
        last_query_left_out, False, True, True
    ),
    "attention, a NaN in G_V": of_attention(one_nan, True, True, False),
    "the mean of all rows, one row returned for all": Pass(
        mean_of_rows, one_row_for_all, drawn((3, 2)), (False,)
    ),
    "a product of large numbers": Pass(
        product, product_backward, tuple(2000 * x for x in MATRICES), (True, True)
    ),
    "a product times 1e-9, G_X twice as large": Pass(
        tiny_product, tiny_and_doubled, MATRICES, (False, True)
    ),
    "attention with a single key": Pass(
        scaled_dot_product_attention, RIGHT, drawn((2, 3), (1, 3), (1, 2)), (True, True, True)
    ),
    "attention, arrays of float32": Pass(
        scaled_dot_product_attention,
        RIGHT,
        tuple(x.astype(np.float32) for x in QKV),
        (True, True, True),
    ),
}
