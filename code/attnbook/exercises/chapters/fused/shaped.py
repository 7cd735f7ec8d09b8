r"""Project, step 3: the shapes · hard · 12 min

Hints
1. `x[None]` puts an axis of 1 in front of a tensor, and `out[0]` takes it away.
2. Columns of zeros beside the values become columns of zeros in the output: cut them off there.
3. `F.pad(v, (0, n))`, of `torch.nn.functional`, puts n columns of zeros behind the last.

Why
The axis of the batch and the zeros change no number. They come before and after the pattern, and
between them stands what it knows: four axes, one width, a product, a division, a sum, a softmax
and a product.

Notice
The graph holds a pad, SDPA, a select and a slice: what you did for the shapes costs n · d numbers,
and what it saves are n² scores for each head.
"""

import torch
import torch.nn.functional as F

from attnbook import reference
from attnbook.exercises.chapters.fused._found import missed, outbidding, with_a_mask
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import on_tensors


def shaped(q, k, v, mask):
    """Attention of one sequence, recognised, of shape (heads, n_q, d_v)."""
    wide = F.pad(v, (0, q.shape[-1] - v.shape[-1]))
    bias = torch.where(mask, 0.0, -torch.inf)
    scores = q[None] @ k[None].mT / q.shape[-1] ** 0.5 + bias
    out = torch.softmax(scores, dim=-1) @ wide[None]
    return out[0, ..., : v.shape[-1]]


CASES = (
    case(**with_a_mask(1, 2, 3, 2, (1,))),
    case(**with_a_mask(2, 3, 2, 1, (1,))),
    case(**with_a_mask(3, 3, 5, 2, (2,))),
    case(**with_a_mask(4, 6, 8, 8, (3,))),
    case(**outbidding(300.0, (1,))),
    stress(**outbidding(2.0**40, (1,))),
)

MISTAKES = """
the output has the shape (heads, n_q, d_v): take the axis of the batch away again.
    out[0, ..., : v.shape[-1]] → out[..., : v.shape[-1]]
the output is as wide as the keys: of its columns d_v are asked for.
    out[0, ..., : v.shape[-1]] → out[0]
the columns of zeros are what was kept: the values are in the others.
    (0, q.shape[-1] - v.shape[-1]) → (q.shape[-1] - v.shape[-1], 0)
    : v.shape[-1]] → q.shape[-1] - v.shape[-1] :]
the mask is upside down: True = may look, and such a key gets 0 added.
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, -torch.inf, 0.0)
the fill is finite: a hidden key whose score is larger by as much still takes weight. Only −∞ is
below every score.
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, 0.0, -10.0) || torch.where(mask, 0.0, -20.0)
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, 0.0, -30.0) || torch.where(mask, 0.0, -1e9)
the result holds NaN, and 0 · (−∞) and ∞ − ∞ are NaN: let `torch.where` choose between 0 and −∞ in M,
and take no softmax of −∞ alone.
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, -torch.inf, 0.0) ; dim=-1 → dim=-2
    torch.where(mask, 0.0, -torch.inf) → (1.0 - mask.to(q.dtype)) * -torch.inf
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, 0.0, torch.inf)
nothing is hidden: add M to the scores.
    + bias →
the scores are divided by √d_k, the width of the keys, not by another.
    / q.shape[-1] ** 0.5 → / v.shape[-1] ** 0.5 || / q.shape[-2] ** 0.5 || / k.shape[-2] ** 0.5
    / q.shape[-1] ** 0.5 → / 1 || / 2 || / q.shape[-1]
softmax runs over the keys, which are the last axis of the scores.
    dim=-1 → dim=-2
"""

exercise = write(
    shaped,
    CASES,
    MISTAKES,
    through=on_tensors,
    oracle=reference.scaled_dot_product_attention,
    refused=missed((3, 6, 8), (3, 6, 8), (3, 6, 2), mask=(6, 6)),
)
