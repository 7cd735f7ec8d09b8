"""Solutions of the chapter on attention as modules."""

import torch

from attnbook import pytorch


def parameters():
    """How many numbers each of four modules has to learn."""
    modules = (
        pytorch.DotProductAttention(dropout=0.1),
        pytorch.AdditiveAttention(d_q=5, d_k=3, d_hidden=7),
        pytorch.MultiHeadAttention(d_model=12, n_heads=3),
        pytorch.MultiHeadAttention(d_model=12, n_heads=4, bias=True),
    )
    return [sum(p.numel() for p in module.parameters()) for module in modules]


def dropout():
    """Output in evaluation, mean and largest output in training, chance that no weight is left."""
    p, weights, values = 0.25, torch.tensor([1 / 4, 3 / 4, 0]), torch.tensor([0.0, 4.0, 8.0])
    evaluation = weights @ values
    largest = (weights / (1 - p)) @ values
    return [evaluation.item(), evaluation.item(), largest.item(), p**2]


def split_joint(x, n_heads):
    """Queries, keys and values, each cut into heads, from one joint projection."""
    d_head = x.shape[-1] // (3 * n_heads)
    pieces = x.reshape(*x.shape[:-1], 3, n_heads, d_head)
    return pieces.movedim(-3, 0).swapaxes(-2, -3)


def self_attention(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
    """Multi-head attention of a sequence with itself, from the two matrices of PyTorch's layer."""
    q, k, v = (x @ in_proj_weight.T).chunk(3, dim=-1)
    q, k, v = (pytorch.split_heads(part, n_heads) for part in (q, k, v))
    mask = None if mask is None else mask[..., None, :, :]
    out = pytorch.scaled_dot_product_attention(q, k, v, mask=mask)
    return pytorch.merge_heads(out) @ out_proj_weight.T


def whose_mask():
    """The first sequence sees its first key alone, the second sees both."""
    return [[[True, False]], [[True, True]]]
