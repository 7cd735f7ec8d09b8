"""Heads from a joint projection · medium · 10 min

Hints
1. Cut the last axis, and only the last: 3 · n_heads · d_head numbers become three axes. In which
   order do they stand?
2. x.reshape(*x.shape[:-1], 3, n_heads, d_head) leaves every position where it is.
3. movedim(-3, 0) brings the 3 to the front; what is left to do is what split_heads does.

Why
`reshape` cuts only the last axis, so no number changes its position. Then axes are moved, which
changes no number either: the 3 to the front, the heads before the positions. Counted from the end,
this works for any number of batch axes.

Notice
q, k and v have the same shape, so no shape tells them apart: whoever saves such a joint matrix has
to say its order.
"""

import numpy as np
import torch

from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import Differentiated, differentiated_if_floats


def split_joint(x, n_heads):
    """Queries, keys and values, each cut into heads, from one joint projection."""
    d_head = x.shape[-1] // (3 * n_heads)
    pieces = x.reshape(*x.shape[:-1], 3, n_heads, d_head)
    return pieces.movedim(-3, 0).swapaxes(-2, -3)


def part_by_part(x, n_heads):
    parts = [part.unflatten(-1, (n_heads, -1)).swapaxes(-2, -3) for part in x.chunk(3, dim=-1)]
    return torch.stack(parts)


def by_slices(x, n_heads):
    """A slice of the features for each part and head; what flows back goes the same way."""
    width = x.shape[-1] // (3 * n_heads)
    out = np.empty((3, *x.shape[:-2], n_heads, x.shape[-2], width), x.dtype)
    c, gradient = np.cos(np.arange(x.size)).reshape(out.shape), np.empty_like(x)
    for i, (part, head) in enumerate(np.ndindex(3, n_heads)):
        piece = slice(i * width, (i + 1) * width)
        out[part, ..., head, :, :] = x[..., piece]
        gradient[..., piece] = c[part, ..., head, :, :]
    return Differentiated(out, gradient)


rng = np.random.default_rng(5)


def numbered(*shape, dtype=np.float64):
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


def random(*shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


CASES = (
    case(x=numbered(2, 6), n_heads=2),
    case(x=numbered(1, 3), n_heads=1),
    case(x=numbered(3, 6), n_heads=1),
    case(x=numbered(2, 12), n_heads=2),
    case(x=numbered(1, 3, 12), n_heads=2),
    case(x=random(2, 5, 24), n_heads=4),
    case(x=random(2, 2, 2, 12), n_heads=2),
    case(x=random(4, 1, 3, 5, 18), n_heads=3),
    stress(x=random(2, 3, 12, dtype=np.float32), n_heads=2),
    stress(x=numbered(2, 3, 12, dtype=np.float16), n_heads=2),
    stress(x=np.array([[np.nan, np.inf, 1.0, 2.0, -np.inf, 3.0]] * 2), n_heads=2),
)

MISTAKES = r"""
reshape alone mixes the positions: head 0 must have a piece of every position. Cut the last axis
first, then move the heads.
    part.unflatten(-1, (n_heads, -1)).swapaxes(-2, -3) → part.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1)
    = x.reshape(3, *x.shape[:-2], n_heads, x.shape[-2], -1)
head 0 got every n_heads-th number; heads are consecutive pieces.
    part.unflatten(-1, (n_heads, -1)).swapaxes(-2, -3) → part.unflatten(-1, (-1, n_heads)).movedim(-1, -3)
the heads stand after the positions: attention would take them for positions.
    .swapaxes(-2, -3) →
axes counted from the front, or a fixed number of them, fit one number of batch axes only: count
from the end, and keep x.shape[:-1].
    .swapaxes(-2, -3) for → .swapaxes(1, 2) for || .swapaxes(0, 1) for
    *x.shape[:-1], → x.shape[0], x.shape[1], ; pieces.movedim(-3, 0).swapaxes(-2, -3) → pieces.permute(2, 0, 3, 1, 4)
    d_head = x → batch, n, width = x.shape\n    d_head = x ; pieces.movedim(-3, 0).swapaxes(-2, -3) → pieces.permute(2, 0, 3, 1, 4)
all queries come first, then all keys, then all values: the last axis is cut into 3, n_heads and
d_head, in this order.
    3, n_heads, d_head) → n_heads, 3, d_head) ; .movedim(-3, 0) → .movedim(-2, 0)
    3, n_heads, d_head) → n_heads, d_head, 3) ; .movedim(-3, 0) → .movedim(-1, 0)
with a batch, reshape does not bring the axis of 3 to the front, it mixes the sequences: move it
with movedim.
    = x.unflatten(-1, (3 * n_heads, -1)).swapaxes(-2, -3).reshape(split_joint(x, n_heads).shape)
the parts come out in another order: it is queries, keys, values.
    = split_joint(x, n_heads)[[1, 0, 2]] || split_joint(x, n_heads)[[1, 2, 0]]
    = split_joint(x, n_heads)[[2, 1, 0]] || split_joint(x, n_heads)[[2, 0, 1]]
    = split_joint(x, n_heads)[[0, 2, 1]]
the heads are in reverse order: head 0 has the first piece.
    = split_joint(x, n_heads).flip(-3)
the number of heads is an argument; this always makes two.
    = split_joint(x, 2)
"""

exercise = write(
    split_joint,
    CASES,
    MISTAKES,
    drafts=(part_by_part,),
    oracle=by_slices,
    through=differentiated_if_floats,
)
