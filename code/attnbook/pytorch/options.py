"""The options of attention beside queries, keys and values, and which of them the kernels take.

Every implementation is called with the same options; they differ in those that they support. All
of that is known here without Triton, so that the dispatcher need not import the kernels.
"""

import functools
from importlib.util import find_spec
from typing import NamedTuple

import torch
from torch import Tensor

from attnbook.checks import at_least, finite_above_0
from attnbook.pytorch import rules
from attnbook.pytorch.rules import Rule

KERNEL_WIDTHS = 16, 32, 64, 128, 256  # others are filled up with zeros to the next
KERNEL_DTYPES = torch.float16, torch.bfloat16, torch.float32


class Options(NamedTuple):
    """The keywords of `attnbook.fused.attention`, which explains them.

    `mask` and `alibi` are for no kernel.
    """

    causal: bool = False
    window: int | None = None
    valid_lens: Tensor | None = None
    rule: Rule | None = None
    softcap: float | None = None
    bias: Tensor | None = None
    scale: float | None = None
    mask: Tensor | None = None
    alibi: bool = False

    def refuse(self):
        """Refuse numbers that make no sense, whatever they are for."""
        if self.window is not None:
            at_least(0, window=self.window)
        if self.window is not None and not self.causal:
            raise ValueError(
                f"window is {self.window} and causal is False; expected causal=True beside it, "
                "or rule=rules.sliding_window(left, right), which shows the future too"
            )
        if self.softcap is not None:
            finite_above_0(softcap=self.softcap)

    def settled(self, q, k):
        """The same, with all that hides but the mask in one `rule`, which must fit q and k."""
        self.refuse()
        rule = rules.of(self.causal, self.window, self.valid_lens, self.rule)
        rules.refuse_unless_for(rule, q, k)
        softcap, scale = (None if x is None else float(x) for x in (self.softcap, self.scale))
        in_rule = {"causal": False, "window": None, "valid_lens": None}
        return self._replace(**in_rule, rule=rule, softcap=softcap, scale=scale)

    @property
    def hides(self):
        """Whether it may hide anything, once it is settled."""
        return self.rule.hides or self.mask is not None


def no_kernel(q, k, v):
    """Why the kernels do not take such queries, keys and values; None if they do."""
    if q.device.type != "cuda":
        where = {"cpu": "CPU"}.get(q.device.type, f"device {q.device.type!r}")
        return f"its kernels are for GPUs, and q is on the {where}"
    if not is_there("triton") or not is_there("attnbook.kernels"):
        return "triton is not installed"
    if q.dtype not in KERNEL_DTYPES:
        return f"no kernel computes in {str(q.dtype).removeprefix('torch.')}"
    if not q.dtype == k.dtype == v.dtype:
        return "q, k and v have different dtypes"
    if q.shape[-1] != v.shape[-1] or not 1 <= q.shape[-1] <= KERNEL_WIDTHS[-1]:
        return f"its heads have 1 to {KERNEL_WIDTHS[-1]} features, keys as many as values"
    return None


@functools.cache
def is_there(module):
    """Whether a module can be imported."""
    return find_spec(module) is not None
