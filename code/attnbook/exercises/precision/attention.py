"""Attention on 16-bit inputs that rounds once."""

import numpy as np
import torch

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.tensors import on_tensors
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import precision as solutions

_rng = np.random.default_rng(16)


def _half(**arrays):
    return {name: np.asarray(x, np.float16) for name, x in arrays.items()}


def _random(batch, n_q, n_k, d_k, d_v):
    shapes = {"q": (n_q, d_k), "k": (n_k, d_k), "v": (n_k, d_v)}
    return _half(**{x: _rng.standard_normal((*batch, *shape)) for x, shape in shapes.items()})


def _attention(q, k, v, scale=lambda d: d**-0.5, dim=-1):
    q, k, v = q.float(), k.float(), v.float()
    return torch.softmax(q @ k.mT * scale(q.shape[-1]), dim=dim) @ v


def every_step(q, k, v):
    return torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, dim=-1) @ v


def scores_first(q, k, v):
    scores = (q @ k.mT).float() * q.shape[-1] ** -0.5
    return (torch.softmax(scores, dim=-1) @ v.float()).half()


def scaled_scores_first(q, k, v):
    scores = (q.float() @ k.float().mT * q.shape[-1] ** -0.5).half()
    return (torch.softmax(scores.float(), dim=-1) @ v.float()).half()


def scores_rounded(q, k, v):
    scores = (q.float() @ k.float().mT * q.shape[-1] ** -0.5).half()
    return (torch.softmax(scores, dim=-1).float() @ v.float()).half()


def queries_rounded(q, k, v):
    scores = (q * q.shape[-1] ** -0.5).float() @ k.float().mT
    return (torch.softmax(scores, dim=-1) @ v.float()).half()


def scaled_weights(q, k, v):
    weights = torch.softmax(q.float() @ k.float().mT, dim=-1) * q.shape[-1] ** -0.5
    return (weights @ v.float()).half()


def keys_reversed(q, k, v):
    scores = q.float() @ k.float().T * q.shape[-1] ** -0.5
    return (torch.softmax(scores, dim=-1) @ v.float()).half()


def no_softmax(q, k, v):
    return (q.float() @ k.float().mT * q.shape[-1] ** -0.5 @ v.float()).half()


def weights_rounded(q, k, v):
    scores = q.float() @ k.float().mT * q.shape[-1] ** -0.5
    return torch.softmax(scores, dim=-1).half() @ v


def unshifted(q, k, v):
    exp = torch.exp(q.float() @ k.float().mT * q.shape[-1] ** -0.5)
    return (exp @ v.float() / exp.sum(dim=-1, keepdim=True)).half()


def one_shift(q, k, v):
    scores = q.float() @ k.float().mT * q.shape[-1] ** -0.5
    exp = torch.exp(scores - scores.max())
    return (exp @ v.float() / exp.sum(dim=-1, keepdim=True)).half()


def _exponentials(q, k):
    scores = q.float() @ k.float().mT * q.shape[-1] ** -0.5
    exp = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exp, exp.sum(dim=-1, keepdim=True)


def sums_rounded(q, k, v):
    exp, total = _exponentials(q, k)
    return (exp @ v.float()).half() / total.half()


def sum_of_values_rounded(q, k, v):
    exp, total = _exponentials(q, k)
    return ((exp @ v.float()).half() / total).half()


def total_rounded(q, k, v):
    exp, total = _exponentials(q, k)
    return (exp @ v.float() / total.half()).half()


def through_bfloat16(q, k, v):
    return _attention(q, k, v).bfloat16().half()


def half(function):
    return lambda q, k, v: function(q, k, v).half()


rounds_once = Write(
    name="precision.rounds_once",
    title="Round once",
    level="medium",
    minutes=12,
    solution_of=solutions.rounds_once,
    through=on_tensors,
    to_the_bit=True,
    explanation=(
        "All three inputs go to float32 before the first product, so neither scores nor weights "
        "are rounded to 16 bits, and a product above 65504 is a number like any other. The last "
        "step rounds the output to the dtype that came in."
    ),
    hints=(
        "x.float() is x in float32, and y.to(x.dtype) is y in the dtype of x.",
        "The first product already rounds: where do q and k go to float32?",
        "Weights in float32 must meet values in float32: a product refuses two dtypes.",
    ),
    misconceptions=(
        Misconception(
            every_step,
            "every step rounds to 16 bits, and large products overflow: go to float32 before the "
            "first.",
        ),
        Misconception(
            scores_first,
            "the product of q and k is made in float16, and rounds or overflows: go to float32 "
            "before it.",
        ),
        *(
            Misconception(
                known, "the scores are rounded to float16 on the way, where 2049 becomes 2048."
            )
            for known in (scaled_scores_first, scores_rounded)
        ),
        Misconception(
            queries_rounded,
            "the queries are scaled while they are float16, and rounded: go to float32 before.",
        ),
        Misconception(
            scaled_weights,
            "the scale stands after the softmax, where it shrinks the output; it belongs to the "
            "scores.",
        ),
        Misconception(
            keys_reversed,
            "k.T reverses every axis; on a stack of keys only the last two may be swapped: k.mT.",
        ),
        Misconception(
            no_softmax, "there is no softmax: these scores are not weights, and sum to anything."
        ),
        Misconception(
            weights_rounded,
            "the weights are rounded to float16 before they meet the values: small ones lose their "
            "digits.",
        ),
        *(
            Misconception(
                known,
                "the sum of the values is rounded to float16 before it is divided, and may be "
                "beyond 65504: divide in float32.",
            )
            for known in (sums_rounded, sum_of_values_rounded)
        ),
        Misconception(
            total_rounded,
            "the sum of the exponentials is rounded to float16: divide by it in float32.",
        ),
        Misconception(
            through_bfloat16,
            "the output goes through bfloat16, which has 8 bits for its digits: 5000 becomes 4992.",
        ),
        Misconception(_attention, "the result is float32: return the dtype that came in."),
        Misconception(
            half(lambda q, k, v: _attention(q, k, v, scale=lambda d: 1)),
            "the scale is missing: divide the scores by the square root of d_k.",
        ),
        Misconception(
            half(lambda q, k, v: _attention(q, k, v, scale=lambda d: 1 / d)),
            "the scores are divided by d_k: the scale is one over its square root.",
        ),
        Misconception(
            half(lambda q, k, v: _attention(q, k, v, dim=-2)),
            "the softmax runs over the queries: keys are the last dimension of the scores.",
        ),
        Misconception(
            half(lambda q, k, v: _attention(q, k, v, dim=0)),
            "the softmax runs over the first dimension: keys are the last one of the scores.",
        ),
        Misconception(
            half(lambda q, k, v: _attention(q, k, v, dim=1)),
            "the softmax runs over dimension 1, which is the keys' for a matrix alone: dim=-1.",
        ),
        Misconception(
            half(lambda q, k, v: _attention(q, k, v, scale=lambda d: v.shape[-1] ** -0.5)),
            "the scale has the width of the values: it is one over the square root of d_k.",
        ),
        Misconception(
            half(lambda q, k, v: _attention(q, k, v, scale=lambda d: k.shape[-2] ** -0.5)),
            "the scale has the number of keys: it is one over the square root of d_k, their width.",
        ),
        Misconception(
            half(lambda q, k, v: _attention(q, k, v, scale=lambda d: d**0.5)),
            "the scores are multiplied by the square root of d_k: divide by it.",
        ),
        Misconception(
            unshifted,
            "the exponentials overflow, in float32 above 88.7: subtract each row's maximum.",
        ),
        Misconception(
            one_shift,
            "one maximum serves all rows, and a row far below it has only zeros left.",
        ),
    ),
    notice="One rounding at the end is what the budget of the chapter allows.",
    cases=(
        case(**_half(q=[[1]], k=[[0], [1]], v=[[0], [8]])),
        case(**_half(q=[[1, 2], [3, 0]], k=[[1, 0], [0, 1]], v=[[0], [8]])),
        case(**_random((), 3, 4, 2, 5)),
        case(**_random((2,), 3, 5, 4, 2)),
        case(**_random((2, 3), 2, 2, 8, 1)),
        stress(**_half(q=[[1]], k=[[0]] * 64, v=[[5000]] * 64)),
        stress(**_half(q=[[0], [60]], k=[[10], [0]], v=[[0], [8]])),
        stress(**_half(q=[[3]], k=[[683], [682]], v=[[0], [8]])),
        stress(**_half(q=[[1025, 1024, 0]], k=[[1, 0, 0], [0, 1, 0]], v=[[0], [8]])),
        stress(**_half(q=[[1]], k=[[0], *[[-16]] * 64], v=[[0], *[[60000]] * 64])),
        stress(**_half(q=np.full((1, 64), 40), k=np.full((1, 64), 40), v=[[4]])),
    ),
)
