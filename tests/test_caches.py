"""What is read from a cache is what recomputing finds, unless one line is broken."""

import numpy as np
import pytest
import test_onnx
import torch
from cached_layers import attend, defined, drawn, in_pieces

from attnbook import pytorch
from attnbook.pytorch import KVCache, PagedCache, Pages, WindowCache

N = 17
CUTS = [(1,) * N, (N,), (5, 1, 1, 8, 2), (1, 12, 4)]
SHARED = [(4, 4), (4, 2), (4, 1)]
WINDOWS = [(1, 0), (3, 0), (3, 2), (4, 1), (20, 2), (2, 20)]


def close(actual, expected, atol=1e-12):
    np.testing.assert_allclose(actual.double().numpy(), expected, rtol=0, atol=atol)


def pages_for(q, k, v, n_pages=9, size=2):
    widths = k.shape[-3], k.shape[-1], v.shape[-1]
    return Pages(n_pages, size, *widths, dtype=k.dtype)


@pytest.mark.parametrize("heads", SHARED)
@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_the_plain_cache_is_recomputing(heads, cuts, batch):
    qkv = drawn(N, *heads, batch)
    close(in_pieces(*qkv, KVCache(N), cuts), defined(*qkv))


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("cuts", CUTS)
def test_a_window_with_sinks_is_recomputing_under_its_mask(window, cuts):
    qkv = drawn(N)
    cache = WindowCache(*window)
    close(in_pieces(*qkv, cache, cuts), defined(*qkv, *window))
    assert cache.keys.shape[-2] == sum(window)


def test_the_slots_hold_the_sinks_and_the_last_words():
    qkv = drawn(N)
    cache = WindowCache(left=4, sinks=2)
    in_pieces(*qkv, cache, (1,) * 11)
    assert cache.at.tolist() == [0, 1, 10, 7, 8, 9]


@pytest.mark.parametrize("size", [1, 2, 3, 16, 40])
@pytest.mark.parametrize("cuts", CUTS)
def test_pages_are_recomputing(size, cuts):
    qkv = drawn(N)
    cache = PagedCache(pages_for(*qkv, n_pages=-(-N // size), size=size))
    close(in_pieces(*qkv, cache, cuts), defined(*qkv))
    assert len(cache.table) == -(-N // size) and not cache.pages.free


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("window", [None, (3, 2)])
def test_short_floats_lose_no_more_than_they_lose_at_once(dtype, window):
    """Each word's numbers are rounded as at once; sums may add up in another order, so twice that.

    One more unit in the last place, of outputs below 4, is for the rounding of the result.
    """
    qkv = drawn(N, dtype=dtype)
    kind = WindowCache(*window) if window else KVCache(N)
    right = defined(*qkv, *(window or ()))
    at_once = attend(*qkv, WindowCache(*window) if window else KVCache(N))
    lost = np.abs(at_once.double().numpy() - right).max()
    close(in_pieces(*qkv, kind, (1,) * N), right, atol=2 * lost + 4 * torch.finfo(dtype).eps)


def test_texts_of_different_lengths_with_padding_on_the_left():
    texts = [drawn(n, seed=n) for n in (3, 9, 6)]
    padding = torch.tensor([6, 0, 3])
    qkv = [torch.stack([padded(x, 9) for x in same]) for same in zip(*texts, strict=True)]
    for cuts in ((9,), (7, 1, 1), (2, 4, 3)):
        out = in_pieces(*qkv, KVCache(9, padding), cuts)
        for text, own, before in zip(texts, out, padding, strict=True):
            close(own[:, before:], defined(*text))
            assert (own[:, :before] == 0).all()


def test_padding_has_no_position():
    """RoPE sees differences alone, so that its outputs would not tell."""
    cache = KVCache(9, torch.tensor([2, 0]))
    assert cache.positions(4)[:, 0].tolist() == [[0, 0, 0, 1], [0, 1, 2, 3]]
    cache.update(*drawn(4, batch=(2,))[1:])
    assert cache.positions(2)[:, 0].tolist() == [[2, 3], [4, 5]]


def padded(x, n):
    """Numbers that would be noticed, in front."""
    return torch.cat([x.new_full((len(x), n - x.shape[1], x.shape[2]), 50.0), x], dim=1)


@pytest.mark.parametrize("kind", ["plain", "window", "pages"])
def test_a_cache_that_was_reset_has_forgotten_its_text(kind):
    first, second = drawn(N, seed=1), drawn(7, seed=2)
    makes = {
        "plain": lambda: KVCache(N),
        "window": lambda: WindowCache(3, 2),
        "pages": lambda: PagedCache(pages_for(*first)),
    }
    cache, window = makes[kind](), (3, 2) if kind == "window" else ()
    in_pieces(*first, cache, (N,))
    cache.reset()
    assert cache.length == 0
    close(in_pieces(*second, cache, (2, 5)), defined(*second, *window))


def a_cache_that_was_rewound(cache):
    """It has read the words before, and finds what they and the words after it say."""
    right, wrong = drawn(9, seed=1), drawn(9, seed=2)
    in_pieces(*(x[:, :5] for x in right), cache, (5,))
    in_pieces(*(x[:, 5:] for x in wrong), cache, (4,))
    cache.rewind(5)
    assert cache.length == 5 and cache.positions(1).tolist() == [5]
    close(in_pieces(*(x[:, 5:] for x in right), cache, (1, 3)), defined(*right)[:, 5:])


def test_a_plain_cache_that_was_rewound():
    a_cache_that_was_rewound(KVCache(9))


def test_pages_that_were_rewound_are_free_again():
    pages = pages_for(*drawn(9), n_pages=9, size=2)
    a_cache_that_was_rewound(cache := PagedCache(pages))
    other = cache.fork()
    other.rewind(3)
    assert (other.table, pages.owners) == ([0, 1], [2, 2, 1, 0, 0, 1, 1, 0, 0])
    other.rewind(0)
    assert other.table == [] and len(pages.free) == 4
    close(in_pieces(*drawn(4), other, (1, 3)), defined(*drawn(4)))


def test_a_text_that_rewinds_into_a_shared_page_writes_on_a_copy():
    start, one, two = (drawn(4, seed=seed) for seed in (1, 2, 3))
    a = PagedCache(pages_for(*start))
    in_pieces(*start, a, (4,))
    b = a.fork()
    b.rewind(3)
    for cache, rest, kept in ((b, two, 3), (a, one, 4)):
        whole = [torch.cat([x[:, :kept], y], dim=-2) for x, y in zip(start, rest, strict=True)]
        close(in_pieces(*rest, cache, (1, 3)), defined(*whole)[:, kept:])


@pytest.mark.parametrize("cache", [KVCache(4), PagedCache(pages_for(*drawn(4)))])
def test_no_cache_is_rewound_to_words_that_it_has_not_read(cache):
    cache.update(*drawn(3)[1:])
    with pytest.raises(ValueError, match="length is 4; expected at most the cache's length = 3"):
        cache.rewind(4)
    with pytest.raises(ValueError, match="length is -1; expected 0 or more"):
        cache.rewind(-1)


def test_pages_that_were_freed_are_used_again_by_another_text():
    first, second, third = (drawn(8, seed=seed) for seed in range(3))
    pages = pages_for(*first, n_pages=8, size=2)
    a, b, c = (PagedCache(pages) for _ in range(3))
    in_pieces(*first, a, (8,))
    in_pieces(*second, b, (8,))
    assert (a.table, b.table, list(pages.free)) == ([0, 1, 2, 3], [4, 5, 6, 7], [])
    a.reset()
    close(in_pieces(*third, c, (3, 5)), defined(*third))
    assert (a.table, c.table, pages.owners) == ([], [0, 1, 2, 3], [1] * 8)
    more = drawn(8, seed=1)
    b.reset()
    close(in_pieces(*more, b, (1,) * 8), defined(*more))


def test_texts_that_begin_alike_share_pages_until_one_writes():
    start, ends = drawn(5, seed=1), [drawn(4, seed=seed) for seed in (2, 3)]
    wholes = [[torch.cat(pair, dim=-2) for pair in zip(start, end, strict=True)] for end in ends]
    pages = pages_for(*start, n_pages=8, size=2)
    one = PagedCache(pages)
    in_pieces(*start, one, (5,))
    two = one.fork()
    assert two.table == [0, 1, 2] and pages.owners == [2, 2, 2, 0, 0, 0, 0, 0]
    for cache, end, whole in zip((two, one), ends, wholes, strict=True):
        close(in_pieces(*end, cache, (1, 3)), defined(*whole)[:, 5:])
    assert two.table[:2] == one.table[:2] and not set(two.table[2:]) & set(one.table[2:])
    two.reset()
    assert pages.owners[:2] == [1, 1]
    one.reset()
    assert sorted(pages.free) == list(range(8))


def test_what_does_not_fit_is_refused_and_changes_nothing():
    qkv = drawn(5)
    cache = KVCache(4)
    with pytest.raises(ValueError, match=r"KVCache.update: room is 4; expected 5 or more"):
        cache.update(*qkv[1:])
    pages = pages_for(*qkv, n_pages=2)
    paged = PagedCache(pages)
    with pytest.raises(RuntimeError, match="2 pages are free; expected 3 or more"):
        paged.update(*qkv[1:])
    assert (cache.length, paged.length, paged.table, len(pages.free)) == (0, 0, [], 2)
    for make, name in (
        (lambda: KVCache(0), "room is 0"),
        (lambda: WindowCache(0), "left is 0"),
        (lambda: WindowCache(2, -1), "sinks is -1"),
        (lambda: Pages(0, 2, 1, 4), "n_pages is 0"),
        (lambda: Pages(2, 0, 1, 4), "size is 0"),
    ):
        with pytest.raises(ValueError, match=name):
            make()
    with pytest.raises(TypeError, match="v is"):
        cache.update(qkv[1], qkv[2][:, :3])


def test_latent_attention_with_absorbed_matrices_is_attention_with_keys_of_each_head():
    """q (c W)ᵀ = (q Wᵀ) cᵀ, and Σ A (c W) = (Σ A c) W: the cache holds c, as one head."""
    g = torch.Generator().manual_seed(0)
    q, c = (torch.randn(*s, generator=g, dtype=torch.float64) for s in ((4, 9, 6), (1, 9, 5)))
    w_k, w_v = torch.randn(2, 4, 5, 6, generator=g, dtype=torch.float64)
    right = pytorch.scaled_dot_product_attention(
        q, c @ w_k, c @ w_v, mask=pytorch.causal_mask(9, 9)
    )
    cache = KVCache(9)
    for t in range(9):
        latents, values, mask = cache.update(c[:, t : t + 1], c[:, t : t + 1])
        many = [x.expand(4, -1, -1) for x in (latents, values)]
        absorbed = q[:, t : t + 1] @ w_k.mT
        mixed = pytorch.scaled_dot_product_attention(absorbed, *many, mask=mask, scale=6**-0.5)
        close(mixed @ w_v, right[:, t : t + 1].numpy())


WITH_PAST = [
    name for name, case in test_onnx.CASES.items() if "past_key" in case.model.graph.node[0].input
]


@pytest.mark.parametrize("name", WITH_PAST)
def test_onnx_past_and_present(name, monkeypatch):
    """The past is one update and the new words are another; present is what the cache has."""
    monkeypatch.setattr("onnx_attention._after_past", from_a_cache)
    test_onnx.assert_agrees(test_onnx.CASES[name])


def from_a_cache(inputs, role, new):
    past = inputs.get(f"past_{role}", new[:, :, :0])
    cache = KVCache(past.shape[2] + new.shape[2])
    for x in (past, new):
        kept, _, _ = cache.update(torch.tensor(x), torch.tensor(x))
    return kept.numpy()


def test_there_are_cases_with_a_past():
    assert len(WITH_PAST) >= 10
