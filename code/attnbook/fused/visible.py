"""Which keys each query sees: as a mask, or, where they are neighbours, as a range.

Under most rules a query sees one range of keys, so that two numbers a query say what a mask
says with n_q · n_k.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class ByMask(NamedTuple):
    """True = may look, (n_q, n_k) or with every axis of the scores; None hides nothing.

    So many neighbouring heads of queries share keys.
    """

    shown: Tensor | None
    shared: int = 1

    @property
    def all_see(self):
        """Whether each query sees some key, as far as is known without a look at the mask."""
        return self.shown is None

    def empty(self):
        """Which queries see nothing: (..., n_q or 1, 1)."""
        if self.shown is None:
            return torch.zeros((), dtype=torch.bool)
        return ~self.shown.any(dim=-1, keepdim=True)

    def sees(self, marked):
        """Which queries see one of the marked keys, (..., n_k): (..., n_q or 1, 1)."""
        if self.shared > 1:
            marked = marked.repeat_interleave(self.shared, dim=-2)
        marked = marked[..., None, :]
        marked = marked if self.shown is None else marked & self.shown
        return marked.any(dim=-1, keepdim=True)

    def mask(self):
        """The mask itself."""
        return self.shown


class KeyRange(NamedTuple):
    """Query i sees the keys start_i ≤ j < stop_i; both (n_q,) or (batch, 1, …, n_q)."""

    start: Tensor
    stop: Tensor
    n_k: int
    n_heads: int
    all_see: bool

    def empty(self):
        """Which queries see nothing: (..., n_q, 1)."""
        return (self.stop <= self.start)[..., None]

    def sees(self, marked):
        """Which queries see one of the marked keys, (..., n_kv_heads, n_k): (..., n_q, 1)."""
        before = torch.nn.functional.pad(marked.to(torch.int32).cumsum(-1), (1, 0))
        shape = *marked.shape[:-1], self.start.shape[-1]
        # Where nothing is visible, stop may lie before start.
        seen = before.gather(-1, self.stop.expand(shape)) - before.gather(
            -1, self.start.expand(shape)
        )
        return (seen > 0).repeat_interleave(self.n_heads // marked.shape[-2], dim=-2)[..., None]

    def mask(self):
        """The same as a mask: (n_q, n_k) or (batch, 1, …, n_q, n_k)."""
        keys = torch.arange(self.n_k, device=self.start.device)
        return (self.start[..., None] <= keys) & (keys < self.stop[..., None])


def visible(q, k, options):
    """The keys that each query sees, by the rule and the mask of resolved options."""
    rule, mask = options.rule, options.mask
    n_q, n_k, n_heads, device = q.shape[-2], k.shape[-2], q.shape[-3], q.device
    if mask is None and rule.is_run:
        start, stop = (_with_axes_of(q, x, 1) for x in rule.run(n_q, n_k, device))
        others = rule._replace(left=None, right=None, prefix_len=None)
        all_see = not others.hides and not (rule.hides and n_q > n_k) and n_k > 0
        return KeyRange(start, stop, n_k, n_heads, all_see)
    if rule.hides:
        by_rule = _with_axes_of(q, rule.mask(n_q, n_k, device), 2)
        mask = by_rule if mask is None else by_rule & mask
    return ByMask(mask, n_heads // k.shape[-3])


def _with_axes_of(q, x, n):
    """(batch, …) of n axes for each batch, the first axis of q, as (batch, 1, …, …)."""
    return x if x.ndim == n else x[(slice(None), *[None] * (q.ndim - 3))]
