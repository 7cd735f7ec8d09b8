"""Which keys each query sees: as a mask, or, where they are neighbours, as the first and the last.

Under a causal mask, a window and valid lengths a query sees the keys from one place to another, so
that n_q numbers say what a mask says with n_q · n_k.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class ByMask(NamedTuple):
    """True = may look, (n_q, n_k) or with every axis of the scores; None hides nothing."""

    mask: Tensor | None

    @property
    def all_see(self):
        """Whether each query sees some key, as far as is known without a look at the mask."""
        return self.mask is None

    def empty(self):
        """Which queries see nothing: (..., n_q or 1, 1)."""
        if self.mask is None:
            return torch.zeros((), dtype=torch.bool)
        return ~self.mask.any(dim=-1, keepdim=True)

    def sees(self, marked):
        """Which queries see one of the marked keys, (..., n_k): (..., n_q or 1, 1)."""
        marked = marked[..., None, :]
        marked = marked if self.mask is None else marked & self.mask
        return marked.any(dim=-1, keepdim=True)


class Between(NamedTuple):
    """Query i sees the keys first_i ≤ j < last_i; both (n_q,) or (batch, 1, …, n_q)."""

    first: Tensor
    last: Tensor
    n_k: int
    n_heads: int
    all_see: bool

    def empty(self):
        """Which queries see nothing: (..., n_q, 1)."""
        return (self.last <= self.first)[..., None]

    def sees(self, marked):
        """Which queries see one of the marked keys, (..., n_kv_heads, n_k): (..., n_q, 1)."""
        before = torch.nn.functional.pad(marked.to(torch.int32).cumsum(-1), (1, 0))
        shape = *marked.shape[:-1], self.first.shape[-1]
        # Where nothing is visible, last may lie before first.
        seen = before.gather(-1, self.last.expand(shape)) - before.gather(
            -1, self.first.expand(shape)
        )
        return (seen > 0).repeat_interleave(self.n_heads // marked.shape[-2], dim=-2)[..., None]

    def mask(self):
        """The same as a mask: (n_q, n_k) or (batch, 1, …, n_q, n_k)."""
        places = torch.arange(self.n_k, device=self.first.device)
        return (self.first[..., None] <= places) & (places < self.last[..., None])


def between(q, k, causal, window, valid_lens):
    """The keys that each query sees: past ones, the nearest of them, those that are there."""
    n_q, n_k, device = q.shape[-2], k.shape[-2], q.device
    own = torch.arange(n_q, device=device) + n_k - n_q
    first, last = torch.zeros_like(own), torch.full_like(own, n_k)
    past = causal or window is not None
    if past:
        last = torch.clamp(own + 1, 0, n_k)
    if window is not None:
        first = torch.clamp(own - window, 0, n_k)
    if valid_lens is not None:
        lens = valid_lens.to(device=device, dtype=torch.int64)
        last = torch.minimum(last, lens.reshape(-1, *[1] * (q.ndim - 2)))
    all_see = valid_lens is None and not (past and n_q > n_k) and n_k > 0
    return Between(first, last, n_k, q.shape[-3], all_see)
