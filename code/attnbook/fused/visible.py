"""Which keys each query sees: by a mask, or, where they are contiguous, by a range.

Under most rules they are, so that two numbers a query say what a mask says with n_q · n_k.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from attnbook.pytorch.rules import KeyRange


class ByMask(NamedTuple):
    """True = may look, (n_q, n_k) or with every axis of the scores; None hides nothing.

    So many neighbouring query heads share a key-value head.
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


class ByRange(NamedTuple):
    """The keys that each query sees, of (n_q,) or (batch, 1, …, n_q)."""

    keys: KeyRange
    n_k: int
    n_heads: int
    all_see: bool

    def empty(self):
        """Which queries see nothing: (..., n_q, 1)."""
        return (self.keys.stop <= self.keys.start)[..., None]

    def sees(self, marked):
        """Which queries see one of the marked keys, (..., n_kv_heads, n_k): (..., n_q, 1)."""
        before = torch.nn.functional.pad(marked.to(torch.int32).cumsum(-1), (1, 0))
        start, stop = (x.expand(*marked.shape[:-1], x.shape[-1]) for x in self.keys)
        # Where nothing is visible, stop may lie before start.
        seen = before.gather(-1, stop) - before.gather(-1, start)
        return (seen > 0).repeat_interleave(self.n_heads // marked.shape[-2], dim=-2)[..., None]

    def mask(self):
        """The same as a mask: (n_q, n_k) or (batch, 1, …, n_q, n_k)."""
        return self.keys.mask(self.n_k)


def visible(q, k, options):
    """The keys that each query sees, by the rule and the mask of resolved options."""
    rule, mask = options.rule, options.mask
    n_q, n_k, n_heads, device = q.shape[-2], k.shape[-2], q.shape[-3], q.device
    if mask is None and rule.is_contiguous:
        keys = KeyRange(*(_with_axes_of(q, x, 1) for x in rule.key_range(n_q, n_k, device)))
        others = rule._replace(left=None, right=None, prefix_len=None)
        all_see = not others.hides and not (rule.hides and n_q > n_k) and n_k > 0
        return ByRange(keys, n_k, n_heads, all_see)
    if rule.hides:
        by_rule = _with_axes_of(q, rule.mask(n_q, n_k, device), 2)
        mask = by_rule if mask is None else by_rule & mask
    return ByMask(mask, n_heads // k.shape[-3])


def _with_axes_of(q, x, n):
    """(batch, …) of n axes for each batch, the first axis of q, as (batch, 1, …, …)."""
    return x if x.ndim == n else x[(slice(None), *[None] * (q.ndim - 3))]
