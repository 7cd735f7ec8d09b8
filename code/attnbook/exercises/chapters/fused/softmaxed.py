r"""Project, step 1: the softmax · medium · 10 min

Hints
1. Nothing in our patterns stands between softmax and the second product. In the code that was found,
   what is done only after the second product, and belongs to softmax?
2. The exponentials and the division by their sum are one function of PyTorch, `torch.softmax`.
3. The scale belongs to the scores: divide the product, and not the queries.

Why
Each change leaves the numbers as they are. The division by the sum moves before the product with
the values, where `torch.softmax` does it, and the scale moves from the queries to the scores. What
is left is the pattern, operation by operation.

Notice
The compiler finds softmax(QKᵀ/√d)V now, and puts SDPA in its place: two products and the scores
between them have become one operation.
"""

import torch

from attnbook import reference
from attnbook.exercises.chapters.fused._found import drawn, missed
from attnbook.exercises.engine import case, write
from attnbook.exercises.engine.tensors import on_tensors


def softmaxed(q, k, v):
    """softmax(q kᵀ / √d) v, in the spelling of a pattern."""
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ v


CASES = (
    case(**drawn(1, 2, 3, 3, (1, 1))),
    case(**drawn(2, 3, 2, 2, (1, 1))),
    case(**drawn(3, 3, 5, 5, (1, 2))),
    case(**drawn(4, 6, 8, 8, (2, 3))),
)

MISTAKES = """
the scores are divided by √d_k, the root of the width of queries and keys.
    / q.shape[-1] ** 0.5 → / 1
    ** 0.5 → ** 1.0
    q.shape[-1] ** 0.5 → q.shape[-2] ** 0.5 || k.shape[-2] ** 0.5 || 2
    / q.shape → * q.shape
softmax runs over the keys, which are the last axis of the scores.
    dim=-1 → dim=-2
the weights are the exponentials divided by their sum, for each query.
    torch.softmax(scores, dim=-1) → torch.exp(scores)
"""

exercise = write(
    softmaxed,
    CASES,
    MISTAKES,
    through=on_tensors,
    oracle=reference.scaled_dot_product_attention,
    refused=missed((2, 3, 5, 8), (2, 3, 6, 8), (2, 3, 6, 8)),
)
