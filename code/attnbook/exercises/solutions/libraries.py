"""Solutions to the exercises of the chapter on what libraries do with masks."""

import torch
import torch.nn.functional as F

from attnbook import pytorch


def how_many():
    """How many of five keys the second of three queries sees, in four calls."""
    causal, q, k, v = pytorch.causal_mask(3, 5), torch.zeros(3, 5), torch.zeros(5, 5), torch.eye(5)
    outputs = (
        pytorch.scaled_dot_product_attention(q, k, v, mask=causal),
        F.scaled_dot_product_attention(q, k, v, is_causal=True),
        F.scaled_dot_product_attention(q, k, v, attn_mask=~causal),
        F.scaled_dot_product_attention(q, k, v, attn_mask=causal.float()),
    )
    return [int((out[1] > 0).sum()) for out in outputs]


def visible(attn_mask, key_padding_mask):
    """Our mask, True = may look, from two in which True = hidden."""
    return ~attn_mask & ~key_padding_mask[:, None, :]


def cleaned(x, mask):
    """x, with 0 in the rows that no query sees."""
    seen = mask.any(dim=-2)
    return torch.where(seen[..., None], x, 0)


def two_corners():
    """One query, two keys: the triangle at the top left shows it the first key alone."""
    q = [[0.0]]
    k = [[0.0], [0.0]]
    v = [[0.0], [1.0]]
    return q, k, v


def polarity():
    """The visible keys have the mean 2, the hidden ones 10."""
    return [[True, True, False, False]]
