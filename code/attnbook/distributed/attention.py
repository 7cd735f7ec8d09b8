"""Attention over a ring: queries stay, keys and values go round.

Each rank keeps some positions of the sequence: their queries, keys and values. In w steps every
block of keys and values visits every rank, which merges what its queries find there.
"""

import torch
from jaxtyping import Float as AnyFloat
from torch import Tensor

from attnbook.checks import one_of
from attnbook.distributed.blockwise import empty_state, merge_
from attnbook.distributed.local import attend, attend_backward
from attnbook.distributed.placement import PLACEMENTS, visible_slices
from attnbook.distributed.ring import Ring
from attnbook.operation import Scalar
from attnbook.pytorch.operation import Float, check_shapes


@check_shapes
def ring_attention(
    q: Float[Tensor, "*batch n_heads n d_k"],
    k: Float[Tensor, "*batch n_kv_heads n d_k"],
    v: Float[Tensor, "*batch n_kv_heads n d_v"],
    causal: bool = False,
    placement: str = "zigzag",
    scale: Scalar | None = None,
    group=None,
) -> AnyFloat[Tensor, "*batch n_heads n d_v"]:
    """Attention of this rank's queries over the keys and values of all ranks. Differentiable.

        (out, L) = merge over the ranks p of softmax(q k_pᵀ) v_p

    Parameters
    ----------
    q, k, v
        This rank's n positions, as `split_sequence` gives them: as many on every rank. Each head of
        k and v may serve several neighbouring heads of q.
    causal
        Whether a query sees only positions up to its own.
    placement
        "zigzag" or "contiguous": how the sequence was split. Without `causal` it does not matter.
    group
        The processes of the ring; None is all of them.

    Returns
    -------
    The output for this rank's queries, in the dtype of q.

    Every rank must make the same calls in the same order, backward too. Raises ValueError for an
    unknown placement or, with zigzag, an odd number of positions; RankLost if a neighbour has ended
    or does not answer within the time-out of the group.

    Source: Liu, Zaharia and Abbeel (2023), algorithm 1; the zigzag xrennvidia (2023), named by
    zhuzilin (2024).
    """
    return RingAttention.apply(q, k, v, Ring.of(group), causal, _fit(q, placement), scale)


def _fit(q, placement):
    one_of(PLACEMENTS, placement=placement)
    if placement == "zigzag" and q.shape[-2] % 2:
        raise ValueError(
            f"q has {q.shape[-2]} positions; expected an even number, an early and "
            "a late piece of the same length"
        )
    return placement


def forward(q, k, v, ring, causal, placement, scale):
    """This rank's output and L."""
    n, (out, lse) = q.shape[-2], empty_state(q, v)
    for source, (k_s, v_s) in ring.blocks(k, v):
        for rows, keys, cut in visible_slices(ring.rank, source, n, causal, placement):
            q_i, k_j, v_j = q[..., rows, :], k_s[..., keys, :], v_s[..., keys, :]
            part_out, part_lse = attend(q_i, k_j, v_j, causal=cut, scale=scale)
            merge_(out, lse, rows, part_out, part_lse)
    return out, lse


def backward(grad_out, q, k, v, out, lse, ring, causal, placement, scale):
    """The gradients of this rank's queries, keys and values.

    Those of keys and values travel with their blocks, a step behind, and each rank adds its part.
    """
    n, grad_q, transfer = q.shape[-2], q.new_zeros(q.shape, dtype=out.dtype), None
    for source, (k_s, v_s) in ring.blocks(k, v):
        grads = [x.new_zeros(x.shape, dtype=out.dtype) for x in (k_s, v_s)]
        for rows, keys, cut in visible_slices(ring.rank, source, n, causal, placement):
            grad_i, q_i, out_i = (x[..., rows, :] for x in (grad_out, q, out))
            k_j, v_j, lse_i = k_s[..., keys, :], v_s[..., keys, :], lse[..., rows]
            part, *parts = attend_backward(grad_i, q_i, k_j, v_j, out_i, lse_i, cut, scale)
            grad_q[..., rows, :] += part
            for grad, part in zip(grads, parts, strict=True):
                grad[..., keys, :] = part
        if transfer is not None:
            pairs = zip(grads, transfer.wait(), strict=True)
            grads = [mine + so_far for mine, so_far in pairs]
        transfer = ring.send(*grads)
    return grad_q, *transfer.wait()


class RingAttention(torch.autograd.Function):
    """The output, and how autograd goes back."""

    @staticmethod
    def forward(ctx, q, k, v, *how):
        out, lse = forward(q, k, v, *how)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.how = how
        return out.to(q.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_out):
        q, k, v, out, lse = ctx.saved_tensors
        grads = backward(grad_out, q, k, v, out, lse, *ctx.how)
        given = zip(grads, (q, k, v), strict=True)
        return *(grad.to(x.dtype) for grad, x in given), None, None, None, None
