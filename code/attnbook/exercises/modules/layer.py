"""PyTorch's layer, written from its two matrices."""

import numpy as np
import torch

from attnbook import pytorch
from attnbook.exercises.exercise import Misconception
from attnbook.exercises.modules.joint import by_head, interleaved, reshaped
from attnbook.exercises.modules.tensors import on_tensors
from attnbook.exercises.solutions import modules as solutions
from attnbook.exercises.write import Write, case, stress

_rng = np.random.default_rng(7)


def layer(
    project=lambda x, w: x @ w.T,
    split=pytorch.split_heads,
    attend=pytorch.scaled_dot_product_attention,
    merge=pytorch.merge_heads,
    finish=lambda x, w: x @ w.T,
    order=(0, 1, 2),
    read=lambda mask: mask,
):
    """The solution with one of its steps exchanged."""

    def self_attention(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
        parts = project(x, in_proj_weight).chunk(3, dim=-1)
        q, k, v = (split(parts[i], n_heads) for i in order)
        mask = None if mask is None else read(mask)[..., None, :, :]
        return finish(merge(attend(q, k, v, mask)), out_proj_weight)

    return self_attention


def by_rows(x, w):
    """x W for each of the three square matrices, where x Wᵀ is meant."""
    return torch.cat([x @ part for part in w.chunk(3)], dim=-1)


def scaled_by(factor):
    def attend(q, k, v, mask):
        return pytorch.scaled_dot_product_attention(q, k, v, mask, scale=factor(q))

    return attend


def over_queries(q, k, v, mask):
    scores = pytorch.dot_product_scores(q, k)
    mask = None if mask is None else mask.mT
    return pytorch.softmax(scores.mT, mask).mT @ v


def filled(q, k, v, mask):
    scores = pytorch.dot_product_scores(q, k)
    scores = scores if mask is None else torch.where(mask, scores, -1e9)
    return pytorch.softmax(scores) @ v


def zeroed_after(q, k, v, mask):
    weights = pytorch.softmax(pytorch.dot_product_scores(q, k))
    return (weights if mask is None else weights * mask) @ v


def nan_where_empty(q, k, v, mask):
    scores = pytorch.dot_product_scores(q, k)
    scores = scores if mask is None else torch.where(mask, scores, -torch.inf)
    return torch.softmax(scores, dim=-1) @ v


def mask_added(q, k, v, mask):
    bias = None if mask is None else mask.to(q.dtype)
    return pytorch.scaled_dot_product_attention(q, k, v, bias=bias)


def merged_by_reshape(x):
    return x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1])


def merged_backwards(x):
    return pytorch.merge_heads(x.flip(-3))


def merged_interleaved(x):
    return x.movedim(-3, -1).flatten(-2)


def averaged(x):
    return x.mean(dim=-3).repeat(*[1] * (x.ndim - 2), x.shape[-3])


def joint_by_head(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    q, k, v = by_head(x @ in_proj_weight.T, n_heads)
    mask = None if mask is None else mask[..., None, :, :]
    out = pytorch.scaled_dot_product_attention(q, k, v, mask)
    return pytorch.merge_heads(out) @ out_proj_weight.T


def mask_by_head(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    """Without an axis for the heads, a mask for each sequence meets the heads."""
    parts = (x @ in_proj_weight.T).chunk(3, dim=-1)
    q, k, v = (pytorch.split_heads(part, n_heads) for part in parts)
    out = pytorch.scaled_dot_product_attention(q, k, v, mask)
    return pytorch.merge_heads(out) @ out_proj_weight.T


def one_head(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    return solutions.self_attention(x, in_proj_weight, out_proj_weight, 1, mask)


def detached(x, *rest):
    return solutions.self_attention(x.detach(), *rest)


def in_float32(x, w, w_o, *rest):
    return solutions.self_attention(x.float(), w.float(), w_o.float(), *rest)


def in_float64(x, w, w_o, *rest):
    return solutions.self_attention(x.double(), w.double(), w_o.double(), *rest)


def _sizes(n, d_model, n_heads, batch=(1,), mask=None, dtype=np.float64, size=1.0):
    shapes = {
        "x": (*batch, n, d_model),
        "in_proj_weight": (3 * d_model, d_model),
        "out_proj_weight": (d_model, d_model),
    }
    arrays = {name: _rng.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}
    arrays["x"] = arrays["x"] * dtype(size)
    return arrays | {"n_heads": n_heads, "mask": mask}


def _triangle(n):
    return np.tri(n, dtype=bool)


def _some(*shape):
    mask = _rng.random(shape) < 0.5
    mask[..., 0, :] = False
    return mask


SCALE = "the scale comes from d_model; each head's dot product has the width d_model / n_heads."

self_attention = Write(
    name="modules.self_attention",
    title="PyTorch's layer from its matrices",
    level="hard",
    minutes=20,
    solution_of=solutions.self_attention,
    through=on_tensors,
    hints=(
        "Five steps: project, cut into q, k and v, split into heads, attend, merge and project.",
        "A layer of PyTorch keeps its matrix transposed: it computes x @ weight.T.",
        "`(x @ in_proj_weight.T).chunk(3, dim=-1)` gives q, k and v, which are still to be split.",
        "The scores have the shape (batch, n_heads, n, n). A mask for each sequence needs an axis "
        "of length 1 for the heads: mask[..., None, :, :].",
    ),
    explanation=(
        "`x @ in_proj_weight.T` has the queries, keys and values of all heads; `chunk` and "
        "`split_heads` take them apart. The package's attention takes care of scale, mask and "
        "empty rows, with the heads as one more batch axis. `mask[..., None, :, :]` gives all "
        "heads the same mask."
    ),
    misconceptions=(
        Misconception(
            layer(project=by_rows),
            "the projection is x @ weight; PyTorch keeps the matrix transposed: x @ weight.T.",
        ),
        Misconception(
            layer(finish=lambda x, w: x @ w),
            "the last projection is x @ weight; PyTorch keeps the matrix transposed.",
        ),
        Misconception(
            layer(finish=lambda x, w: x),
            "out_proj_weight is never used: the heads are merged but not mixed.",
        ),
        Misconception(
            layer(split=reshaped, merge=merged_by_reshape),
            "reshape alone splits by position: a head must have a piece of every position.",
        ),
        Misconception(
            layer(split=reshaped),
            "reshape alone splits by position: a head must have a piece of every position.",
        ),
        Misconception(
            layer(merge=merged_by_reshape),
            "the heads are merged without moving their axis back: positions are mixed up.",
        ),
        Misconception(layer(merge=merged_backwards), "the heads are merged in the wrong order."),
        Misconception(
            layer(merge=merged_interleaved),
            "the numbers of the heads alternate in the merged vector; each head's stay together.",
        ),
        Misconception(
            layer(split=interleaved),
            "a head got every n_heads-th number; heads are consecutive pieces.",
        ),
        Misconception(
            joint_by_head,
            "the joint projection is read head by head; all queries come first, then all keys.",
        ),
        Misconception(layer(merge=averaged), "the heads are averaged; they stand side by side."),
        Misconception(one_head, "there is one head here, of the full width; n_heads is not used."),
        Misconception(
            layer(order=(1, 0, 2)), "queries and keys changed places: the order is q, k, v."
        ),
        Misconception(layer(order=(2, 1, 0)), "queries and values changed places."),
        Misconception(layer(order=(0, 2, 1)), "keys and values changed places."),
        Misconception(layer(attend=scaled_by(lambda q: 1.0)), "the scale 1/√d_head is missing."),
        Misconception(
            layer(attend=scaled_by(lambda q: (q.shape[-1] * q.shape[-3]) ** -0.5)), SCALE
        ),
        Misconception(
            layer(attend=scaled_by(lambda q: 1 / q.shape[-1])),
            "the scores are divided by d_head, not by its root.",
        ),
        Misconception(
            layer(attend=over_queries), "the softmax runs over the queries; a row is a query's."
        ),
        Misconception(
            layer(read=lambda mask: ~mask),
            "the mask is read upside down: here True = may look, as in SDPA.",
        ),
        Misconception(
            layer(attend=lambda q, k, v, mask: pytorch.scaled_dot_product_attention(q, k, v)),
            "the mask is never used.",
        ),
        Misconception(layer(attend=mask_added), "the mask is added, which hides nothing."),
        Misconception(
            layer(attend=filled),
            "a finite fill is a score like any other: a query that sees nothing looks at all keys.",
        ),
        Misconception(
            layer(attend=zeroed_after),
            "weights are set to 0 after the softmax: rows do not sum to 1.",
        ),
        Misconception(
            layer(attend=nan_where_empty), "a query that sees nothing gives NaN; it gets zeros."
        ),
        Misconception(
            mask_by_head,
            "a mask for each sequence meets the axis of the heads: it needs an axis of length 1 "
            "there.",
        ),
        Misconception(
            detached,
            "no gradient reaches x: autograd has no record of how the result was made of it.",
        ),
        Misconception(in_float32, "the result is float32 whatever came in."),
        Misconception(in_float64, "the result is float64 whatever came in."),
    ),
    notice=(
        "You can now run the weights of any model that was saved from PyTorch's layer, without the "
        "layer."
    ),
    cases=(
        case(**_sizes(1, 2, 1)),
        case(**_sizes(2, 2, 1)),
        case(**_sizes(3, 4, 2)),
        case(**_sizes(3, 4, 2, mask=_triangle(3))),
        case(
            **_sizes(2, 4, 2, batch=(2,), mask=np.array([[[1, 0], [1, 1]], [[0, 1], [1, 1]]], bool))
        ),
        case(**_sizes(5, 6, 3, batch=(2,), mask=_some(2, 5, 5))),
        case(**_sizes(4, 8, 2, batch=(3,), mask=_some(4, 4))),
        case(**_sizes(3, 9, 3, batch=(3,), mask=_some(3, 3, 3))),
        case(**_sizes(4, 4, 4, batch=(2, 3), mask=_triangle(4))),
        case(**_sizes(3, 6, 2, batch=())),
        stress(**_sizes(3, 4, 2, mask=_triangle(3), size=30.0)),
        stress(**_sizes(4, 6, 3, batch=(2,), mask=_triangle(4), dtype=np.float32)),
        stress(**_sizes(3, 4, 2, batch=(2,), mask=np.zeros((3, 3), bool))),
    ),
)
