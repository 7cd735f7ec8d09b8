"""The public functions: arguments validated, brought to one form, and passed to the kernels."""

from numbers import Integral

import torch
from jaxtyping import Float32, Integer
from torch import Tensor

from attnbook.kernels.arguments import in_autocast, one_batch, padded, validated
from attnbook.kernels.operators import attend, attend_backward
from attnbook.operation import Scalar, called_as
from attnbook.pytorch.operation import Float, check_shapes
from attnbook.pytorch.options import Options
from attnbook.pytorch.rules import Rule


@check_shapes
def flash_attention(
    q: Float[Tensor, "*batch n_heads n_q d"],
    k: Float[Tensor, "*batch n_kv_heads n_k d"],
    v: Float[Tensor, "*batch n_kv_heads n_k d"],
    *,
    causal: bool = False,
    window: Integral | None = None,
    valid_lens: Integer[Tensor, "batch"] | None = None,
    rule: Rule | None = None,
    softcap: Scalar | None = None,
    bias: Float[Tensor, "... #n_q #n_k"] | None = None,
    scale: Scalar | None = None,
) -> Float[Tensor, "*batch n_heads n_q d"]:
    """Attention in one kernel, which never writes scores or weights to memory.

        out = softmax(c · tanh(scale · q kᵀ / c) + bias) v    over the visible keys

    without c and tanh where `softcap` is None. The arguments are explained at the top of the page.

    Returns the output, in the dtype of q, and zeros where a query sees nothing. Raises TypeError if
    dtypes are not those, ValueError if a size, a number or a device is not,
    NotImplementedError if a bias or a gradient itself asks for a gradient, and on a Hopper GPU on
    the way back of float16 or bfloat16 with a bias.

    Its gradients are those of `flash_attention_backward`, with `atomic=True` on a Hopper GPU up to
    width 64 unless `torch.use_deterministic_algorithms` asks for the same bits twice.

    Source: Dao (2023), algorithms 1 and 2.
    """
    return _forward(q, k, v, causal, window, valid_lens, rule, softcap, bias, scale)[0]


@check_shapes
@called_as(flash_attention)
def flash_attention_with_lse(
    q, k, v, **options
) -> tuple[Float[Tensor, "*batch n_heads n_q d"], Float32[Tensor, "*batch n_heads n_q"]]:
    """`flash_attention`, and the log-sum-exp of each query's scores.

        L_i = log Σ_j exp(S_ij),    j visible

    Returns both, L in float32 and in natural logarithms, -inf where nothing is visible. With L the
    outputs of several sets of keys can be merged, as by `attnbook.online.merge`; it has a gradient.
    """
    return _forward(q, k, v, **options)


@check_shapes
def flash_attention_backward(
    grad_out: Float[Tensor, "*batch n_heads n_q d"],
    q: Float[Tensor, "*batch n_heads n_q d"],
    k: Float[Tensor, "*batch n_kv_heads n_k d"],
    v: Float[Tensor, "*batch n_kv_heads n_k d"],
    out: Float[Tensor, "*batch n_heads n_q d"],
    lse: Float32[Tensor, "*batch n_heads n_q"],
    *,
    causal: bool = False,
    window: Integral | None = None,
    valid_lens: Integer[Tensor, "batch"] | None = None,
    rule: Rule | None = None,
    softcap: Scalar | None = None,
    scale: Scalar | None = None,
    atomic: bool = False,
) -> tuple[
    Float[Tensor, "*batch n_heads n_q d"],
    Float[Tensor, "*batch n_kv_heads n_k d"],
    Float[Tensor, "*batch n_kv_heads n_k d"],
]:
    """The gradients of queries, keys and values, from the output and L alone.

        A = exp(S - L),    grad_S = A ∘ (grad_O vᵀ - rowsum(grad_O ∘ O)) ∘ ∂S/∂x

    and from grad_S as in `attnbook.gradients`, where x is the score before a soft cap. Returns
    them, of the shapes of q, k and v. The same arguments always give the same bits, unless
    `atomic` is True: then one kernel with five products of matrices takes the place of two with
    seven, whose programs add to the gradient of a query in main memory. No two runs share their
    order, so that its last digits differ from run to run.

    Source: Dao et al. (2022), appendix B.4, algorithm 4; Dao (2023), section 3.2, for `atomic`.
    """
    visible = {"causal": causal, "window": window, "valid_lens": valid_lens, "rule": rule}
    requested = Options(**visible, softcap=softcap, scale=scale)
    return _backward(grad_out, q, k, v, out, lse, requested, atomic)


def _forward(
    q, k, v, causal=False, window=None, valid_lens=None, rule=None, softcap=None, bias=None,
    scale=None,
):  # fmt: skip
    q, k, v = in_autocast(q, k, v)
    requested = Options(causal, window, valid_lens, rule, softcap, bias, scale)
    options = validated({"q": q, "k": k, "v": v}, requested)
    if options.bias is not None and options.bias.requires_grad and torch.is_grad_enabled():
        raise NotImplementedError("bias asks for a gradient; expected one without: bias.detach()")
    out, lse = attend(*(one_batch(padded(x)) for x in (q, k, v)), *options)
    return out[..., : q.shape[-1]].reshape(q.shape), lse.reshape(q.shape[:-1])


def _backward(grad_out, q, k, v, out, lse, requested, atomic):
    tensors = {"q": q, "k": k, "v": v, "out": out}
    options = validated(tensors | {"grad_out": grad_out, "lse": lse}, requested)
    grad_out, *tensors = (one_batch(padded(x)) for x in (grad_out, *tensors.values()))
    lse = lse.reshape(tensors[0].shape[:-1])
    grads = attend_backward(grad_out, None, *tensors, lse, atomic, *options)
    pairs = zip(grads, (q, k, v), strict=True)
    return tuple(grad[..., : x.shape[-1]].reshape(x.shape) for grad, x in pairs)
