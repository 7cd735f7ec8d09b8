"""A layer that writes with a cache, and what it must agree with: the definition, over all words."""

import numpy as np
import torch

from attnbook import positions, pytorch, reference

THETA = pytorch.frequencies(6, base=100.0)


def attend(q, k, v, cache):
    """What new words find: their queries meet all that the cache has."""
    at = cache.positions(q.shape[-2])
    q, k = (pytorch.rope(x, at, THETA) for x in (q, k))
    k, v, mask = cache.update(k, v)
    times = q.shape[-3] // k.shape[-3]
    k, v = (pytorch.repeat_heads(x, times) for x in (k, v))
    return pytorch.scaled_dot_product_attention(q, k, v, mask=mask)


def in_pieces(q, k, v, cache, cuts):
    """The outputs of all words, of which as many come at once as `cuts` says."""
    ends = np.cumsum(cuts)
    pieces = [slice(end - n, end) for end, n in zip(ends, cuts, strict=True)]
    return torch.cat([attend(*(x[..., i, :] for x in (q, k, v)), cache) for i in pieces], dim=-2)


def defined(q, k, v, left=None, sinks=0):
    """All words at once, in NumPy: rotated, each group's head for each of its queries, masked."""
    q, k, v = (x.double().numpy() for x in (q, k, v))
    at, times = np.arange(q.shape[-2]), q.shape[-3] // k.shape[-3]
    q, k = (positions.rope(x, at, THETA.numpy()) for x in (q, k))
    k, v = (np.repeat(x, times, axis=-3) for x in (k, v))
    return reference.scaled_dot_product_attention(q, k, v, visible(len(at), left, sinks))


def visible(n, left=None, sinks=0):
    """Pair by pair, who may see whom."""
    near = n if left is None else left
    return np.array([[j <= i and (i - j <= near or j < sinks) for j in range(n)] for i in range(n)])


def drawn(n, heads=4, kv_heads=2, batch=(), dtype=torch.float64, seed=0):
    """Queries, keys and values, of 6 and 5 features."""
    generator = torch.Generator().manual_seed(seed)
    shapes = ((heads, 6), (kv_heads, 6), (kv_heads, 5))
    return [
        torch.randn(*batch, h, n, d, generator=generator, dtype=torch.float64).to(dtype)
        for h, d in shapes
    ]
