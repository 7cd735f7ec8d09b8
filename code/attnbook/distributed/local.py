"""What one rank computes alone: its queries against one block of keys, forward and backward.

On a GPU, short floats of one dtype go to `attnbook.kernels`, if that is there; everything else to
the loop of `attnbook.pytorch.online`.
"""

import torch
from jaxtyping import Float as AnyFloat
from torch import Tensor

from attnbook.checks import heads_of_keys
from attnbook.operation import Scalar
from attnbook.pytorch.online import attention_blockwise, attention_blockwise_backward
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
    """`attention_blockwise`, by the kernels where they take such tensors.

    Returns the output and L, in natural logarithms, both in float32 at least, so that blocks can be
    merged. Raises ValueError if n_kv_heads does not divide n_heads.
    """
    heads_of_keys(q, k)
    if (kernels := _kernels(q, k, v)) is not None:
        out, lse = kernels.flash_attention_with_lse(q, k, v, causal=causal, scale=scale)
        return out.float(), lse
    return attention_blockwise(q, k, v, causal, scale)


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
    """`attention_blockwise_backward`, by the kernels where they take such tensors.

    Returns the gradients of q, k and v, in float32 at least, so that parts can be added. Raises
    ValueError if n_kv_heads does not divide n_heads.
    """
    heads_of_keys(q, k)
    if (kernels := _kernels(q, k, v)) is not None:
        given = grad_out.to(q.dtype), q, k, v, out.to(q.dtype), lse.float()
        grads = kernels.flash_attention_backward(*given, causal=causal, scale=scale)
        return tuple(grad.float() for grad in grads)
    return attention_blockwise_backward(grad_out, q, k, v, out, lse, causal, scale)


def _kernels(q, k, v):
    """The book's kernels, if these tensors are for them: short floats on a GPU."""
    if q.dtype == torch.float32 or no_kernel(q, k, v) is not None:
        return None
    from attnbook import kernels

    return kernels
