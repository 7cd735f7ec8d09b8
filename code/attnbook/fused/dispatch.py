"""One attention with all options: the first backend that does not refuse computes it."""

from numbers import Integral

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from attnbook.checks import heads_of_keys, resolve_scale
from attnbook.fused import implementations
from attnbook.fused.guarantees import guarded, in_one_dtype
from attnbook.fused.sdpa import arguments
from attnbook.fused.sdpa_backends import Choice, chosen
from attnbook.fused.sdpa_functions import with_bias
from attnbook.fused.slow import warn_once
from attnbook.fused.visible import visible
from attnbook.operation import Scalar, called_as
from attnbook.pytorch.operation import Float, check_shapes
from attnbook.pytorch.options import Options
from attnbook.pytorch.rules import Rule


@check_shapes
def attention(
    q: Float[Tensor, "*lead n_heads n_q d_k"],
    k: Float[Tensor, "*lead n_kv_heads n_k d_k"],
    v: Float[Tensor, "*lead n_kv_heads n_k d_v"],
    *,
    causal: bool = False,
    window: Integral | None = None,
    valid_lens: Integer[Tensor, "batch"] | None = None,
    rule: Rule | None = None,
    mask: Bool[Tensor, "#n_q #n_k"] | Bool[Tensor, "*#lead #n_heads #n_q #n_k"] | None = None,
    softcap: Scalar | None = None,
    bias: Float[Tensor, "#n_q #n_k"] | Float[Tensor, "*#lead #n_heads #n_q #n_k"] | None = None,
    alibi: bool = False,
    scale: Scalar | None = None,
) -> Float[Tensor, "*lead n_heads n_q d_v"]:
    """Attention by the first backend of an order that gives the right answer: see `explain`.

        out = softmax(cap(scale · q kᵀ) + bias) v    over the visible keys,  scale = 1/√d_k

    n_heads is a multiple of n_kv_heads; query heads that share keys are neighbours. `causal` is as
    in `causal_mask`; beside it `window` is how many keys before its own a query sees. `valid_lens`
    has a length for each batch, the first of four axes. `rule` is one of `attnbook.pytorch.rules`,
    or several with `&`. A key is visible where all of these and the `mask`, True = may look, show
    it. `softcap` c makes c · tanh(scores / c) of the scores, before bias and mask. A bias and a
    mask are (n_q, n_k) or have every axis of the scores; any may be 1. `alibi` adds `alibi_bias`.

    Returns a tensor of shape (..., n_heads, n_q, d_v), whichever backend runs. A query that sees
    nothing gets zeros. What a query may not see has no influence on its row, not even NaN or
    infinity; one that it sees makes its row NaN. Warns with `SlowAttentionWarning`, once for each
    reason, and again of ten times as many scores, where all of them are held in memory, since only
    the readable form is left or SDPA takes MATH. Raises ValueError if heads cannot be shared, a
    length, window, cap or rule does not fit, or d_k is 0 and no scale is given.

    Source: Dao et al. (2022) for the blocks, Dong et al. (2024) for FlexAttention.
    """
    seen = {"causal": causal, "window": window, "valid_lens": valid_lens, "rule": rule}
    requested = Options(**seen, mask=mask, softcap=softcap, bias=bias, alibi=alibi, scale=scale)
    return _by_the_first(*_settled(q, k, v, requested))


def _by_the_first(q, k, v, options):
    """By the first backend that does not refuse."""
    if q.device.type == "meta":
        raise ValueError("q is on the device meta; expected tensors that have numbers")
    bias, seen = options.bias, visible(q, k, options)
    with torch.autocast(q.device.type, enabled=False):
        refused = []
        for first in _for(q, k, v):
            if (reason := first.refuses(q, k, v, options)) is None:
                break
            refused.append(f"{first.name}: {reason}")
        if first.name == "readable" and refused:
            # Two frames lie between: `attention` and its check.
            warn_once(tuple(refused), implementations.n_scores(q, k), stacklevel=4)
        out = guarded(lambda *clean: first.call(*clean, options), q, k, v, seen)
        if bias is None:
            return out
        return with_bias(out, seen.mask() if options.hides else None, bias)


@check_shapes
@called_as(attention)
def explain(q, k, v, **options) -> list[Choice]:
    """Which backend `attention` takes for these arguments, and why each other one does not.

    Returns a list of `Choice`, in the order in which backends are tried. Nothing is computed.
    Raises what `attention` raises for its arguments.
    """
    q, k, v, options = _settled(q, k, v, Options(**options))
    choices = []
    with torch.autocast(q.device.type, enabled=False):
        for each in _for(q, k, v):
            reason = each.refuses(q, k, v, options)
            runs = any(choice.status == "runs" for choice in choices)
            status = "refuses" if reason else "could run" if runs else "runs"
            choices.append(Choice(each.name, status, reason or _how(each, q, k, v, options)))
    return choices


def _for(q, k, v):
    """Without numbers only the readable form is tried: it is written for that too."""
    return (
        implementations.IMPLEMENTATIONS[-1:]
        if 0 in (q.numel(), k.numel(), v.numel())
        else implementations.IMPLEMENTATIONS
    )


def _settled(q, k, v, requested):
    q, k, v = in_one_dtype(q, k, v)
    heads_of_keys(q, k)
    resolve_scale(requested.scale, q.shape[-1])
    return q, k, v, requested.settled(q, k)


def _how(implementation, q, k, v, options):
    if implementation.name == "SDPA":
        four_axes, named = arguments(q, k, v, **implementations.sdpa_options(q, k, options))
        return f"through {chosen(*four_axes, **named)}"
    return "all scores in memory" if implementation.name == "readable" else ""
