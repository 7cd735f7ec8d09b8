r"""Project, step 2: the mask · medium · 10 min

Hints
1. Our pattern with a mask is softmax(QKᵀ / c + M)V. What is M for a key that is visible, and for
   one that is hidden?
2. `torch.where(mask, a, b)` takes a where the mask is True, and b elsewhere.
3. The order matters: the scores first, divided and not multiplied, and then M.

Why
Filling a score with −∞ and adding −∞ to it give the same, but our pattern with a mask has a sum. So
we make M of the boolean mask first, and add it to the scores.

Notice
For mathematics the order of a sum doesn't matter, for the compiler it does: it misses M + QKᵀ/c.
"""

import torch

from attnbook import reference
from attnbook.exercises.chapters.fused._found import missed, outbidding, with_a_mask
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import on_tensors


def masked(q, k, v, mask):
    """The same over the visible keys."""
    bias = torch.where(mask, 0.0, -torch.inf)
    scores = q @ k.mT / q.shape[-1] ** 0.5 + bias
    return torch.softmax(scores, dim=-1) @ v


CASES = (
    case(**with_a_mask(1, 2, 3, 3, (1, 1))),
    case(**with_a_mask(2, 3, 2, 2, (1, 1))),
    case(**with_a_mask(3, 3, 5, 5, (1, 2))),
    case(**with_a_mask(4, 6, 8, 8, (2, 3))),
    case(**outbidding(300.0, (1, 1))),
    stress(**outbidding(2.0**40, (1, 1))),
)

MISTAKES = """
the mask is upside down: True = may look, and such a key gets 0 added.
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, -torch.inf, 0.0)
zeros and ones are added to the scores: a hidden key needs −∞, whose exponential is 0.
    torch.where(mask, 0.0, -torch.inf) → mask
    torch.where(mask, 0.0, -torch.inf) → ~mask
the fill is finite: a hidden key whose score is larger by as much still takes weight. Only −∞ is
below every score.
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, 0.0, -10.0) || torch.where(mask, 0.0, -20.0)
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, 0.0, -30.0) || torch.where(mask, 0.0, -1e9)
the result holds NaN, and 0 · (−∞) and ∞ − ∞ are NaN: let `torch.where` choose between 0 and −∞ in M.
    torch.where(mask, 0.0, -torch.inf) → (1.0 - mask.to(q.dtype)) * -torch.inf
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, 0.0, torch.inf)
what is visible gets 0 added, which leaves its score as it is.
    torch.where(mask, 0.0, -torch.inf) → torch.where(mask, 1.0, -torch.inf) ; + bias → * bias
the scores are multiplied by the mask: a score of 0 is a score like others, and has a weight.
    + bias → * mask
the scores are divided by √d_k, the root of the width of queries and keys.
    / q.shape[-1] ** 0.5 → / 1
    ** 0.5 → ** 1.0
    q.shape[-1] ** 0.5 → q.shape[-2] ** 0.5 || k.shape[-2] ** 0.5 || 2
    / q.shape → * q.shape
softmax runs over the keys, which are the last axis of the scores.
    dim=-1 → dim=-2
nothing is hidden: add M to the scores.
    + bias →
"""

exercise = write(
    masked,
    CASES,
    MISTAKES,
    through=on_tensors,
    oracle=reference.scaled_dot_product_attention,
    refused=missed((2, 3, 6, 8), (2, 3, 6, 8), (2, 3, 6, 8), mask=(6, 6)),
)
