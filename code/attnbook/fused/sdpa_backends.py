"""SDPA's backends: which one runs, which could, and why the others refuse."""

import re
import warnings
from typing import NamedTuple

import torch
from jaxtyping import Bool
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from attnbook.operation import Scalar
from attnbook.pytorch.operation import Float, check_shapes

ON_CPU = SDPBackend.MATH, SDPBackend.FLASH_ATTENTION
ON_GPU = *ON_CPU, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION
HEADINGS = {
    SDPBackend.FLASH_ATTENTION: "Flash attention kernel",
    SDPBackend.EFFICIENT_ATTENTION: "Memory efficient kernel",
    SDPBackend.CUDNN_ATTENTION: "cuDNN attention kernel",
}


class Choice(NamedTuple):
    """A backend, its status ("runs", "could run" or "refuses"), and the reason."""

    backend: str
    status: str
    reason: str


@check_shapes
def backends(
    q: Float[Tensor, "*_batch n_q d_k"],
    k: Float[Tensor, "*_batch n_k d_k"],
    v: Float[Tensor, "*_batch n_k d_v"],
    attn_mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
    dropout_p: Scalar = 0.0,
    is_causal: bool = False,
    scale: Scalar | None = None,
    enable_gqa: bool = False,
) -> list[Choice]:
    """What each of SDPA's backends for this device says to a call with the same arguments.

    Returns a list of `Choice`: on a CPU MATH and FLASH, on a GPU also EFFICIENT and
    CUDNN. Nothing is computed.
    """
    options = {"attn_mask": attn_mask, "dropout_p": dropout_p, "is_causal": is_causal}
    options |= {"scale": scale, "enable_gqa": enable_gqa}
    runs = chosen(q, k, v, **options)
    choices = []
    for backend in ON_CPU if q.device.type == "cpu" else ON_GPU:
        name, reason = _short(backend), _why_not(backend, (q, k, v), options)
        status = "runs" if name == runs else "could run" if reason is None else "refuses"
        choices.append(Choice(name, status, reason or ""))
    return choices


def chosen(q, k, v, **options):
    """The backend that SDPA takes: "MATH", "FLASH", "EFFICIENT" or "CUDNN"."""
    return _short(SDPBackend(torch._fused_sdp_choice(q, k, v, **options)))


def why_math(q, k, v, **options):
    """Why SDPA takes MATH, which holds all scores; None if it does not, or cannot be asked."""
    mask = options["attn_mask"]
    learns = mask is not None and mask.requires_grad and torch.is_grad_enabled()
    learns_on_cpu = learns and q.device.type == "cpu"  # PyTorch 2.13 refuses it without a reason
    no_gradient = "FLASH has no gradient for a bias on a CPU"
    if torch.compiler.is_compiling():
        return no_gradient if learns_on_cpu else None
    try:
        if chosen(q, k, v, **options) != "MATH":
            return None
    except RuntimeError:  # inside torch.func; or none is allowed, as SDPA will say
        return None
    if learns_on_cpu:
        return no_gradient
    others = ON_CPU[1:] if q.device.type == "cpu" else ON_GPU[1:]
    reasons = {each: _why_not(each, (q, k, v), options) for each in others}
    refused = [f"{_short(each)}: {reason}" for each, reason in reasons.items() if reason]
    return ", ".join(refused) or "no other backend is allowed"


def _short(backend):
    return backend.name.removesuffix("_ATTENTION")


def _why_not(backend, tensors, options):
    """None if it takes them. PyTorch warns of its reasons when no other backend is allowed."""
    with sdpa_kernel(backend), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            torch._fused_sdp_choice(*tensors, **options)
            return None
        except RuntimeError:
            lines = [str(each.message).partition(" (Triggered")[0] for each in said]
    return " ".join(_below(HEADINGS[backend], lines)) or "no reason is given"


def _below(heading, lines):
    """The lines from the heading of a backend to that of the next."""
    kept, mine = [], False
    for line in lines:
        if re.search(r" not used because:$", line):
            mine = line.startswith(heading)
        elif mine:
            kept.append(line)
    return kept
