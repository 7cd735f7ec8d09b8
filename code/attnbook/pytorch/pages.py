"""A cache in pages, which many texts take from one pool and give back.

Source: Kwon et al. (2023), section 4.
"""

from collections import deque
from numbers import Integral

import torch
from torch import Tensor

from attnbook.checks import at_least
from attnbook.pytorch.caches import mask_of_last, within
from attnbook.pytorch.operation import Float, check_shapes


class Pages:
    """`n_pages` pages for the keys and values of `size` words each, of any text.

    `keys` and `values` have shape (n_pages, n_kv_heads, size, d). `free` are the pages that no text
    has; `owners[page]` is the number of texts that have it.
    """

    @check_shapes
    def __init__(
        self,
        n_pages: Integral,
        size: Integral,
        n_kv_heads: Integral,
        d_k: Integral,
        d_v: Integral | None = None,
        dtype: torch.dtype | None = None,
    ):
        at_least(1, n_pages=n_pages, size=size)
        self.size, shape = size, (n_pages, n_kv_heads, size)
        self.keys = torch.zeros(*shape, d_k, dtype=dtype)
        self.values = torch.zeros(*shape, d_k if d_v is None else d_v, dtype=dtype)
        self.free, self.owners = deque(range(n_pages)), [0] * n_pages

    def take(self):
        """The page that has been free longest."""
        page = self.free.popleft()
        self.owners[page] = 1
        return page

    def give_back(self, page):
        """One text less has the page; the last one frees it."""
        self.owners[page] -= 1
        if self.owners[page] == 0:
            self.free.append(page)

    def copied(self, page):
        """A page with the same words for one of the owners of a page, who gives that back."""
        own = self.take()
        self.keys[own], self.values[own] = self.keys[page], self.values[page]
        self.give_back(page)
        return own


class PagedCache:
    """The keys and values of one text: word p lies on page table[p // size], in row p mod size.

    `table`, the block table, lists its pages in the order of the text. A page is taken when the
    first word for it comes; one that other texts have too is copied before a word is written to it.
    """

    def __init__(self, pages: Pages):
        self.pages, self.table, self.length = pages, [], 0

    def positions(self, n):
        """Where the next n words stand, (n,)."""
        return torch.arange(self.length, self.length + n)

    @check_shapes
    def update(self, k: Float[Tensor, "n_kv_heads n d_k"], v: Float[Tensor, "n_kv_heads n d_v"]):
        """Keep the keys and values of new words behind the others.

        Returns all keys and values, gathered from the pages, (n_kv_heads, length, d), and the mask
        (n, length), or None for a single word. Raises RuntimeError if too few pages are free.
        """
        self._make_room(self.length + k.shape[-2])
        kept = self.pages.keys, self.pages.values
        page, row = self._place(self.positions(k.shape[-2]))
        for x, new in zip(kept, (k, v), strict=True):
            x[page, :, row] = new.swapaxes(0, 1)
        self.length += k.shape[-2]
        page, row = self._place(torch.arange(self.length))
        found = (x[page, :, row].swapaxes(0, 1) for x in kept)
        return *found, mask_of_last(k.shape[-2], self.length, k.device)

    def _place(self, at):
        size, table = self.pages.size, torch.tensor(self.table, dtype=torch.int64)
        return table[at // size], at % size

    def _make_room(self, end):
        pages = self.pages
        begun = end > self.length and self.length % pages.size
        shared = bool(begun) and pages.owners[self.table[-1]] > 1
        more = -(-end // pages.size) - len(self.table)
        if more + shared > len(pages.free):
            free = f"{len(pages.free)} pages are free"
            raise RuntimeError(f"{free}; expected {more + shared} or more")
        if shared:
            self.table[-1] = pages.copied(self.table[-1])
        self.table += [pages.take() for _ in range(more)]

    def fork(self):
        """A cache that begins with the same words, on the same pages."""
        other = PagedCache(self.pages)
        other.table, other.length = list(self.table), self.length
        for page in self.table:
            self.pages.owners[page] += 1
        return other

    def rewind(self, length):
        """Forget all words but the first `length`, and give back the pages behind theirs.

        Raises ValueError if there are not so many.
        """
        within(length, self)
        kept = -(-length // self.pages.size)
        for page in self.table[kept:]:
            self.pages.give_back(page)
        self.table, self.length = self.table[:kept], length

    def reset(self):
        """Forget the text, and give its pages back."""
        self.rewind(0)
