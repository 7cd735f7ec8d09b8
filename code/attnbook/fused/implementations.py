"""The backends that `attention` chooses from, in order: what each refuses, and its call."""

import functools
import os
import shutil
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch.nn.attention.flex_attention import and_masks, create_block_mask, flex_attention

from attnbook import pytorch
from attnbook.fused import flex
from attnbook.fused.sdpa import arguments, four_axes, with_arguments, with_axes
from attnbook.fused.sdpa_backends import why_math
from attnbook.fused.slow import warn_once
from attnbook.fused.visible import visible
from attnbook.pytorch.operation import check_and_cast
from attnbook.pytorch.options import no_kernel

WORTH_COMPILING = 2**26  # scores: below, a compilation earns itself back only after many calls
MASK_WORTH_COMPILING = 2**24  # places: uncompiled, create_block_mask takes 10 bytes for each


class Implementation(NamedTuple):
    """A backend: its name, why it refuses (None if it does not), and how it is called."""

    name: str
    refuses: Callable
    call: Callable


def kernels_refuse(q, k, v, options):
    if (why := no_kernel(q, k, v)) is not None:
        return why
    if options.mask is not None:
        return "it takes no mask, but rules"
    if not options.rule.is_contiguous:
        return "its documents have contiguous keys, and are known to"
    added = options.bias is not None or options.alibi
    if added and _wants_gradients(q, k, v, options.bias):
        return "its backward pass takes no bias"
    return None


def by_kernels(q, k, v, options):
    from attnbook.kernels import flash_attention

    bias = _bias(q, k, options)
    if bias is not None:
        bias = bias.detach()[(None,) * (q.ndim - bias.ndim)]
    named = {"softcap": options.softcap, "bias": bias, "scale": options.scale}
    return flash_attention(q, k, v, rule=options.rule, **named)


def sdpa_refuses(q, k, v, options):
    if options.softcap is not None:
        return "it cannot bend the scores: softcap is given"
    return None


def by_sdpa(q, k, v, options):
    given = arguments(q, k, v, **sdpa_options(q, k, options))
    if why := why_math(*given[0], **given[1]):
        # Five frames lie between: a lambda, `guarded`, `_by_the_first`, `attention` and its check.
        warn_once((f"SDPA takes MATH: {why}",), n_scores(q, k), stacklevel=7)
    return with_arguments(q, v, *given)


def n_scores(q, k):
    """How many scores there are; under `torch.compile`, where it may be no number, None."""
    return None if torch.compiler.is_compiling() else q.shape[:-1].numel() * k.shape[-2]


def sdpa_options(q, k, options):
    """The mask, the bias, the scale and `is_causal` for SDPA, whose triangle is top-left.

    One query sees every key: a causal mask is needed only for more. And only where there are as
    many queries as keys its triangle is ours, whose corner is the last key. Where all queries see
    the same keys, one row is mask enough: SDPA makes numbers of it, as many as it has entries.
    """
    bias, n_q = _bias(q, k, options), q.shape[-2]
    alone = options.rule.is_causal and options.mask is None and bias is None
    triangle = alone and n_q == k.shape[-2]
    needless = triangle or (alone and n_q == 1) or not options.hides
    rows = q[..., :1, :] if options.mask is None and options.rule.is_alike else q
    mask = None if needless else visible(rows, k, options).mask()
    return {"mask": mask, "bias": bias, "scale": options.scale, "is_causal": triangle and n_q > 1}


def flex_refuses(q, k, v, options):
    added, cpu = options.bias, q.device.type == "cpu"
    if q.ndim > 4 and options.rule.batch is not None:
        return "it has one axis for the batch"
    if q.device.type not in ("cpu", "cuda"):
        return f"it is not known to work on the device {q.device.type!r}"
    if cpu and _wants_gradients(q, k, v, added):
        return "it gives no gradients on a CPU"
    if added is not None and _wants_gradients(added):
        return "a gradient of the bias is asked for"
    if q.dtype == torch.float64 or min(q.shape[-1], v.shape[-1]) < 16:
        return "compiled, it takes no float64 and no width below 16"
    if torch.compiler.is_compiling() or not cpu:
        return None
    if n_scores(q, k) < WORTH_COMPILING:
        return f"fewer than 2^{WORTH_COMPILING.bit_length() - 1} scores: to compile takes longer"
    return _cannot_compile()


def _cannot_compile():
    compiler = os.environ.get("CXX", "g++")
    if not shutil.which(compiler):
        return f"it needs a C++ compiler, and {compiler} is missing"
    if " " in torch.__file__:  # the linker is given half a path: PyTorch #191010
        return "it cannot be compiled where PyTorch's folder has a space in its path"
    return None


def by_flex(q, k, v, options):
    compiling, n_heads = torch.compiler.is_compiling(), q.shape[-3]
    if not torch.is_grad_enabled():
        q, k, v = q.detach(), k.detach(), v.detach()  # or it refuses them on a CPU
    seen, mods = _mask_mods(q, k, options), _score_mods(q, k, options)
    blocks = None
    if seen and compiling and q.device.type == "cpu":
        mods.append(flex.masked(*seen))  # PyTorch 2.13 writes wrong C++ for a mask of blocks
    elif seen:
        blocks = _blocks(and_masks(*seen), *_told_apart(q, options), q.shape[-2], k.shape[-2], q)
    elif q.device.type == "cpu" and not compiling:
        blocks = flex.full_block_mask(q.shape[-2], k.shape[-2])
    out = (flex_attention if compiling else _compiled_flex())(
        *map(four_axes, (q, k, v)),
        score_mod=flex.in_turn(*mods),
        block_mask=blocks,
        scale=options.scale,
        enable_gqa=k.shape[-3] != n_heads,
    )
    return out.reshape(*q.shape[:-1], v.shape[-1])


@functools.cache
def _compiled_flex():
    return torch.compile(flex_attention)


def _blocks(rule, batch, heads, n_q, n_k, q):
    """Which blocks a rule leaves, compiled where the mask, made on the way, would be large."""
    large = (batch or 1) * (heads or 1) * n_q * n_k >= MASK_WORTH_COMPILING
    make = _compiled_block_mask() if large else create_block_mask
    return make(rule, batch, heads, n_q, n_k, device=q.device)


@functools.cache
def _compiled_block_mask():
    return torch.compile(create_block_mask)


def _mask_mods(q, k, options):
    """Which key a query may look at, as functions of indices."""
    rule, sizes = options.rule, (q.shape[-2], k.shape[-2], q.device)
    mods = [flex.mask_mod(rule, *sizes)] if rule.hides else []
    return mods if options.mask is None else [*mods, flex.mask_tensor(with_axes(options.mask, q))]


def _told_apart(q, options):
    """How many batches and heads have a mask of their own, None if all have the same."""
    batch, heads = options.rule.batch, None
    if options.mask is not None:
        n_batch, n_heads = with_axes(options.mask, q).shape[:2]
        batch, heads = batch or (n_batch if n_batch > 1 else None), n_heads if n_heads > 1 else None
    return batch, heads


def _score_mods(q, k, options):
    """What is done to a score, in the order of the equation."""
    mods = [] if options.softcap is None else [flex.softcap(options.softcap)]
    if options.alibi:
        mods.append(flex.alibi(q.shape[-3], q.shape[-2], k.shape[-2]))
    if options.bias is not None:
        mods.append(flex.bias_tensor(with_axes(options.bias, q)))
    return mods


def readable_refuses(q, k, v, options):
    return None


def readable(q, k, v, options):
    k, v = (pytorch.repeat_heads(x, q.shape[-3] // k.shape[-3]) for x in (k, v))
    mask = visible(q, k, options).mask() if options.hides else None
    bias = _bias(q, k, options)
    return _written_out(q, k, v, mask, bias, options.softcap, options.scale)


@check_and_cast
def _written_out(q, k, v, mask, bias, softcap, scale):
    scores = pytorch.dot_product_scores(q, k, scale)
    scores = scores if softcap is None else pytorch.softcap(scores, softcap)
    scores = scores if bias is None else scores + bias
    return pytorch.weighted_sum(pytorch.softmax(scores, mask), v, mask)


def _bias(q, k, options):
    """The bias that is given, and ALiBi's: n_q · n_k numbers a head."""
    if not options.alibi:
        return options.bias
    n_heads, n_q, n_k = q.shape[-3], q.shape[-2], k.shape[-2]
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    sloped = pytorch.alibi_bias(n_heads, n_q, n_k, q.device, wide)
    sloped = sloped[(None,) * (q.ndim - 3)]
    return sloped if options.bias is None else sloped + options.bias


def _wants_gradients(*tensors):
    given = [x for x in tensors if x is not None]
    return torch.is_grad_enabled() and any(x.requires_grad for x in given)


IMPLEMENTATIONS = (
    Implementation("kernels", kernels_refuse, by_kernels),
    Implementation("SDPA", sdpa_refuses, by_sdpa),
    Implementation("FlexAttention", flex_refuses, by_flex),
    Implementation("readable", readable_refuses, readable),
)
