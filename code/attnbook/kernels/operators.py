"""The kernels as operators of PyTorch, which `torch.compile` keeps whole, and autograd knows."""

import torch
from torch import Tensor

from attnbook.kernels import launch


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
) -> tuple[Tensor, Tensor]:
    """The output and lse of tensors (batch, heads, n, d)."""
    return launch.forward(q, k, v, bias, valid_lens, causal, window, softcap, scale)


@attend.register_fake
def _(q, k, v, bias, valid_lens, causal, window, softcap, scale):
    return q.new_empty(q.shape), q.new_empty(q.shape[:3], dtype=torch.float32)
