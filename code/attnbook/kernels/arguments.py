"""What the kernels are given: refused in one sentence, or brought to one form."""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from attnbook.arguments import describe
from attnbook.checks import heads_of_keys
from attnbook.kernels import visible
from attnbook.pytorch import rules
from attnbook.pytorch.operation import is_autocast
from attnbook.pytorch.options import KERNEL_DTYPES, KERNEL_WIDTHS

LARGEST_CAP = 2.0**100  # below it scores up to 2^88 are left as they are, and 1 / cap is no 0


class KernelOptions(NamedTuple):
    """What is visible, and what becomes of the scores, as the kernels take it.

    Either `causal`, `window` and `valid_lens` say what is visible, or `intervals` do.
    """

    scale: float
    causal: bool = False
    window: int | None = None
    valid_lens: Tensor | None = None
    intervals: Tensor | None = None
    softcap: float | None = None
    bias: Tensor | None = None


def validated(tensors, requested):
    """The options of a call, if no kernel refuses it."""
    refuse(**tensors)
    return options(tensors["q"], tensors["k"], requested)


def options(q, k, requested):
    """The requested `Options`, as the kernels take them; one length for each batch."""
    requested = requested.settled(q, k)
    n_k, bias, softcap = k.shape[-2], requested.bias, requested.softcap
    scale = 1 / math.sqrt(q.shape[-1]) if requested.scale is None else requested.scale
    resolved = KernelOptions(scale, **_visible(q, k, requested.rule))
    window, valid_lens = resolved.window, resolved.valid_lens
    _refuse_elsewhere(q, bias=bias, valid_lens=valid_lens)
    if valid_lens is not None:
        valid_lens = valid_lens.to(torch.int32).repeat_interleave(math.prod(q.shape[1:-3]))
    if bias is not None:
        bias = one_batch(_broadcast(bias, (*q.shape[:-1], n_k)))
    softcap = None if softcap is None else min(softcap, LARGEST_CAP)
    window = None if window is None else min(window, n_k)  # no more than there are
    return resolved._replace(window=window, valid_lens=valid_lens, softcap=softcap, bias=bias)


def refuse(**tensors):
    """Refuse what no kernel takes: dtypes, widths, heads, devices."""
    q, k = tensors["q"], tensors["k"]
    for name, x in tensors.items():
        if name != "lse" and (x.dtype != q.dtype or x.dtype not in KERNEL_DTYPES):
            expected = "float16, bfloat16 or float32" if name == "q" else f"{q.dtype}, as q has"
            raise TypeError(f"{name} is {describe(x)}; expected {expected}".replace("torch.", ""))
    _refuse_elsewhere(**tensors)
    if not 1 <= q.shape[-1] <= KERNEL_WIDTHS[-1]:
        raise ValueError(f"q has {q.shape[-1]} features; expected 1 to {KERNEL_WIDTHS[-1]}")
    if q.shape[-3] or k.shape[-3]:  # no heads at all are nothing to compute
        heads_of_keys(q, k)


def _refuse_elsewhere(q, **others):
    for name, x in others.items():
        if x is not None and x.device != q.device:
            raise ValueError(f"{name} is on {x.device}; expected {q.device}, where q is")


def in_autocast(*tensors):
    """Under `torch.autocast`, tensors of its dtype, as PyTorch's own attention has them."""
    device = tensors[0].device.type
    if not is_autocast(device):
        return tensors
    return tuple(x.to(torch.get_autocast_dtype(device)) for x in tensors)


def padded(x):
    """(..., d) with zeros after its features, as many as the next width of the kernels asks for.

    In scores they add 0, and of the output and of gradients they are cut off again.
    """
    width = next(width for width in KERNEL_WIDTHS if width >= x.shape[-1])
    return x if width == x.shape[-1] else pad(x, (0, width - x.shape[-1]))


def one_batch(x):
    """(..., heads, n, d) with one axis of batches."""
    return x if x.ndim == 4 else x.reshape(math.prod(x.shape[:-3]), *x.shape[-3:])


def _visible(q, k, rule):
    """causal, window and valid_lens where they say all, and else the intervals of all of them."""
    return rules.options_of(rule) or {"intervals": visible.intervals(rule, q, k)}


def _broadcast(bias, shape):
    sizes = list(zip(reversed(bias.shape), reversed(shape), strict=False))
    if bias.ndim > len(shape) or any(m not in (1, n) for m, n in sizes):
        raise ValueError(f"bias is {describe(bias)}; expected {shape}, where any axis may be 1")
    return bias.expand(shape)
