"""Attention with the heads shared out: two exchanges, and whole sequences between them.

For contrast with the ring. Every rank gives each other rank the positions that it keeps of that
rank's heads, computes its own heads over the whole sequence, and the outputs go back.
"""

import torch
import torch.distributed as dist
from jaxtyping import Float as AnyFloat
from torch import Tensor

from attnbook.distributed.attention import RingAttention
from attnbook.distributed.placement import join_sequence, split_sequence
from attnbook.distributed.ring import Ring
from attnbook.operation import Scalar
from attnbook.pytorch.operation import Float, check_shapes


@check_shapes
def head_parallel_attention(
    q: Float[Tensor, "*batch n_heads n d_k"],
    k: Float[Tensor, "*batch n_kv_heads n d_k"],
    v: Float[Tensor, "*batch n_kv_heads n d_v"],
    causal: bool = False,
    placement: str = "zigzag",
    scale: Scalar | None = None,
    group=None,
) -> AnyFloat[Tensor, "*batch n_heads n d_v"]:
    """The result of `ring_attention`, by an all-to-all exchange of heads for positions and back.

    Arguments and result are those of `ring_attention`; whatever the placement, every rank has the
    same to do. Differentiable. Raises ValueError if the ranks do not divide both numbers of heads.

    Source: Jacobs et al. (2023), section 3.1, under the name of DeepSpeed Ulysses.
    """
    ring = Ring.of(group)
    for name, x in {"q": q, "k": k, "v": v}.items():
        if x.shape[-3] % ring.n_ranks:
            raise ValueError(
                f"{name} has {x.shape[-3]} heads; expected a multiple of the {ring.n_ranks} ranks"
            )
    whole = [heads_for_positions(x, ring, placement) for x in (q, k, v)]
    out = RingAttention.apply(*whole, Ring(), causal, placement, scale)
    return positions_for_heads(out, ring, placement)


def heads_for_positions(x, ring, placement):
    """(..., heads, n / w, d), all heads of some positions, to (..., heads / w, n, d)."""
    out = torch.stack(x.chunk(ring.n_ranks, dim=-3))
    return join_sequence(list(_exchange(out, ring)), placement)


def positions_for_heads(x, ring, placement):
    """(..., heads / w, n, d), some heads of all positions, to (..., heads, n / w, d)."""
    out = torch.stack(split_sequence(x, ring.n_ranks, placement))
    return torch.cat(list(_exchange(out, ring)), dim=-3)


def _exchange(x, ring):
    return x if ring.n_ranks == 1 else _Exchange.apply(x, ring.group)


class _Exchange(torch.autograd.Function):
    """Row p of rank r becomes row r of rank p; so its gradient is the same exchange."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group, out = group, torch.empty_like(x, memory_format=torch.contiguous_format)
        dist.all_to_all_single(out, x.contiguous(), group=group)
        return out

    @staticmethod
    def backward(ctx, grad):
        return _Exchange.apply(grad, ctx.group), None
