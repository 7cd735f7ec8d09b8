"""The kernels as operators of PyTorch, which `torch.compile` keeps whole, and autograd knows."""

import torch
from torch import Tensor

from attnbook.kernels import launch
from attnbook.kernels.arguments import Options

TWICE = "attnbook.kernels gives gradients, but no gradients of gradients: expected to be used once"


@torch.library.custom_op("attnbook::flash_attention", mutates_args=())
def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    bias: Tensor | None,
    valid_lens: Tensor | None,
    causal: bool,
    window: int | None,
    softcap: float | None,
    scale: float,
    runs: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """The output and lse of tensors (batch, heads, n, d)."""
    options = Options(bias, valid_lens, causal, window, softcap, scale, runs)
    return launch.forward(q, k, v, options)


@torch.library.register_fake("attnbook::flash_attention")
def _(q, k, v, *options):
    return q.new_empty(q.shape), q.new_empty(q.shape[:3], dtype=torch.float32)


@torch.library.custom_op("attnbook::flash_attention_backward", mutates_args=())
def attend_backward(
    grad_out: Tensor,
    grad_lse: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor,
    bias: Tensor | None,
    valid_lens: Tensor | None,
    causal: bool,
    window: int | None,
    softcap: float | None,
    scale: float,
    runs: Tensor | None,
    atomic: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v, from those of the output and of lse."""
    options = Options(bias, valid_lens, causal, window, softcap, scale, runs)
    return launch.backward(grad_out, q, k, v, out, lse, options, grad_lse, atomic)


@torch.library.register_fake("attnbook::flash_attention_backward")
def _(grad_out, grad_lse, q, k, v, *more):
    return tuple(x.new_empty(x.shape) for x in (q, k, v))


def _keep(ctx, inputs, output):
    q, k, v, bias, valid_lens, *ctx.options, runs = inputs
    ctx.save_for_backward(q, k, v, *output, bias, valid_lens, runs)
    ctx.set_materialize_grads(False)


def _gradients(ctx, grad_out, grad_lse):
    q, k, v, out, lse, bias, valid_lens, runs = ctx.saved_tensors
    if grad_out is None:
        grad_out = torch.zeros_like(out)
    given = grad_out, grad_lse, q, k, v, out, lse, bias, valid_lens
    return *attend_backward(*given, *ctx.options, runs, launch.adds(q)), *(None,) * 7


def _refuse(ctx, *grads):
    raise NotImplementedError(TWICE)


torch.library.register_autograd("attnbook::flash_attention", _gradients, setup_context=_keep)
torch.library.register_autograd("attnbook::flash_attention_backward", _refuse)
