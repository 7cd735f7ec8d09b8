"""The diagram of caches shows what the caches of the package do with seven words."""

import torch
from figures import figure_of

from attnbook import plots
from attnbook.plots import caches
from attnbook.pytorch import PagedCache, Pages, WindowCache


def words(n):
    return torch.arange(float(n)).reshape(1, n, 1)


def test_the_slots_are_those_of_a_window_with_sinks():
    cache = WindowCache(left=len(caches.SLOTS) - caches.SINKS, sinks=caches.SINKS)
    cache.update(words(caches.WORDS), words(caches.WORDS))
    assert cache.at.tolist() == caches.SLOTS


def test_the_words_on_the_pages_are_those_of_a_block_table():
    pages = Pages(caches.POOL, caches.SIZE, 1, 1)
    pages.free.clear()
    pages.free.extend(caches.TABLE)
    cache = PagedCache(pages)
    cache.update(words(caches.WORDS), words(caches.WORDS))
    assert cache.table == caches.TABLE and not set(caches.OTHERS) & set(cache.table)


def test_every_word_is_drawn_in_each_cache_that_has_it():
    ax = figure_of(plots.caches_diagram).axes[0]
    said = [label.get_text() for label in ax.texts]
    shown = [*range(caches.WORDS), *caches.SLOTS, *caches.TABLE, *range(caches.WORDS)]
    for number in range(caches.WORDS):
        assert said.count(str(number)) == shown.count(number)
    assert [word for word in said if word.startswith("page ")] == [f"page {n}" for n in range(5)]
