"""Attention one block of keys at a time, on tensors: no matrix of all the weights.

`attention_with_lse` and `merge` are those of `attnbook.online`. The loop that merges, forward and
backward, is for long sequences: it takes no mask, which would be as large as all the weights, but
`causal`; heads may share keys and values; and short floats come back in float32, so that what
several calls found can be merged or added.
"""

import torch
from jaxtyping import Bool
from jaxtyping import Float as AnyFloat
from torch import Tensor

from attnbook.checks import heads_of_keys, resolve_scale
from attnbook.operation import Scalar
from attnbook.pytorch.attention import weighted_sum
from attnbook.pytorch.operation import Float, check_and_cast, check_shapes
from attnbook.pytorch.products import visible_sum
from attnbook.pytorch.scores import dot_product_scores
from attnbook.pytorch.softmax import softmax_with_lse

KEYS = 1024  # in a block


@check_and_cast
def attention_with_lse(
    q: Float[Tensor, "*batch n_q d_k"],
    k: Float[Tensor, "*batch n_k d_k"],
    v: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Tensor, "*#batch #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
) -> tuple[Float[Tensor, "*batch n_q d_v"], Float[Tensor, "*batch n_q"]]:
    """Attention, and the log-sum-exp of each query's scores, as `attnbook.online`'s.

        out = softmax(S) v,    L_i = log Σ_j exp(S_ij),    j visible

    The arguments are those of `scaled_dot_product_attention`. Returns the output (..., n_q, d_v)
    and L (..., n_q), in natural logarithms; both have gradients.
    """
    scores = dot_product_scores(q, k, scale)
    scores = scores if bias is None else scores + bias
    weights, lse = softmax_with_lse(scores, mask)
    return weighted_sum(weights, v, mask), lse


@check_shapes
def merge(
    out_a: Float[Tensor, "*batch n_q d_v"],
    lse_a: Float[Tensor, "*batch n_q"],
    out_b: Float[Tensor, "*batch n_q d_v"],
    lse_b: Float[Tensor, "*batch n_q"],
) -> tuple[AnyFloat[Tensor, "*batch n_q d_v"], AnyFloat[Tensor, "*batch n_q"]]:
    """The output and the log-sum-exp of two blocks of keys together, as `attnbook.online.merge`.

        L = log(exp L_a + exp L_b),    out = exp(L_a - L) out_a + exp(L_b - L) out_b

    Returns both. Where neither block shows anything, L = -inf, and out = 0.

    Source: Milakov and Gimelshein (2018); for outputs Rabe and Staats (2021).
    """
    top = torch.maximum(lse_a, lse_b)
    shift = torch.where(torch.isfinite(top), top, 0)  # -inf - (-inf) would be NaN
    share_a, share_b = torch.exp(lse_a - shift), torch.exp(lse_b - shift)
    total = share_a + share_b
    out = share_a[..., None] * out_a + share_b[..., None] * out_b
    return out / torch.where(total == 0, 1, total)[..., None], shift + torch.log(total)


@check_shapes
def attention_blockwise(
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
def attention_blockwise_backward(
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
    q, k, v, grad_out, out, lse = _grouped(q, k, v, grad_out, out, lse[..., None])
    scale = resolve_scale(scale, q.shape[-1])
    delta = (grad_out * out).sum(dim=-1, keepdim=True)
    shift = torch.where(lse == -torch.inf, 0, lse)  # a row of NaN stays one
    grad_q, grad_k, grad_v = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for keys, rows, seen in _blocks(q.shape[-2], k.shape[-2], causal, q.device):
        q_i, g_i = q[..., rows, :], grad_out[..., rows, :]
        k_j, v_j = k[..., keys, :], v[..., keys, :]
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
            seen = torch.arange(start, keys.stop, device=device) <= own if hidden else None
            yield keys, rows, seen


def _shown(x, seen):
    return x if seen is None else torch.where(seen, x, 0)


def _mixed(weights, v, seen):
    return weights @ v if seen is None else visible_sum(weights, v, seen)
