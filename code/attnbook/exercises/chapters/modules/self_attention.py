"""PyTorch's layer from its matrices · hard · 15 min

Hints
1. Five steps: project, cut into q, k and v, split into heads, attend, merge and project. In
   `attnbook.pytorch` are split_heads, scaled_dot_product_attention and merge_heads.
2. A layer of PyTorch keeps its matrix transposed: it computes x @ weight.T.
3. `(x @ in_proj_weight.T).chunk(3, dim=-1)` gives q, k and v, which are still to be split.
4. The scores have the shape (batch, n_heads, n, n). A mask for each sequence needs an axis of
   length 1 for the heads: mask[..., None, :, :].

Why
`x @ in_proj_weight.T` has the queries, keys and values of all heads; `chunk` and `split_heads` take
them apart. The package's attention takes care of scale, mask and empty rows, with the heads as one
more batch axis. `mask[..., None, :, :]` gives all heads the same mask.

Notice
You can now run the matrices of any of PyTorch's layers that was saved without biases, and without
the layer.
"""

import numpy as np
import torch
import torch.nn.functional as F

from attnbook import gradients, pytorch, reference
from attnbook.exercises.engine import case, draw, stress, write
from attnbook.exercises.engine.tensors import Differentiated, differentiated_if_floats


def self_attention(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    """Multi-head attention of a sequence with itself, from the two matrices of PyTorch's layer."""
    q, k, v = (x @ in_proj_weight.T).chunk(3, dim=-1)
    q, k, v = (pytorch.split_heads(part, n_heads) for part in (q, k, v))
    mask = None if mask is None else mask[..., None, :, :]
    out = pytorch.scaled_dot_product_attention(q, k, v, mask=mask)
    return pytorch.merge_heads(out) @ out_proj_weight.T


def by(weights_of):
    """The answer with other weights, made of scores and of a mask, True where there is none."""

    def self_attention(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
        parts = (x @ in_proj_weight.T).chunk(3, dim=-1)
        q, k, v = (pytorch.split_heads(part, n_heads) for part in parts)
        seen = torch.ones(1, 1, dtype=torch.bool) if mask is None else mask[..., None, :, :]
        out = weights_of(pytorch.dot_product_scores(q, k), seen) @ v
        return pytorch.merge_heads(out) @ out_proj_weight.T

    return self_attention


def hidden(scores, mask):
    return torch.where(mask, scores, -torch.inf)


def filled(fill):
    return lambda scores, mask: torch.softmax(torch.where(mask, scores, fill), dim=-1)


def over(dim):
    return lambda scores, mask: torch.softmax(hidden(scores, mask), dim=dim).nan_to_num()


def plus(number):
    """The number is added to hidden scores."""
    return lambda scores, mask: torch.softmax(scores + torch.where(mask, 0.0, number), dim=-1)


def in_numpy(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    """NumPy's layer, and the backward pass by hand: x is query, key and value."""
    w_q, w_k, w_v = np.split(in_proj_weight.T, 3, axis=-1)
    given = x, x, x, w_q, w_k, w_v, out_proj_weight.T, n_heads, mask
    out = reference.multi_head_attention(*given)
    c = np.cos(np.arange(out.size)).reshape(out.shape).astype(out.dtype)
    return Differentiated(out, sum(gradients.multi_head_attention_backward(c, *given)[:3]))


rng = np.random.default_rng(7)


def sizes(n, d_model, n_heads, batch=(1,), mask=None, dtype=np.float64, size=1.0):
    shapes = {
        "x": (*batch, n, d_model),
        "in_proj_weight": (3 * d_model, d_model),
        "out_proj_weight": (d_model, d_model),
    }
    arrays = draw(rng, shapes, dtype=dtype)
    arrays["x"] = arrays["x"] * dtype(size)
    return arrays | {"n_heads": n_heads, "mask": mask}


def opposite(size):
    """Each query scores its own key far below 0, and the others 0."""
    one = np.eye(2)
    weights = {"in_proj_weight": np.concatenate([one, -one, one]), "out_proj_weight": one}
    return {"x": size * one[None]} | weights | {"n_heads": 1, "mask": triangle(2)}


def triangle(n):
    return np.tri(n, dtype=bool)


def some(*shape):
    mask = rng.random(shape) < 0.5
    mask[..., 0, :] = False
    return mask


CASES = (
    case(**sizes(1, 2, 1)),
    case(**sizes(2, 2, 1)),
    case(**sizes(3, 4, 2)),
    case(**sizes(3, 4, 2, mask=triangle(3))),
    case(**sizes(2, 4, 2, batch=(2,), mask=np.array([[[1, 0], [1, 1]], [[0, 1], [1, 1]]], bool))),
    case(**sizes(4, 4, 4, batch=(2, 3), mask=triangle(4))),
    case(**sizes(3, 6, 2, batch=())),
    case(**sizes(3, 6, 2, batch=(), mask=triangle(3))),
    stress(**sizes(5, 6, 3, batch=(2,), mask=some(2, 5, 5))),
    stress(**sizes(4, 8, 2, batch=(3,), mask=some(4, 4))),
    stress(**sizes(3, 9, 3, batch=(3,), mask=some(3, 3, 3))),
    stress(**sizes(2, 6, 3, batch=(2, 3), mask=some(2, 3, 2, 2))),
    stress(**sizes(3, 4, 2, mask=triangle(3), size=30.0)),
    stress(**opposite(2e2)),
    stress(**opposite(1e5)),
    stress(**sizes(4, 6, 3, batch=(2,), mask=triangle(4), dtype=np.float32)),
    stress(**sizes(3, 4, 2, batch=(2,), mask=np.zeros((3, 3), bool))),
)

MISTAKES = """
PyTorch keeps its matrices transposed: each projection is x @ weight.T, the last one too.
    (x @ in_proj_weight.T).chunk(3, dim=-1) → (x @ part for part in in_proj_weight.chunk(3))
    x @ in_proj_weight.T → x @ in_proj_weight
    (x @ in_proj_weight.T).chunk(3, dim=-1) → (x @ part for part in in_proj_weight.chunk(3)) ; out_proj_weight.T → out_proj_weight
    out_proj_weight.T → out_proj_weight
reshape alone splits by position: a head must have a piece of every position.
    pytorch.split_heads(part, n_heads) → part.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1)
    pytorch.split_heads(part, n_heads) → part.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1) ; pytorch.merge_heads(out) → out.reshape(x.shape)
the heads are merged in another way: at each position they stand side by side, head 0 first, and the
numbers of each stay together.
    pytorch.merge_heads(out) → out.reshape(x.shape)
    merge_heads(out) → merge_heads(out.flip(-3))
    pytorch.merge_heads(out) → out.movedim(-3, -1).flatten(-2)
the joint projection is read head by head; all queries come first, then all keys.
    .chunk(3, dim=-1) → .unflatten(-1, (n_heads, 3, -1)).movedim(-2, 0).flatten(-2)
a head got every n_heads-th number; heads are consecutive pieces.
    pytorch.split_heads(part, n_heads) → part.unflatten(-1, (-1, n_heads)).movedim(-1, -3)
    pytorch.split_heads(part, n_heads) → part.unflatten(-1, (-1, n_heads)).movedim(-1, -3) ; pytorch.merge_heads(out) → out.movedim(-3, -1).flatten(-2)
there is one head here, of the full width; n_heads is not used.
    (part, n_heads) → (part, 1)
queries, keys and values are the three parts of x @ in_proj_weight.T, in this order: none is x
itself, and none is used twice.
    q, k, v = (x → k, q, v = (x || v, k, q = (x || q, v, k = (x || v, q, k = (x || k, v, q = (x
    in (q, k, v) → in (q, q, q) || in (q, q, v) || in (q, k, k) || in (k, k, v) || in (x, k, v)
    in (q, k, v) → in (q, x, v) || in (q, k, x) || in (x, x, v) || in (x, x, x)
the scores should be divided by √d_head: each head's dot product has the width d_model / n_heads.
    mask=mask → mask=mask, scale=1.0 || mask=mask, scale=x.shape[-1] ** -0.5
    mask=mask → mask=mask, scale=q.shape[-1] ** -1.0 || mask=mask, scale=q.shape[-1] ** 0.5
    mask=mask → mask=mask, scale=n_heads ** -0.5 || mask=mask, scale=x.shape[-2] ** -0.5
the softmax runs over another axis than the keys, the last: a row is a query's.
    is by(over(-2)) || by(over(0)) || by(over(1)) || by(over(-3))
the mask is read upside down: here True = may look, as in SDPA.
    else mask → else ~mask
    = by(filled(-torch.inf))(x, in_proj_weight, out_proj_weight, n_heads, None if mask is None else ~mask)
    = by(filled(-1e9))(x, in_proj_weight, out_proj_weight, n_heads, None if mask is None else ~mask)
the mask is transposed: its rows are queries, its columns are keys.
    else mask → else mask.mT
a causal mask is made here, as is_causal does; use the mask that is given.
    pytorch.scaled_dot_product_attention(q, k, v, mask=mask) → F.scaled_dot_product_attention(q, k, v, is_causal=mask is not None)
    pytorch.scaled_dot_product_attention(q, k, v, mask=mask) → F.scaled_dot_product_attention(q, k, v, is_causal=True)
the mask hides nothing: it is not used, or it is added.
    , mask=mask →
    mask=mask → bias=None if mask is None else mask.to(q.dtype)
a finite number for a hidden score is a score like any other: a query that sees nothing looks at all
keys then, and a visible score below it loses. Only −∞ is absent, and that query gets zeros.
    is by(lambda scores, mask: filled(torch.finfo(scores.dtype).min)(scores, mask))
    is by(filled(-1e9)) || by(filled(-1e4)) || by(filled(-1e2)) || by(filled(0.0)) || by(plus(-1e9))
    is by(plus(-1e4)) || by(lambda scores, mask: filled(-1e9)(scores, mask) * mask)
    is by(lambda scores, mask: pytorch.softmax(scores, mask | ~mask.any(dim=-1, keepdim=True)))
weights are set to 0 after the softmax: rows do not sum to 1.
    is by(lambda scores, mask: torch.softmax(scores, dim=-1) * mask)
a query that sees nothing gives NaN; it gets zeros.
    is by(filled(-torch.inf))
the output is right, and the gradient of a query that sees nothing is NaN: the NaN inside goes
backward. Replace scores with torch.where, and add nothing.
    is by(lambda scores, mask: plus(-torch.inf)(scores, mask).nan_to_num())
the weights were detached: the output is right, and its gradient is not.
    is by(lambda scores, mask: pytorch.softmax(scores, mask).detach())
a mask for each sequence meets the axis of the heads: it needs an axis of length 1 there.
    mask[..., None, :, :] → mask || mask[None]
    mask[..., None, :, :] → mask ; pytorch.scaled_dot_product_attention(q, k, v, mask=mask) → F.scaled_dot_product_attention(q, k, v, mask)
the axis for the heads stands behind the first batch axis; count from the end: mask[..., None, :,
:].
    mask[..., None, :, :] → mask if mask.ndim == 2 else mask[:, None]
the result is computed in float32 whatever came in: keep the dtype of x.
    = self_attention(x.float(), in_proj_weight.float(), out_proj_weight.float(), n_heads, mask).to(x.dtype)
the heads of a position look at each other: the heads are a batch axis, and positions look at
positions.
    pytorch.scaled_dot_product_attention(q, k, v, mask=mask) → pytorch.scaled_dot_product_attention(*(part.swapaxes(-2, -3) for part in (q, k, v))).swapaxes(-2, -3)
one set of weights serves all heads, the first head's or a mean: each has its own queries and keys.
    is by(lambda scores, mask: pytorch.softmax(scores, mask)[..., :1, :, :])
    is by(lambda scores, mask: pytorch.softmax(scores, mask).mean(dim=-3, keepdim=True))
"""

exercise = write(self_attention, CASES, MISTAKES, oracle=in_numpy, through=differentiated_if_floats)
