"""Rules as kernels take them: the run of keys that each query sees, and who sees each block."""

import torch
import triton
from torch.nn.functional import pad

APART = (
    "rule has documents whose keys lie apart, or were not looked at when the rule was made; "
    "expected keys side by side: attnbook.fused.attention takes any"
)
TOGETHER = 64  # queries that are looked at as one


def runs(rule, q, k):
    """first and end of each query's keys, (batch, 2, n_q), for q and k of (..., heads, n, d).

    A query that sees nothing has its first at n_k, and its end at 0.
    """
    if not rule.is_run:
        raise ValueError(APART)
    n_q, n_k, lead = q.shape[-2], k.shape[-2], q.shape[:-3]
    first, end = rule.run(n_q, n_k, q.device)
    seen = first < end
    both = torch.stack([torch.where(seen, first, n_k), torch.where(seen, end, 0)], dim=-2)
    both = both if both.ndim == 2 else both[(slice(None), *[None] * (len(lead) - 1))]
    return both.expand(*lead, 2, n_q).reshape(-1, 2, n_q)


def table(runs, n_k, size):
    """The runs, and for each block of `size` keys the first and the end of the queries that see it.

    Returns (batch, 2 · n_q + 2 · blocks), of int32, from runs of (batch, 2, n_q).

    A group of queries counts as if it saw all keys from its first to its last: no query that sees a
    block is left out, and hardly any other is taken in where neighbours see nearly the same.
    """
    n_q, n_groups = runs.shape[-1], triton.cdiv(runs.shape[-1], TOGETHER)
    beyond = 0, n_groups * TOGETHER - n_q
    grouped = (n_groups, TOGETHER)
    first = pad(runs[:, 0], beyond, value=n_k).unflatten(-1, grouped).amin(-1)
    end = pad(runs[:, 1], beyond).unflatten(-1, grouped).amax(-1)
    blocks = torch.arange(0, n_k, size, device=runs.device)
    seen = (first[..., None] < blocks + size) & (blocks < end[..., None])
    group = torch.arange(n_groups, device=runs.device)[:, None]
    first = torch.where(seen, group, n_groups).amin(-2) * TOGETHER
    end = (torch.where(seen, group + 1, 0).amax(-2) * TOGETHER).clamp(max=n_q)
    return torch.cat([runs.flatten(1), first, end], dim=-1).to(torch.int32)
