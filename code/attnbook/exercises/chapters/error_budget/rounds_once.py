"""Round once · medium · 12 min

Hints
1. x.float() is x in float32, and y.to(x.dtype) is y in the dtype of x.
2. The first product already rounds: where do q and k go to float32?
3. Weights in float32 must meet values in float32: a product refuses two dtypes.

Why
All three inputs go to float32 before the first product, so neither scores nor weights are rounded
to 16 bits, and a product above 65504 is a number like any other. The last step rounds the output to
the dtype that came in.

Notice
One rounding at the end is what the budget of the chapter allows.
"""

import numpy as np
import torch

from attnbook import reference
from attnbook.exercises.engine import case, draw_qkv, stress, write
from attnbook.exercises.engine.tensors import on_tensors


def rounds_once(q, k, v):
    """softmax(q kᵀ / √d_k) v in float32, in the dtype that came in."""
    wide_q, wide_k, wide_v = q.float(), k.float(), v.float()
    scores = wide_q @ wide_k.mT * q.shape[-1] ** -0.5
    weights = torch.softmax(scores, dim=-1)
    return (weights @ wide_v).to(q.dtype)


def divided_last(q, k, v):
    """The softmax by hand, whose sum divides the output."""
    scores = q.float() @ k.float().mT * q.shape[-1] ** -0.5
    exp = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    mixed, total = exp @ v.float(), exp.sum(dim=-1, keepdim=True)
    return (mixed / total).half()


def in_float64(q, k, v):
    """The package's attention in float64, rounded once as well."""
    wide = (x.astype(np.float64) for x in (q, k, v))
    return reference.scaled_dot_product_attention(*wide).astype(np.float16)


def half(**arrays):
    return {name: np.asarray(x, np.float16) for name, x in arrays.items()}


def random(batch, n_q, n_k, d_k, d_v):
    return half(**draw_qkv(rng, n_q, n_k, d_k, d_v, batch))


rng = np.random.default_rng(16)

CASES = (
    case(**half(q=[[1]], k=[[0], [1]], v=[[0], [8]])),
    case(**half(q=[[1, 2], [3, 0]], k=[[1, 0], [0, 1]], v=[[0], [8]])),
    case(**random((), 3, 4, 2, 5)),
    case(**random((2,), 3, 5, 4, 2)),
    case(**random((2, 3), 2, 2, 8, 1)),
    stress(**half(q=[[1]], k=[[0]] * 64, v=[[5000]] * 64), gives=np.float16([[5000]])),
    stress(**half(q=[[0], [60]], k=[[10], [0]], v=[[0], [8]])),
    stress(**half(q=[[3]], k=[[683], [682]], v=[[0], [8]])),
    stress(**half(q=[[1025, 1024, 0]], k=[[1, 0, 0], [0, 1, 0]], v=[[0], [8]])),
    stress(**half(q=[[1]], k=[[0], *[[-16]] * 64], v=[[0], *[[60000]] * 64])),
    stress(**half(q=np.full((1, 64), 40), k=np.full((1, 64), 40), v=[[4]])),
)

MISTAKES = """
the scores are made in float16 here, scaled there or rounded to it: go to float32 before the first
product, and stay there.
    q.float(), k.float(), v.float() → q, k, v
    wide_q @ wide_k.mT → (q @ k.mT).float()
    torch.softmax(scores, → torch.softmax(scores.half().float(),
    torch.softmax(scores, dim=-1) → torch.softmax(scores.half(), dim=-1).float()
    wide_q @ wide_k.mT * q.shape[-1] ** -0.5 → (q * q.shape[-1] ** -0.5).float() @ wide_k.mT
the scale stands after the softmax, where it shrinks the output; it belongs to the scores.
    .mT * q.shape[-1] ** -0.5 → .mT ; dim=-1) → dim=-1) * q.shape[-1] ** -0.5
k.T reverses every axis; on a stack of keys only the last two may be swapped: k.mT.
    wide_k.mT → wide_k.T
the weights are rounded to float16 before they meet the values: small ones lose their digits.
    weights @ wide_v → weights.half() @ v
the sums are rounded to float16 before they are divided, where 65504 is the largest: divide in
float32.
    mixed / total → mixed.half() / total || mixed.half() / total.half() || mixed / total.half()
the output goes through bfloat16, which has 8 bits for its digits: 5000 becomes 4992.
    .to(q.dtype) → .bfloat16().half()
the scale is one over the square root of d_k, the width of the keys: the scores are multiplied by
it.
    wide_k.mT * q.shape[-1] ** -0.5 → wide_k.mT || wide_k.mT / q.shape[-1]
    wide_k.mT * q.shape[-1] → wide_k.mT * v.shape[-1] || wide_k.mT * k.shape[-2]
    wide_k.mT * q.shape[-1] ** -0.5 → wide_k.mT * q.shape[-1] ** 0.5
subtract each row's own maximum: in float32 exponentials overflow above 88.7, and a row far below a
maximum of all has only zeros left.
    scores - scores.amax(dim=-1, keepdim=True) → scores
    scores.amax(dim=-1, keepdim=True) → scores.max()
"""

exercise = write(
    rounds_once,
    CASES,
    MISTAKES,
    drafts=(divided_last,),
    through=on_tensors,
    to_the_bit=True,
    oracle=in_float64,
)
