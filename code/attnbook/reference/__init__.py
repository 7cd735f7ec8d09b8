"""Attention, defined in NumPy. Every other form in the book is judged against this folder.

So it is written to be read: one equation per line, and nothing that is there only for speed. The
one loop, in `weighted_sum`, keeps infinite and NaN values from rows that may not see them.
Queries, keys and values are arrays (..., positions, features); axes before those are batch axes.
A mask is boolean and True means "may look" (see `attnbook.masks`).
"""

from attnbook.reference.attention import (
    additive_attention,
    scaled_dot_product_attention,
    weighted_sum,
)
from attnbook.reference.heads import merge_heads, multi_head_attention, repeat_heads, split_heads
from attnbook.reference.scores import (
    additive_scores,
    bilinear_scores,
    dot_product_scores,
    gaussian_scores,
    softcap,
)
from attnbook.reference.weights import logsumexp, masked_softmax, softmax
from attnbook.reference.weights import shifted_exp as shifted_exp  # a step, for chapters to print

__all__ = [
    "additive_attention",
    "additive_scores",
    "bilinear_scores",
    "dot_product_scores",
    "gaussian_scores",
    "logsumexp",
    "masked_softmax",
    "merge_heads",
    "multi_head_attention",
    "repeat_heads",
    "scaled_dot_product_attention",
    "softcap",
    "softmax",
    "split_heads",
    "weighted_sum",
]
