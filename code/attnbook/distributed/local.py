"""What one rank computes alone: its queries against one block of keys, forward and backward.

On a GPU, short floats of one dtype go to `attnbook.kernels`, if that is there; everything else to
the loop of `blockwise`.
"""

import torch
from jaxtyping import Float as AnyFloat
from torch import Tensor

from attnbook.checks import heads_of_keys
from attnbook.distributed import blockwise
from attnbook.operation import Scalar
from attnbook.pytorch.operation import Float, check_shapes
from attnbook.pytorch.options import no_kernel


@check_shapes
def attend(
    q: Float[Tensor, "*batch n_heads n_q d_k"],
    k: Float[Tensor, "*batch n_kv_heads n_k d_k"],
    v: Float[Tensor, "*batch n_kv_heads n_k d_v"],
    causal: bool = False,
    scale: Scalar | None = None,
) -> tuple[AnyFloat[Tensor, "*batch n_heads n_q d_v"], AnyFloat[Tensor, "*batch n_heads n_q"]]:
    """Attention of a rank's queries over a block of keys, and the log-sum-exp of their scores.

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
    return blockwise.forward(q, k, v, causal, scale)


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
    Returns the gradients, in float32 at least, so that parts can be added. Raises ValueError if
    n_kv_heads does not divide n_heads.

    Source: Dao et al. (2022), appendix B.4, algorithm 4.
    """
    heads_of_keys(q, k)
    if (kernels := _kernels(q, k, v)) is not None:
        given = grad_out.to(q.dtype), q, k, v, out.to(q.dtype), lse.float()
        grads = kernels.flash_attention_backward(*given, causal=causal, scale=scale)
        return tuple(grad.float() for grad in grads)
    return blockwise.backward(grad_out, q, k, v, out, lse, causal, scale)


def _kernels(q, k, v):
    """The book's kernels, if these tensors are for them: short floats on a GPU."""
    if q.dtype == torch.float32 or no_kernel(q, k, v) is not None:
        return None
    from attnbook import kernels

    return kernels
