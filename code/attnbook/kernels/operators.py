"""The kernels as operators of PyTorch, which `torch.compile` keeps whole, and autograd knows."""

import torch
from torch import Tensor

from attnbook.kernels import launch
from attnbook.kernels.arguments import KernelOptions

TWICE = "attnbook.kernels gives gradients, but no gradients of gradients: expected to be used once"
# An operator takes tensors and numbers alone: the fields of `KernelOptions`, each of its type.
SCHEMA = {bool: "bool", int: "SymInt", float: "float", Tensor | None: "Tensor?"}
SCHEMA |= {int | None: "SymInt?", float | None: "float?"}
FIELDS = KernelOptions.__annotations__.items()
OPTIONS = ", ".join(f"{SCHEMA[kind]} {name}" for name, kind in FIELDS)
FORWARD = f"(Tensor q, Tensor k, Tensor v, {OPTIONS}) -> (Tensor, Tensor)"
DECODE = (
    f"(Tensor q, Tensor k, Tensor v, SymInt? splits, SymInt tile, {OPTIONS}) -> (Tensor, Tensor)"
)
BACKWARD = (
    "(Tensor grad_out, Tensor? grad_lse, Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, "
    f"bool atomic, {OPTIONS}) -> (Tensor, Tensor, Tensor)"
)


@torch.library.custom_op("attnbook::flash_attention", mutates_args=(), schema=FORWARD)
def attend(q, k, v, *options):
    """The output and lse of tensors (batch, heads, n, d)."""
    return launch.forward(q, k, v, KernelOptions(*options))


@torch.library.register_fake("attnbook::flash_attention")
def _(q, k, v, *options):
    return launch.outputs(q)


@torch.library.custom_op("attnbook::flash_attention_backward", mutates_args=(), schema=BACKWARD)
def attend_backward(grad_out, grad_lse, q, k, v, out, lse, atomic, *options):
    """The gradients of q, k and v, from those of the output and of lse."""
    return launch.backward(grad_out, q, k, v, out, lse, KernelOptions(*options), grad_lse, atomic)


@torch.library.register_fake("attnbook::flash_attention_backward")
def _(grad_out, grad_lse, q, k, v, *others):
    return tuple(x.new_empty(x.shape) for x in (q, k, v))


def _keep(ctx, inputs, output):
    q, k, v, *options = inputs
    tensors = [x if isinstance(x, Tensor) else None for x in options]
    ctx.save_for_backward(q, k, v, *output, *tensors)
    ctx.options = [None if isinstance(x, Tensor) else x for x in options]
    ctx.set_materialize_grads(False)


def _gradients(ctx, grad_out, grad_lse):
    q, k, v, out, lse, *tensors = ctx.saved_tensors
    if grad_out is None:
        grad_out = torch.zeros_like(out)
    pairs = zip(tensors, ctx.options, strict=True)
    options = [number if tensor is None else tensor for tensor, number in pairs]
    grads = attend_backward(grad_out, grad_lse, q, k, v, out, lse, launch.takes_atomic(q), *options)
    return *grads, *(None for _ in options)


def _refuse(ctx, *grads):
    raise NotImplementedError(TWICE)


@torch.library.custom_op("attnbook::decode_attention", mutates_args=(), schema=DECODE)
def decode(q, k, v, splits, tile, *options):
    """The output and lse of few queries over many keys, of tensors (batch, heads, n, d)."""
    return launch.decode(q, k, v, KernelOptions(*options), splits, tile)


@torch.library.register_fake("attnbook::decode_attention")
def _(q, k, v, splits, tile, *options):
    return launch.outputs(q)


def _no_gradient(ctx, *grads):
    raise NotImplementedError("decode_attention has no gradient; flash_attention has one")


torch.library.register_autograd("attnbook::flash_attention", _gradients, setup_context=_keep)
torch.library.register_autograd("attnbook::flash_attention_backward", _refuse)
torch.library.register_autograd("attnbook::decode_attention", _no_gradient)
