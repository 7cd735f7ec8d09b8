"""The output of SDPA on what an answer returns, if FLASH takes it."""

import functools

import numpy as np
import torch
import torch.nn.functional as F

from attnbook.exercises.engine import Unfit
from attnbook.exercises.engine.settings import plain_settings
from attnbook.fused import backends


def through_flash(function):
    """The output of SDPA on what the function returns, if FLASH takes it."""

    @functools.wraps(function)
    def call(q, k, v):
        with plain_settings():
            return _attend(function(*map(torch.from_numpy, (q, k, v))), v.shape[-1], q)

    return call


def _attend(out, d_v, q):
    if not isinstance(out, (tuple, list)) or len(out) != 4:
        raise Unfit("expected four results: queries, keys, values and the scale")
    *tensors, scale = out
    if not all(isinstance(x, torch.Tensor) for x in tensors):
        raise Unfit("expected three tensors and the scale, in this order")
    scale = _number(scale)
    if any(x.ndim != 4 for x in tensors):
        raise Unfit(f"MATH runs: FLASH wants four axes, and has {[x.ndim for x in tensors]}")
    if len({x.shape[-1] for x in tensors}) > 1:
        widths = [x.shape[-1] for x in tensors]
        raise Unfit(f"MATH runs: FLASH wants one width, and has {widths}")
    for goes in (str(x.dtype).removeprefix("torch.") for x in tensors):
        if goes != q.dtype.name:
            raise Unfit(f"{q.dtype.name} came in, and {goes} goes out: keep the dtype")
    if any(x.shape[0] != 1 for x in tensors):
        raise Unfit("the first axis is the batch, of 1: the heads come second")
    _accepted(tensors, scale)
    result = F.scaled_dot_product_attention(*tensors, scale=scale)
    if result.shape[:-1] != (1, *q.shape[:-1]) or result.shape[-1] < d_v:
        wanted = f"(1, {', '.join(map(str, q.shape[:-1]))}, {d_v} or more)"
        raise Unfit(f"the output has the shape {tuple(result.shape)}; expected {wanted}")
    return result[0, ..., :d_v].detach().numpy()


def _number(scale):
    if isinstance(scale, np.generic) or (isinstance(scale, torch.Tensor) and not scale.ndim):
        scale = scale.item()
    if isinstance(scale, bool) or not isinstance(scale, (int, float)):
        raise Unfit(f"the scale is of type {type(scale).__name__}; expected a number")
    return scale


def _accepted(tensors, scale):
    """Raise Unfit where FLASH does not run."""
    keys, values = (tuple(x.shape) for x in tensors[1:])
    if keys[:-1] != values[:-1]:
        raise Unfit(f"keys have the shape {keys}, values {values}: each key has its value")
    row = next(row for row in backends(*tensors, scale=scale) if row.backend == "FLASH")
    if row.status == "runs":
        return
    if "stride" in row.reason:
        apart = [x.stride(-1) for x in tensors]
        side = f"the numbers of a row side by side, and in memory they lie {apart} apart"
        raise Unfit(f"MATH runs: FLASH wants {side}")
    raise Unfit(f"MATH runs: {row.reason or 'FLASH could; is it switched off?'}")
