"""What one rank computes alone: its queries against one block of keys, forward and backward.

The same steps as in `attnbook.online`, from some keys at a time: no matrix of all the weights.
Heads may share keys and values, and short floats are computed in float32. On a GPU, short floats of
one dtype go to `attnbook.kernels`, if that is there.
"""

import torch
from jaxtyping import Float as AnyFloat
from torch import Tensor

from attnbook.checks import heads_of_keys, resolve_scale
from attnbook.operation import Scalar
from attnbook.pytorch.online import merge
from attnbook.pytorch.operation import Float, check_shapes
from attnbook.pytorch.options import no_kernel
from attnbook.pytorch.products import visible_sum

KEYS = 1024  # in a block


@check_shapes
def attend(
    q: Float[Tensor, "*batch n_heads n_q d_k"],
    k: Float[Tensor, "*batch n_kv_heads n_k d_k"],
    v: Float[Tensor, "*batch n_kv_heads n_k d_v"],
    causal: bool = False,
    scale: Scalar | None = None,
) -> tuple[AnyFloat[Tensor, "*batch n_heads n_q d_v"], AnyFloat[Tensor, "*batch n_heads n_q"]]:
    """Attention, and the log-sum-exp of each query's scores, from 1024 keys at a time.

        out = softmax(S) v,    L_i = log Σ_j exp(S_ij),    j visible;  S = scale · q kᵀ

    With `causal` the last query sees the last key. The heads of k and v serve as many neighbouring
    heads of q each. Returns the output and L, in natural logarithms, both in float32 at least, so
    that blocks can be merged. Raises ValueError if n_kv_heads does not divide n_heads.

    Source: Rabe and Staats (2021), section 2.
    """
    heads_of_keys(q, k)
    if (kernels := _kernels(q, k, v)) is not None:
        out, lse = kernels.flash_attention_with_lse(q, k, v, causal=causal, scale=scale)
        return out.float(), lse
    q, k, v = _grouped(q, k, v)
    scale = resolve_scale(scale, q.shape[-1])
    out, lse = empty_state(q, v)
    for keys, rows, seen in _blocks(q.shape[-2], k.shape[-2], causal, q.device):
        scores = scale * q[..., rows, :] @ k[..., keys, :].mT
        scores = scores if seen is None else torch.where(seen, scores, -torch.inf)
        part = torch.logsumexp(scores, dim=-1)
        shift = torch.where(torch.isfinite(part), part, 0)[..., None]
        mixed = _mixed(torch.exp(scores - shift), v[..., keys, :], seen)
        merge_(out, lse, rows, mixed, part)
    return out.flatten(-4, -3), lse.flatten(-3, -2)


@check_shapes
def attend_backward(
    grad_out: Float[Tensor, "*batch n_heads n_q d_v"],
    q: Float[Tensor, "*batch n_heads n_q d_k"],
    k: Float[Tensor, "*batch n_kv_heads n_k d_k"],
    v: Float[Tensor, "*batch n_kv_heads n_k d_v"],
    out: Float[Tensor, "*batch n_heads n_q d_v"],
    lse: Float[Tensor, "*batch n_heads n_q"],
    causal: bool = False,
    scale: Scalar | None = None,
) -> tuple[
    AnyFloat[Tensor, "*batch n_heads n_q d_k"],
    AnyFloat[Tensor, "*batch n_kv_heads n_k d_k"],
    AnyFloat[Tensor, "*batch n_kv_heads n_k d_v"],
]:
    """The gradients of queries, keys and values, from the output and L alone.

        A = exp(S - L),    grad_S = A ∘ (grad_O vᵀ - rowsum(grad_O ∘ O))

    `out` and `lse` may be those of more keys than are given here, as they are on a ring: then these
    keys and values get their whole gradient from these queries, and the queries a part of theirs.
    Returns the gradients, in float32 at least, so that parts can be added.

    Source: Dao et al. (2022), appendix B.4, algorithm 4.
    """
    heads_of_keys(q, k)
    if (kernels := _kernels(q, k, v)) is not None:
        given = grad_out.to(q.dtype), q, k, v, out.to(q.dtype), lse.float()
        grads = kernels.flash_attention_backward(*given, causal=causal, scale=scale)
        return tuple(grad.float() for grad in grads)
    return _backward(grad_out, q, k, v, out, lse, causal, scale)


def _backward(grad_out, q, k, v, out, lse, causal, scale):
    q, k, v, grad_out, out, lse = _grouped(q, k, v, grad_out, out, lse[..., None])
    scale = resolve_scale(scale, q.shape[-1])
    delta = (grad_out * out).sum(dim=-1, keepdim=True)
    shift = torch.where(lse == -torch.inf, 0, lse)  # a row of NaN stays one
    grad_q, grad_k, grad_v = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for keys, rows, seen in _blocks(q.shape[-2], k.shape[-2], causal, q.device):
        q_i, g_i, k_j, v_j = (
            q[..., rows, :],
            grad_out[..., rows, :],
            k[..., keys, :],
            v[..., keys, :],
        )
        weights = _shown(torch.exp(scale * q_i @ k_j.mT - shift[..., rows, :]), seen)
        grad_scores = scale * _shown(weights * (g_i @ v_j.mT - delta[..., rows, :]), seen)
        grad_q[..., rows, :] += _mixed(grad_scores, k_j, seen)
        seen = seen if seen is None else seen.mT
        grad_k[..., keys, :] = _mixed(grad_scores.mT, q_i, seen).sum(dim=-3, keepdim=True)
        grad_v[..., keys, :] = _mixed(weights.mT, g_i, seen).sum(dim=-3, keepdim=True)
    return grad_q.flatten(-4, -3), grad_k.squeeze(-3), grad_v.squeeze(-3)


def empty_state(q, v):
    """Output 0 and L = -inf for each query: what `merge` leaves as the other block has it."""
    wide = torch.promote_types(q.dtype, torch.float32)
    out = q.new_zeros((*q.shape[:-1], v.shape[-1]), dtype=wide)
    return out, q.new_full(q.shape[:-1], -torch.inf, dtype=wide)


def merge_(out, lse, rows, part_out, part_lse):
    """Merge a block into these rows of what has been seen so far; in place."""
    merged = merge(out[..., rows, :], lse[..., rows], part_out, part_lse)
    out[..., rows, :], lse[..., rows] = merged


def _grouped(q, k, v, *of_queries):
    """In float32 at least, with an axis for the heads of q that share a head of k and v."""
    wide = torch.promote_types(q.dtype, torch.float32)
    heads = k.shape[-3], q.shape[-3] // k.shape[-3]
    q, *of_queries = (x.to(wide).unflatten(-3, heads) for x in (q, *of_queries))
    return q, k.to(wide).unsqueeze(-3), v.to(wide).unsqueeze(-3), *of_queries


def _blocks(n_q, n_k, causal, device):
    """Blocks of keys, the queries that see any of them, and a mask where some are hidden."""
    ahead = n_k - n_q
    for start in range(0, n_k, KEYS):
        keys = slice(start, min(start + KEYS, n_k))
        rows = slice(max(0, start - ahead) if causal else 0, n_q)
        hidden = causal and rows.start + ahead < keys.stop - 1
        if rows.start < n_q:
            own = torch.arange(rows.start, n_q, device=device)[:, None] + ahead
            yield (
                keys,
                rows,
                torch.arange(start, keys.stop, device=device) <= own if hidden else None,
            )


def _shown(x, seen):
    return x if seen is None else torch.where(seen, x, 0)


def _mixed(weights, v, seen):
    return weights @ v if seen is None else visible_sum(weights, v, seen)


def _kernels(q, k, v):
    """The book's kernels, if these tensors are for them: short floats on a GPU."""
    if q.dtype == torch.float32 or no_kernel(q, k, v) is not None:
        return None
    from attnbook import kernels

    return kernels
