"""A cache that keeps the last words and the first, for a text of any length."""

from numbers import Integral

import torch
from torch import Tensor

from attnbook.checks import at_least
from attnbook.pytorch.caches import room_for
from attnbook.pytorch.operation import Float, check_shapes


class WindowCache:
    """The last `left` words and the first `sinks`, in as many slots, however long the text is.

    Word p < sinks lies in slot p, and every other word in slot

        sinks + (p - sinks) mod left

    where it takes the place of the word `left` before it. A query sees its own word, the `left`
    before it, and the sinks. Keys keep the rotation with which they came.

    Source: Jiang et al. (2023), section 2, for the slots; Xiao et al. (2023) for the sinks, which
    there get new positions.
    """

    @check_shapes
    def __init__(self, left: Integral, sinks: Integral = 0):
        at_least(1, left=left)
        at_least(0, sinks=sinks)
        self.left, self.sinks = left, sinks
        self.keys = self.values = None
        self.at = torch.zeros(sinks + left, dtype=torch.int64)  # the word in each slot
        self.length = 0

    def positions(self, n):
        """Where the next n words stand, (n,)."""
        return torch.arange(self.length, self.length + n)

    @check_shapes
    def update(
        self,
        k: Float[Tensor, "*batch n_kv_heads n d_k"],
        v: Float[Tensor, "*batch n_kv_heads n d_v"],
    ):
        """Keep those of new words that later words may see, over those that no later word may.

        Returns the keys and the values that were kept before, with the new ones behind them, each
        (..., n_kv_heads, n_k, d), in the order of the slots; and the mask (n, n_k), or None for a
        single word, which sees them all.
        """
        if self.keys is None:
            self.keys, self.values = (room_for(x, len(self.at)) for x in (k, v))
        new, kept = self.positions(k.shape[-2]), slice(min(self.length, len(self.at)))
        at = torch.cat([self.at[kept], new])
        found = [
            torch.cat([old[..., kept, :], x], dim=-2)
            for old, x in ((self.keys, k), (self.values, v))
        ]
        self._keep(new, k, v)
        near = (at <= new[:, None]) & ((new[:, None] - at <= self.left) | (at < self.sinks))
        return *found, (near.to(k.device) if len(new) > 1 else None)

    def _keep(self, new, k, v):
        self.length += len(new)
        stays = (new < self.sinks) | (new >= self.length - self.left)
        new = new[stays]
        slots = torch.where(new < self.sinks, new, self.sinks + (new - self.sinks) % self.left)
        self.at[slots] = new
        self.keys[..., slots, :] = k[..., stays, :]
        self.values[..., slots, :] = v[..., stays, :]

    def reset(self):
        """Forget the text; the slots stay."""
        self.length = 0
