"""What a rank computes without kernels: a loop over blocks of keys, forward and backward.

It keeps no matrix of all the weights, and takes no mask, which would be as large, but `causal`.
"""

import torch

from attnbook.checks import resolve_scale
from attnbook.pytorch.online import merge
from attnbook.pytorch.products import visible_sum
from attnbook.pytorch.weights import softmax_with_lse

KEYS = 1024  # in a block


def forward(q, k, v, causal, scale):
    """The output and L: every block's part is merged into those before it."""
    q, k, v = _grouped(q, k, v)
    scale = resolve_scale(scale, q.shape[-1])
    out, lse = empty_state(q, v)
    for keys, rows, seen in _blocks(q.shape[-2], k.shape[-2], causal, q.device):
        scores = scale * q[..., rows, :] @ k[..., keys, :].mT
        weights, part = softmax_with_lse(scores, seen)
        merge_(out, lse, rows, _mixed(weights, v[..., keys, :], seen), part)
    return out.flatten(-4, -3), lse.flatten(-3, -2)


def backward(grad_out, q, k, v, out, lse, causal, scale):
    """The gradients of q, k and v: those of queries are added up over the blocks."""
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
