"""A cache of keys and values, for a model that writes one word after another.

This one, and those of `window_cache` and `pages`, have a `length`, the number of words read so far.
A layer asks for the `positions` of its new words, rotates their queries and keys by them, and gives
the keys and values to `update`, which keeps them and returns all that the new queries may meet,
with the mask for it. `reset` forgets the text, and `rewind`, which a window lacks, the end of it.
Caches are for writing, under `torch.no_grad`.
"""

from numbers import Integral

import torch
from jaxtyping import Integer
from torch import Tensor

from attnbook.checks import at_least, at_most
from attnbook.pytorch.masks import causal_mask
from attnbook.pytorch.operation import Float, check_shapes


class KVCache:
    """The keys and values of the whole text, in room that is made once.

    `room` is the most words that it can hold. `padding` has a number for each sequence of a batch:
    how many of its first words are padding. Those are hidden, and positions count from behind them.
    """

    @check_shapes
    def __init__(self, room: Integral, padding: Integer[Tensor, "batch"] | None = None):
        at_least(1, room=room)
        self.room, self.padding = room, padding
        self.keys = self.values = None
        self.length = 0

    def positions(self, n):
        """Where the next n words stand: (n,), or (batch, 1, n) with padding, which stands at 0."""
        at = torch.arange(self.length, self.length + n)
        if self.padding is None:
            return at
        return (at.to(self.padding.device) - self.padding[:, None, None]).clamp(min=0)

    @check_shapes
    def update(
        self,
        k: Float[Tensor, "*batch n_kv_heads n d_k"],
        v: Float[Tensor, "*batch n_kv_heads n d_v"],
    ):
        """Keep the keys and values of new words behind the others.

        Returns all keys, all values, each (..., n_kv_heads, length, d), and the mask: (n, length),
        (batch, 1, n, length) with padding, or None for a single word without, which sees them all.
        Raises ValueError if there is no room for them.
        """
        end = self.length + k.shape[-2]
        if end > self.room:
            raise ValueError(f"room is {self.room}; expected {end} or more, for so many words")
        if self.keys is None:
            self.keys, self.values = (room_for(x, self.room) for x in (k, v))
        self.keys[..., self.length : end, :] = k
        self.values[..., self.length : end, :] = v
        self.length = end
        return self.keys[..., :end, :], self.values[..., :end, :], self._mask(k)

    def _mask(self, k):
        if self.padding is None:
            return mask_of_last(k.shape[-2], self.length, k.device)
        mask = causal_mask(k.shape[-2], self.length, device=k.device)
        slots = torch.arange(self.length, device=k.device)
        return mask & (slots >= self.padding.to(k.device)[:, None, None, None])

    def rewind(self, length):
        """Forget all words but the first `length`. Raises ValueError if there are not so many."""
        within(length, self)
        self.length = length

    def reset(self):
        """Forget the text; the room stays."""
        self.length = 0


def within(length, cache):
    """Refuse more words than a cache has."""
    at_least(0, length=length)
    at_most("the cache's length", cache.length, length=length)


def mask_of_last(n, length, device):
    """The causal mask of the last n words, or None for a single one, which sees them all."""
    return None if n == 1 else causal_mask(n, length, device)


def room_for(x, n):
    """Zeros like the keys or values of some words, for n words."""
    return x.new_zeros(*x.shape[:-2], n, x.shape[-1])
