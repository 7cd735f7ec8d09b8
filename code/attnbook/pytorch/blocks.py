"""Attention without the matrix of scores: a few rows of it at a time, in one piece of memory.

The readable form writes all n_q · n_k scores to main memory and reads them back, several times.
Here so many rows are computed at once as fit into a processor core's own cache, and each block of
them goes from scores to output before the next begins. Nothing else is new, and three things are
saved: most of that traffic, the keys in a causal row's future, and the keys past a valid length.

These are forward passes for finite numbers. Where a gradient is wanted, where an input is not
finite, and under `torch.compile`, they hand over to `scaled_dot_product_attention`.
"""

import functools
import math

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from attnbook.pytorch.attention import scaled_dot_product_attention
from attnbook.pytorch.masks import causal_mask, padding_mask
from attnbook.pytorch.operation import operation

CACHED = 2**18  # scores at once: 1 MiB of float32
ROWS = 256
VECTOR = 16  # numbers that a processor works on at once
CAUSAL_ROWS = 64  # fewer, so that less of the square on the diagonal is computed for nothing


@operation
def attention_in_blocks(
    q: Float[Tensor, "*batch n_q d_k"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
) -> Float[Tensor, "*batch n_q d_v"]:
    """`scaled_dot_product_attention(q, k, v)`, in blocks of 256 queries.

    Returns a tensor of shape (..., n_q, d_v).
    """
    out = q.new_empty(*q.shape[:-1], v.shape[-1])
    _first_keys_in_blocks(k.shape[-2], q, k, v, out)
    return out


@operation
def causal_attention_in_blocks(
    q: Float[Tensor, "*batch n_q d_k"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
) -> Float[Tensor, "*batch n_q d_v"]:
    """`scaled_dot_product_attention` with a causal mask; each block takes only the keys it sees.

    Returns a tensor of shape (..., n_q, d_v): zeros for queries before the first key.
    """
    if _needs_care(q, k, v):
        mask = causal_mask(q.shape[-2], k.shape[-2], q.device)
        return scaled_dot_product_attention(q, k, v, mask)
    out = q.new_empty(*q.shape[:-1], v.shape[-1])
    ahead_of_time = torch.ones(CAUSAL_ROWS, CAUSAL_ROWS, dtype=torch.bool, device=q.device).triu(1)
    limit = torch.where(ahead_of_time, -torch.inf, torch.inf).to(q.dtype)
    _in_blocks(functools.partial(_keys_up_to_now, limit), CAUSAL_ROWS, q, k, v, out)
    return out


@operation
def padded_attention_in_blocks(
    q: Float[Tensor, "batch *heads n_q d_k"],
    k: Float[Tensor, "batch *heads n_k d_k"],
    v: Float[Tensor, "batch *heads n_k d_v"],
    valid_lens: Integer[Tensor, "batch"],
) -> Float[Tensor, "batch *heads n_q d_v"]:
    """`scaled_dot_product_attention` with a padding mask; the padding is cut off, not computed.

    Returns a tensor of shape (batch, ..., n_q, d_v). Raises ValueError if a length is negative or
    larger than n_k.
    """
    padding_mask(valid_lens, k.shape[-2])  # refuses wrong lengths
    out = q.new_empty(*q.shape[:-1], v.shape[-1])
    for i, n in enumerate(valid_lens.tolist()):
        _first_keys_in_blocks(n, q[i], k[i], v[i], out[i])
    return out


def _first_keys_in_blocks(n, q, k, v, out):
    """Over the first n keys, and a few hidden ones: whole vectors are faster than a remainder."""
    whole = -(-n // VECTOR) * VECTOR
    k, v = k[..., :whole, :], v[..., :whole, :]
    if _needs_care(q, k, v):
        out.copy_(scaled_dot_product_attention(q, k[..., :n, :], v[..., :n, :]))
    else:
        _in_blocks(functools.partial(_first_keys, n), ROWS, q, k, v, out)


def _needs_care(*inputs):
    """Whether the readable form has to do it. A sum is finite only if all of its terms are."""
    if torch.compiler.is_compiling() or min(x.numel() for x in inputs) == 0:
        return True
    if torch.is_grad_enabled() and any(x.requires_grad for x in inputs):
        return True
    return not all(torch.isfinite(x.sum()) for x in inputs)


def _in_blocks(write_rows, rows, q, k, v, out):
    """As many heads together as fit into the cache, for long sequences one."""
    group = max(1, CACHED // (rows * k.shape[-2]))
    buffer = q.new_empty(group * rows * k.shape[-2])
    flat = (x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:]) for x in (q, k, v, out))
    for heads in zip(*(x.split(group) for x in flat), strict=True):
        write_rows(*heads, buffer)


def _first_keys(n, q, k, v, out, buffer):
    for block, out_block in zip(q.split(ROWS, 1), out.split(ROWS, 1), strict=True):
        scores = _scores(block, k, buffer)
        scores[..., n:] = -torch.inf
        out_block.copy_(torch.bmm(torch.softmax(scores, -1, out=scores), v))


def _keys_up_to_now(limit, q, k, v, out, buffer):
    ahead = k.shape[1] - q.shape[1]  # query i sees the keys up to i + ahead
    out[:, : max(0, -ahead)] = 0  # these queries stand before the first key
    for start in range(max(0, -ahead), q.shape[1], len(limit)):
        block = q[:, start : start + len(limit)]
        n = block.shape[1]
        seen = start + n + ahead
        scores = _scores(block, k[:, :seen], buffer)
        diagonal = scores[..., -n:]
        torch.minimum(diagonal, limit[:n, :n], out=diagonal)
        weights = torch.softmax(scores, -1, out=scores)
        out[:, start : start + n] = torch.bmm(weights, v[:, :seen])


def _scores(q, k, buffer):
    """Scaled scores, written into the buffer."""
    shape = len(q), q.shape[1], k.shape[1]
    out = buffer[: math.prod(shape)].view(shape)
    return torch.baddbmm(out, q, k.mT, beta=0, alpha=q.shape[-1] ** -0.5, out=out)
