"""Each of these mistakes in a cache, or in the layer that uses one, turns a claim red."""

from functools import partial as claim

import cached_layers
import one_line
import pytest
import test_caches as right

from attnbook.pytorch import KVCache, PagedCache, Pages, WindowCache, caches

ATTEND = cached_layers.attend
one_by_one = (1,) * right.N
plain = claim(right.test_the_plain_cache_is_recomputing, (4, 2), one_by_one, ())
piecewise = claim(right.test_the_plain_cache_is_recomputing, (4, 2), (5, 1, 1, 8, 2), ())
window = claim(right.test_a_window_with_sinks_is_recomputing_under_its_mask, (3, 2), one_by_one)
window_pieces = claim(
    right.test_a_window_with_sinks_is_recomputing_under_its_mask, (3, 2), (5, 1, 1, 8, 2)
)
slots = claim(right.test_the_slots_hold_the_sinks_and_the_last_words)
paged = claim(right.test_pages_are_recomputing, 3, one_by_one)
ragged = claim(right.test_texts_of_different_lengths_with_padding_on_the_left)
forgets, window_forgets = (
    claim(right.test_a_cache_that_was_reset_has_forgotten_its_text, kind)
    for kind in ("plain", "window")
)
counted = claim(right.test_padding_has_no_position)
again = claim(right.test_pages_that_were_freed_are_used_again_by_another_text)
shared = claim(right.test_texts_that_begin_alike_share_pages_until_one_writes)
rewound = claim(right.test_a_plain_cache_that_was_rewound)
rewound_pages = claim(right.test_pages_that_were_rewound_are_free_again)
split = claim(right.test_a_text_that_rewinds_into_a_shared_page_writes_on_a_copy)
refused = claim(right.test_what_does_not_fit_is_refused_and_changes_nothing)

LENGTH = "self.length = 0 → pass"
MISTAKES = {
    "the position starts again": (
        (ATTEND, "cache.positions(q.shape[-2]) → torch.arange(q.shape[-2])", plain),
    ),
    "keys are rotated twice": (
        (
            ATTEND,
            "cache.update(k, v) → cache.update(pytorch.rope(k, at, THETA), v)",
            plain,
        ),
    ),
    "tiled where heads are repeated": (
        (ATTEND, "pytorch.repeat_heads(x, times) → x.repeat(times, 1, 1)", plain),
    ),
    "no mask where several words come": ((ATTEND, "mask=mask → mask=None", piecewise),),
    "the mask has its triangle at the top left": (
        (
            caches.mask_of_last,
            "causal_mask(n, length, device) → torch.ones(n, length, dtype=torch.bool).tril()",
            piecewise,
        ),
    ),
    "the cache is not reset": (
        (KVCache.reset, LENGTH, forgets),
        (WindowCache.reset, LENGTH, window_forgets),
    ),
    "the cache is not rewound, or not far enough": (
        (KVCache.rewind, "self.length = length → pass", rewound),
        (KVCache.rewind, "self.length = length → self.length = length + 1", rewound),
        (PagedCache.rewind, "self.table[:kept], length → self.table, length", rewound_pages),
        (PagedCache.rewind, "self.table[kept:] → self.table[kept + 1 :]", rewound_pages),
        (PagedCache.rewind, "-(-length // self.pages.size) → length // self.pages.size", split),
    ),
    "new words overwrite the first": (
        (KVCache.update, "keys[..., self.length : end, :] → keys[..., : k.shape[-2], :]", plain),
    ),
    "padding counts, or is seen": (
        (KVCache.positions, " - self.padding[ →  - 0 * self.padding[", counted),
        (KVCache._mask, "slots >= → slots > -1 + 0 *", ragged),
        (KVCache._mask, "slots >= → slots >", ragged),
    ),
    "the window is off by one": (
        (WindowCache.update, "<= self.left → < self.left", window_pieces),
        (WindowCache.update, "<= self.left → <= self.left + 1", window_pieces),
        (WindowCache._keep, "% self.left → % max(self.left - 1, 1)", window),
        (WindowCache._keep, "self.length - self.left → self.length - self.left + 1", window_pieces),
    ),
    "the sinks leave, or are hidden": (
        (WindowCache._keep, "new < self.sinks, new, → new < 0, new,", window),
        (WindowCache._keep, "(new - self.sinks) → new", slots),
        (WindowCache.update, " | (at < self.sinks) → ", window_pieces),
    ),
    "a page is left in the table, or is freed by one of two owners": (
        (PagedCache.reset, "self.rewind(0) → self.length = 0", again),
        (Pages.give_back, "if self.owners[page] == 0: → if True:", shared),
        (PagedCache.rewind, "self.pages.give_back(page) → pass", again),
    ),
    "a shared page is written to, or is not copied": (
        (PagedCache._make_room, "if shared: → if False:", shared),
        (Pages.copied, "= self.keys[page], self.values[page] → = 0, 0", shared),
        (PagedCache.fork, "self.pages.owners[page] += 1 → pass", shared),
    ),
    "words lie on another page, or on another row": (
        (PagedCache._place, "at // size → 0 * at", paged),
        (PagedCache._place, "at % size → 0 * at", paged),
    ),
    "too many words are taken": (
        (KVCache.update, "if end > self.room: → if end > self.room + 1:", refused),
        (PagedCache._make_room, "if more + shared > len(pages.free): → if False:", refused),
    ),
}  # fmt: skip
ALL = [(name, *mistake) for name, several in MISTAKES.items() for mistake in several]


@pytest.mark.parametrize(("name", "function", "change", "rejecting"), ALL)
def test_the_mistake_is_rejected(name, function, change, rejecting, monkeypatch):
    one_line.assert_rejected(
        monkeypatch, function, change, rejecting, by=(AssertionError, RuntimeError, IndexError)
    )
