"""Passes, right and wrong, on which the project's judge is judged: two functions and their arrays.

Each is written out here, right or wrong on purpose. Beside it stands for each array whether its
gradient is the right one, and what a judge has overlooked who does not see that.
"""

from typing import NamedTuple

import numpy as np

from attnbook.exercises.engine.edits import versions
from attnbook.gradients import scaled_dot_product_attention_backward
from attnbook.reference import scaled_dot_product_attention, softmax


class Pass(NamedTuple):
    """A function, its backward pass, arrays to try them on, which gradients are right, and why."""

    forward: object
    backward: object
    arrays: tuple
    right: tuple
    told: str


def of(forward, backward, arrays):
    """Makes passes of a function on these arrays, or others: its backward pass with a change."""

    def changed(change, *right_and_told, arrays=arrays):
        *right, told = right_and_told
        made = versions(change, backward)[0] if change else backward
        return Pass(forward, made, arrays, tuple(right), told)

    return changed


def product(x, w):
    return x @ w


def product_backward(grad_out, x, w):
    grad_w = x.T @ grad_out
    return grad_out @ w.T, grad_w


def tiny_product(x, w):
    return 1e-9 * x @ w


def tiny_product_backward(grad_out, x, w):
    return 1e-9 * grad_out @ w.T, 1e-9 * x.T @ grad_out


def squares(x):
    return x**2


def squares_backward(grad_out, x):
    return (2 * x * grad_out,)


def mean_of_rows(x):
    return np.mean(x, axis=0)


def mean_of_rows_backward(grad_out, x):
    return (np.tile(grad_out / len(x), (len(x), 1)),)


def attention_backward(grad_out, q, k, v):
    grad_q, grad_k, grad_v = scaled_dot_product_attention_backward(grad_out, q, k, v)
    return grad_q, grad_k, grad_v


def score_by_score(grad_out, q, k, v):
    c = q.shape[-1] ** -0.5
    A = softmax(c * q @ k.T)
    grad_scores = c * A * (1 - A) * (grad_out @ v.T)
    return grad_scores @ k, grad_scores.T @ q, A.T @ grad_out


rng = np.random.default_rng(11)


def drawn(*shapes):
    return tuple(rng.standard_normal(shape) for shape in shapes)


MATRICES = drawn((2, 3), (3, 2))
QKV = drawn((3, 4), (5, 4), (5, 2))

NOTHING_TO_COMPARE = (
    "where every difference is 0, a gradient of 0 is right: its error is not above the tolerance, "
    "which is 0 as well"
)
TWICE = "a gradient that is twice too large goes through"
SHAPE = "a gradient of another shape goes through, "
MIXED = "a pass goes through that mixes up the {} of G_O: it shows only where they differ"

of_product = of(product, product_backward, MATRICES)
of_attention = of(scaled_dot_product_attention, attention_backward, QKV)
of_mean = of(mean_of_rows, mean_of_rows_backward, None)
G_V, ATTEND = "grad_k, grad_v\n", "product_attention_backward(grad_out"
FIRST = "np.where(np.arange(grad_v.size).reshape(grad_v.shape), grad_v, {})"

PASSES = {
    "a product": of_product("", True, True, "right gradients are rejected"),
    "a product, G_W twice as large": of_product("x.T → 2 * x.T", True, False, TWICE),
    "a product, G_W with the opposite sign": of_product(
        "x.T → -x.T",
        True,
        False,
        "a gradient that points the other way goes through: it has the right sizes",
    ),
    "the square of one number": of(squares, squares_backward, drawn((1, 1)))(
        "", True, "the right gradient of one number is rejected"
    ),
    "squares": of(squares, squares_backward, drawn((2, 2)))(
        "",
        True,
        "right gradients of a parabola are rejected, on which a central difference is exact up to "
        "its rounding",
    ),
    "a product with X = 0": of_product(
        "", True, True, NOTHING_TO_COMPARE, arrays=(np.zeros((2, 3)), MATRICES[1])
    ),
    "attention": of_attention(
        "", True, True, True, "right gradients are rejected where the loss bends"
    ),
    "attention, G_K without its scale": of_attention(
        "return grad_q, grad_k → return grad_q, q.shape[-1] ** 0.5 * grad_k",
        True,
        False,
        True,
        TWICE,
    ),
    "attention, softmax taken score by score": of_attention(
        "is score_by_score", False, False, True, "a gradient of the right size goes through"
    ),
    "attention, the features of G_O reversed": of_attention(
        f"{ATTEND} → {ATTEND}[:, ::-1]", False, False, False, MIXED.format("features")
    ),
    "attention, the queries of G_O reversed": of_attention(
        f"{ATTEND} → {ATTEND}[::-1]", False, False, False, MIXED.format("queries")
    ),
    "attention, the last query left out of G_Q": of_attention(
        "return grad_q → return np.where(np.arange(len(q))[:, None] < len(q) - 1, grad_q, 0)",
        False,
        True,
        True,
        "a gradient goes through whose last row is wrong",
    ),
    "attention, a NaN in G_V": of_attention(
        f"{G_V} → grad_k, {FIRST.format('np.nan')}\n",
        True,
        True,
        False,
        "a NaN goes through: every comparison with it is False, also the one that finds it too far "
        "away",
    ),
    "attention, an infinity in G_V": of_attention(
        f"{G_V} → grad_k, {FIRST.format('np.inf')}\n",
        True,
        True,
        False,
        "an infinity goes through: measured by the largest entry of the gradient itself, no error is "
        "too large",
    ),
    "the mean of all rows, a matrix of one row returned for all": of_mean(
        "= (grad_out[None] / len(x),)",
        False,
        SHAPE + "which has as many axes as its array",
        arrays=drawn((3, 2)),
    ),
    "the mean of all rows, one row returned for all": of_mean(
        "= (grad_out / len(x),)",
        False,
        SHAPE + "whose row NumPy repeats against the differences",
        arrays=drawn((3, 2)),
    ),
    "a product, G_X ravelled": of_product(
        "return grad_out @ w.T → return (grad_out @ w.T).ravel()",
        False,
        True,
        SHAPE + "which has as many entries as its array",
        arrays=(MATRICES[0][:1], MATRICES[1]),
    ),
    "a product of large numbers": of_product(
        "",
        True,
        True,
        "right gradients are rejected where they are large, and the rounding of the loss with them",
        arrays=tuple(2000 * x for x in MATRICES),
    ),
    "a product, small entries beside large ones": of_product(
        "",
        True,
        True,
        "a right gradient is rejected for an entry near 0: the rounding of the differences is small "
        "only beside the largest entry",
        arrays=(MATRICES[0], MATRICES[1] * np.array([[1.0], [1.0], [1e-9]])),
    ),
    "a product times 1e-9, G_X twice as large": of(tiny_product, tiny_product_backward, MATRICES)(
        "1e-9 * grad_out → 2e-9 * grad_out", False, True, TWICE + " where it is small"
    ),
    "a product, a small G_X beside a large G_W, twice as large": of_product(
        "return grad_out → return 2 * grad_out",
        False,
        True,
        TWICE + " beside another array's, which is larger",
        arrays=(1e3 * MATRICES[0], 1e-4 * MATRICES[1]),
    ),
    "a product, G_W too large by 8 millionths": of_product(
        "x.T → (1 + 8e-6) * x.T",
        True,
        False,
        "a gradient goes through that is too large by 8 millionths, where one is allowed",
    ),
    "a product, one entry of G_W off by 1.5 millionths of the largest": of_product(
        "return → grad_w[-1, -1] += 1.5e-6 * np.max(np.abs(grad_w))\n    return",
        True,
        False,
        "a gradient goes through in which one entry is off by more than a millionth of the largest: "
        "the tolerance is wider than that, or the entry hides among others",
        arrays=drawn((4, 6), (6, 5)),
    ),
    "attention with a single key": of_attention(
        "", True, True, True, NOTHING_TO_COMPARE, arrays=drawn((2, 3), (1, 3), (1, 2))
    ),
    "attention, arrays of float32": of_attention(
        "",
        True,
        True,
        True,
        "right gradients of float32 arrays are rejected",
        arrays=tuple(x.astype(np.float32) for x in QKV),
    ),
    "a product with X = 0, G_W of 1e-9": of_product(
        "return → grad_w[...] += 1e-9\n    return",
        True,
        False,
        "a gradient of 1e-9 goes through where every difference is 0, and only zeros are right",
        arrays=(np.zeros((2, 3)), MATRICES[1]),
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
