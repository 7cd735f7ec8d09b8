"""Attention without the whole matrix of scores: some rows of it at a time, in one piece of memory.

The readable form writes all n_q · n_k scores to main memory and reads them back, several times.
Here as many rows are computed at once as a processor core keeps in its own cache, and each block of
them goes from scores to output before the next begins. That saves most of the traffic, and lets
each block leave out keys: those in a causal row's future, and those past a valid length.

These are forward passes. Where a gradient is wanted, where a number is not finite, on every device
but the processor, and where there are no numbers to look at (under `torch.compile`, vmap, a tracer,
in fake tensors), the readable form does the work.
"""

import functools
import math

import torch
from jaxtyping import Integer
from torch import Tensor

from attnbook.pytorch.masks import causal_mask, padding_mask, refuse_lengths
from attnbook.pytorch.online import attention_with_lse
from attnbook.pytorch.operation import Float, check_and_cast, has_values

CACHED = 2**18  # scores at once: 1 MiB of float32
FEWEST_ROWS, MOST_ROWS = 256, 1024  # between them, as many as the cache holds
CAUSAL_ROWS = 64  # fewer: of the square at the diagonal, half is computed for nothing
VECTOR = 16  # numbers that a processor works on at once


@check_and_cast
def attention_tiled(
    q: Float[Tensor, "*batch n_q d_k"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
) -> tuple[Float[Tensor, "*batch n_q d_v"], Float[Tensor, "*batch n_q"]]:
    """`scaled_dot_product_attention(q, k, v)` and L, in blocks of 256 to 1024 queries.

        out = softmax(S) v,    L_i = log Σ_j exp(S_ij),    S = q kᵀ / √d_k

    Returns the output (..., n_q, d_v) and L (..., n_q), as `attnbook.tiled.attention_tiled` does.
    """
    if not _is_for_tiles(q, k, v):
        return attention_with_lse(q, k, v)
    out, lse = _empty_outputs(q, v)
    _over_first_keys(k.shape[-2], q, k, v, out, lse)
    return out, lse


@check_and_cast
def causal_attention_tiled(
    q: Float[Tensor, "*batch n_q d_k"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
) -> tuple[Float[Tensor, "*batch n_q d_v"], Float[Tensor, "*batch n_q"]]:
    """`attention_tiled` with a causal mask; each block takes only the keys it sees.

    Returns the output (..., n_q, d_v) and L (..., n_q): zeros and -inf for queries before the first
    key.
    """
    if _is_for_tiles(q, k, v):
        out, lse = _empty_outputs(q, v)
        future = torch.ones(CAUSAL_ROWS, CAUSAL_ROWS, dtype=torch.bool, device=q.device).triu(1)
        limit = torch.where(future, -torch.inf, torch.inf).to(q.dtype)
        compute = functools.partial(_keys_up_to_now, limit)
        if _over_heads(compute, CAUSAL_ROWS, q, k, v, out, lse):
            return out, lse
    return attention_with_lse(q, k, v, causal_mask(q.shape[-2], k.shape[-2], q.device))


@check_and_cast
def padded_attention_tiled(
    q: Float[Tensor, "batch *heads n_q d_k"],
    k: Float[Tensor, "batch *heads n_k d_k"],
    v: Float[Tensor, "batch *heads n_k d_v"],
    valid_lens: Integer[Tensor, "batch"],
) -> tuple[Float[Tensor, "batch *heads n_q d_v"], Float[Tensor, "batch *heads n_q"]]:
    """`attention_tiled` with a padding mask; the padding is cut off, not computed.

    Returns the output (batch, ..., n_q, d_v) and L (batch, ..., n_q): zeros and -inf for a sequence
    of length 0. Raises ValueError if a length is negative or larger than n_k.
    """
    refuse_lengths(valid_lens, k.shape[-2])
    if not _is_for_tiles(q, k, v, valid_lens):
        mask, heads = padding_mask(valid_lens, k.shape[-2]), [1] * (q.ndim - 3)
        return attention_with_lse(q, k, v, mask.reshape(len(q), *heads, *mask.shape[1:]))
    out, lse = _empty_outputs(q, v)
    for i, n in enumerate(valid_lens.tolist()):
        _over_first_keys(n, q[i], k[i], v[i], out[i], lse[i])
    return out, lse


def _empty_outputs(q, v):
    return q.new_empty(*q.shape[:-1], v.shape[-1]), q.new_empty(q.shape[:-1])


def _over_first_keys(n, q, k, v, out, lse):
    """Over n keys, and a few hidden ones: whole vectors are faster than what remains of one."""
    whole = -(-n // VECTOR) * VECTOR
    rows = min(max(FEWEST_ROWS, CACHED // max(whole, 1)), MOST_ROWS)
    compute = functools.partial(_first_keys, n, rows)
    if not _over_heads(compute, rows, q, k[..., :whole, :], v[..., :whole, :], out, lse):
        out[...], lse[...] = attention_with_lse(q, k[..., :n, :], v[..., :n, :])


def _is_for_tiles(*inputs):
    if torch.compiler.is_compiling() or not all(map(has_values, inputs)):
        return False
    return not (torch.is_grad_enabled() and any(x.requires_grad for x in inputs))


def _over_heads(compute, rows, q, k, v, out, lse):
    """As many heads at once as fit into the cache, for long sequences one.

    Returns whether the result stands. NaN and infinity among what is visible, and a product that
    overflows, show in it, or in q and k; a sum is finite only if all of its terms are.
    """
    if not _is_for_tiles(q, k, v):
        return False
    rows = min(rows, q.shape[-2])
    group = max(1, min(math.prod(q.shape[:-2]), CACHED // (rows * k.shape[-2])))
    buffer = q.new_empty(group * rows * k.shape[-2])
    given = q, k, v, out, lse[..., None]
    flat = (x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:]) for x in given)
    for heads in zip(*(x.split(group) for x in flat), strict=True):
        compute(*heads, buffer)
    return all(torch.isfinite(x.sum()) for x in (q, k, out))


def _first_keys(n, rows, q, k, v, out, lse, buffer):
    for block, *results in zip(*(x.split(rows, 1) for x in (q, out, lse)), strict=True):
        scores = _scores(block, k, buffer)
        scores[..., n:] = -torch.inf
        _mix(scores, v, *results)


def _keys_up_to_now(limit, q, k, v, out, lse, buffer):
    ahead = k.shape[1] - q.shape[1]  # query i sees the keys up to i + ahead
    n_empty = max(0, -ahead)  # queries before the first key
    out[:, :n_empty], lse[:, :n_empty] = 0, -torch.inf
    for start in range(n_empty, q.shape[1], CAUSAL_ROWS):
        block = q[:, start : start + CAUSAL_ROWS]
        n = block.shape[1]
        seen = start + n + ahead
        scores = _scores(block, k[:, :seen], buffer)
        at_diagonal = scores[..., -n:]
        torch.minimum(at_diagonal, limit[:n, :n], out=at_diagonal)  # faster than a boolean mask
        _mix(scores, v[:, :seen], out[:, start : start + n], lse[:, start : start + n])


def _scores(q, k, buffer):
    """Scaled scores, in units of log 2, for powers of 2.

    Half of 512 · 512 scores -inf: 3600 µs for their powers of e, 150 µs for those of 2; all of them
    near 0: 100 µs and 140 µs (PyTorch 2.13, one thread of an Intel Xeon).
    """
    shape = len(q), q.shape[1], k.shape[1]
    scale = q.shape[-1] ** -0.5 / math.log(2)
    out = buffer[: math.prod(shape)].view(shape)
    return torch.baddbmm(out, q, k.mT, beta=0, alpha=scale, out=out)


def _mix(scores, v, out, lse):
    """softmax(scores) v, where the sum divides d_v numbers a row and not n_k; and L."""
    top = scores.amax(dim=-1, keepdim=True)
    exp = scores.sub_(top).exp2_()
    total = exp.sum(dim=-1, keepdim=True)
    torch.div(torch.bmm(exp, v), total, out=out)
    torch.mul(top + torch.log2(total), math.log(2), out=lse)
