"""What the kernels must give: the definition, in float64, on all the scores at once."""

import numpy as np
import torch

from attnbook import masks, reference
from attnbook.pytorch import rules

REFUSED = set()  # the fields of a rule under which the kernels refuse it


def visible(q, k, causal=False, window=None, valid_lens=None, rule=None):
    """The mask (batch or 1, 1, n_q, n_k) that the options of `flash_attention` stand for."""
    n_q, n_k = q.shape[-2], k.shape[-2]
    mask = np.ones((1, 1, n_q, n_k), bool)
    if causal:
        mask = mask & masks.causal_mask(n_q, n_k)
    if window is not None:
        mask = mask & masks.sliding_window_mask(n_q, n_k, window)
    if valid_lens is not None:
        mask = mask & masks.padding_mask(valid_lens.numpy(), n_k)[:, None]
    if rule is not None:  # whose masks are those of `attnbook.masks`, as `test_rules` proves
        by_rule = rule.mask(n_q, n_k).numpy()
        mask = mask & by_rule.reshape(-1, 1, n_q, n_k)
    return mask


def never_set(table):
    """The fields of a rule that no options of a table set: a mask that has one is not tried."""
    seen = "causal", "window", "valid_lens", "rule"
    made = [rules.of(**{name: x for name, x in each.items() if name in seen}) for each in table]
    fields = (field for rule in made for field in rule._asdict().items())
    return set(rules.Rule._fields) - REFUSED - {n for n, x in fields if rules.Rule(**{n: x}).hides}


def definition(q, k, v, *, softcap=None, bias=None, scale=None, **seen):
    """out, lse and scores of tensors (batch, heads, n, d), from `attnbook.reference`."""
    mask = visible(q, k, **seen)
    q, k, v = (x.double().numpy() for x in (q, k, v))
    k, v = (reference.repeat_heads(x, q.shape[1] // k.shape[1]) for x in (k, v))
    scores = reference.dot_product_scores(q, k, scale)
    scores = scores if softcap is None else softcap * np.tanh(scores / softcap)
    scores = scores if bias is None else scores + bias.double().numpy()
    mask = np.broadcast_to(mask, scores.shape)
    lse = reference.logsumexp(np.where(mask, scores, -np.inf))
    return reference.weighted_sum(reference.softmax(scores, mask), v, mask), lse, scores


def tolerance(dtype, scores, v):
    """How far two right answers may be apart.

    Scores are float32 in any dtype: one of size s is off by s eps, twice, since the maximum is
    rounded too, and its weight by as much, relatively. Weights and the output are rounded to the
    dtype, half an eps each. The output is a mean of values.
    """
    eps32, eps = (torch.finfo(x).eps for x in (torch.float32, dtype))
    return (2 * (np.abs(scores).max() + 2) * eps32 + eps) * float(v.abs().max())


def drawn(shape_q, shape_kv, dtype=torch.float32, seed=0, count=3):
    """Queries, keys and values, and further tensors of the shape of queries."""
    rng = torch.Generator().manual_seed(seed)
    shapes = [shape_q, shape_kv, shape_kv, *[shape_q] * (count - 3)]
    return [torch.randn(shape, generator=rng).to(dtype) for shape in shapes]


def gradients(grad_out, q, k, v, grad_lse=None, **options):
    """The gradients of q, k and v: autograd's, through the definition in float64."""
    q, k, v = (x.detach().double().requires_grad_() for x in (q, k, v))
    out, lse = differentiable(q, k, v, **options)
    total = (out * grad_out.double()).sum()
    if grad_lse is not None:
        total = total + torch.where(torch.isfinite(lse), lse * grad_lse.double(), 0.0).sum()
    return torch.autograd.grad(total, (q, k, v))


def differentiable(q, k, v, *, softcap=None, bias=None, scale=None, **seen):
    """`definition` on tensors, for autograd."""
    mask = torch.from_numpy(visible(q, k, **seen).copy())
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = scores if softcap is None else softcap * torch.tanh(scores / softcap)
    scores = scores if bias is None else scores + bias
    some = mask.any(-1, keepdim=True)  # a row of -inf alone would have gradients of NaN
    scores = torch.where(some, scores.masked_fill(~mask, -torch.inf), 0.0)
    lse = torch.logsumexp(scores, -1)
    return torch.where(some, torch.softmax(scores, -1), 0.0) @ v, torch.where(
        some[..., 0], lse, -torch.inf
    )
