"""Tiles are the readable forms, compute what somebody sees, and hold little of it at once."""

import itertools
import tracemalloc

import numpy as np
import pytest
from draw import BATCHES

from attnbook import masks
from attnbook.online import attention_blockwise, attention_with_lse
from attnbook.tiled import backward, forward

EPS = np.finfo(float).eps
WINDOWS = [(0, 0), (1, 0), (3, 2), (0, 4), (40, 50)]


def lengths(n_k):
    return np.array([n_k, n_k // 3])


def window(left, right):
    return (
        lambda q, k, v: forward.sliding_window_attention_tiled(q, k, v, left, right),
        lambda n_q, n_k: masks.sliding_window_mask(n_q, n_k, left, right),
    )


# Each form, and its mask: what the same call of the readable form takes.
FORMS = {
    "plain": (lambda q, k, v: forward.attention_tiled(q, k, v), lambda n_q, n_k: None),
    "causal": (
        lambda q, k, v: forward.causal_attention_tiled(q, k, v),
        masks.causal_mask,
    ),
    "padded": (
        lambda q, k, v: forward.padded_attention_tiled(q, k, v, lengths(k.shape[-2])),
        lambda n_q, n_k: masks.padding_mask(lengths(n_k), n_k)[:, None],
    ),
    **{f"window {left} {right}": window(left, right) for left, right in WINDOWS},
}
every_form = pytest.mark.parametrize("form", FORMS)

# As it is; and so small that short sequences have several tiles too.
SIZES = [
    {},
    {"ROWS": 4, "KEYS": 5, "MASKED_ROWS": (2, 3), "MAX_SCORES": 30},
    {"ROWS": 3, "KEYS": 2, "MASKED_ROWS": (4, 4), "MAX_SCORES": 1000},
    {"ROWS": 1, "KEYS": 1, "MASKED_ROWS": (1, 1), "MAX_SCORES": 1},
]


def set_sizes(monkeypatch, sizes):
    for name, size in sizes.items():
        monkeypatch.setattr(forward, name, size)
        if hasattr(backward, name):
            monkeypatch.setattr(backward, name, size)


@pytest.fixture(params=SIZES, ids=["large", "small", "odd", "one"])
def tile_size(request, monkeypatch):
    set_sizes(monkeypatch, request.param)


def drawn(n_q, n_k, batch=(2, 3), d_k=4, d_v=6):
    rng = np.random.default_rng(0)
    return [rng.standard_normal((*batch, *s)) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v))]


def assert_readable(form, arrays, eps=64 * EPS, readable=attention_with_lse):
    """Two orders of the same sums of numbers near 1, and two shifts of the same exponentials."""
    call, mask = FORMS[form]
    mask = mask(arrays[0].shape[-2], arrays[1].shape[-2])
    (out, lse), (right, right_lse) = call(*arrays), readable(*arrays, mask)
    assert (out.dtype, lse.dtype) == (right.dtype, right_lse.dtype)
    if mask is not None:  # a sum over infinity is NaN; of a tile that hides nothing, infinite
        out, right = (np.where(np.isfinite(x), x, np.nan) for x in (out, right))
    np.testing.assert_allclose(out, right, rtol=eps, atol=eps)
    np.testing.assert_allclose(lse, right_lse, rtol=eps, atol=eps)


def test_a_window_looks_back_alone_unless_told():
    arrays = drawn(7, 9)
    expected = attention_with_lse(*arrays, masks.sliding_window_mask(7, 9, 2))
    for found, right in zip(
        forward.sliding_window_attention_tiled(*arrays, 2), expected, strict=True
    ):
        np.testing.assert_allclose(found, right, rtol=64 * EPS, atol=64 * EPS)


LONG = list(itertools.product((1, 3, 7, 20), (1, 2, 5, 9, 20, 33)))


@every_form
def test_tiles_are_the_readable_form(tile_size, form):
    for n_q, n_k in LONG:
        assert_readable(form, drawn(n_q, n_k))


@pytest.mark.parametrize("form", ["plain", "causal", "padded", "window 40 50"])
@pytest.mark.parametrize("n_q, n_k", [(300, 1100), (1100, 300), (700, 700)])
def test_tiles_of_full_size_are_the_readable_blocks(form, n_q, n_k):
    assert_readable(form, drawn(n_q, n_k, (2, 1)), readable=attention_blockwise)


@pytest.mark.parametrize("batch", [*BATCHES, (0,), (3, 0)])
@pytest.mark.parametrize("form", [name for name in FORMS if name != "padded"])
def test_tiles_take_any_number_of_batch_axes(form, batch):
    assert_readable(form, drawn(7, 9, batch))


@pytest.mark.parametrize("heads", [(), (3,), (3, 2), (0,)])
@pytest.mark.parametrize("lens", [[7, 0, 3], []])
def test_every_head_of_a_sequence_has_its_length(heads, lens):
    arrays, lens = drawn(5, 7, (len(lens), *heads)), np.array(lens, dtype=int)
    mask = masks.padding_mask(lens, 7).reshape(len(lens), *(1 for _ in heads), 1, 7)
    found = forward.padded_attention_tiled(*arrays, lens)
    for actual, expected in zip(found, attention_with_lse(*arrays, mask), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=64 * EPS, atol=64 * EPS)


@every_form
@pytest.mark.parametrize("n_q, n_k, d_v", [(0, 3, 6), (3, 0, 6), (0, 0, 6), (3, 5, 0)])
def test_tiles_of_nothing_are_the_readable_form(form, n_q, n_k, d_v):
    assert_readable(form, drawn(n_q, n_k, d_v=d_v))


@every_form
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32, np.uint8])
def test_tiles_have_the_dtype_and_the_precision_of_the_readable_form(form, dtype):
    arrays = [np.abs(4 * x).astype(dtype) for x in drawn(7, 9)]
    precision = np.finfo(dtype if np.dtype(dtype).kind == "f" else float).eps
    assert_readable(form, arrays, eps=256 * precision)  # values up to 12, scores up to 60


@every_form
def test_tiles_change_no_argument(tile_size, form):
    arrays = drawn(7, 9)
    for x in arrays:
        x.setflags(write=False)
    FORMS[form][0](*arrays)


JUNK = [np.nan, np.inf, -np.inf, 1e300]


@every_form
@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("i", range(3), ids="qkv")
def test_junk_has_the_part_in_each_row_that_it_has_in_the_readable_form(tile_size, form, junk, i):
    arrays = drawn(7, 9)
    arrays[i][0, 1, 3, 2] = junk  # which query 1 sees in the causal form, and query 0 does not
    assert_readable(form, arrays)


@pytest.mark.parametrize("form", [name for name in FORMS if name != "plain"])
@pytest.mark.parametrize("junk", JUNK)
def test_what_no_tile_has_is_without_influence_to_the_bit(monkeypatch, form, junk):
    """The keys that none of the first two queries sees, so that no tile of theirs has them."""
    monkeypatch.setattr(forward, "MASKED_ROWS", (2, 2))
    arrays, (call, mask) = drawn(7, 9), FORMS[form]
    before = [x[:, :, :2] for x in call(*arrays)]
    seen = np.broadcast_to(mask(7, 9), (2, 3, 7, 9))[:, :, :2].any(axis=2)
    for x in arrays[1:]:
        x[~seen] = junk
    for found, expected in zip(call(*arrays), before, strict=True):
        assert np.array_equal(found[:, :, :2], expected)


@every_form
@pytest.mark.parametrize("step", [2000, 709.7])
def test_a_first_score_far_below_the_others_overflows_nothing(form, step):
    """Where exp overflows at 709.8, and in the second case a sum of two."""
    q, k, v = drawn(7, 9)
    q[..., 0], k[..., 0], k[..., 0, 0] = 2, step, 0
    q[..., 1:] = 0
    # A score near 2000 is off by 2000 eps, and its exponential by as much of itself.
    assert_readable(form, (q, k, v / 100), eps=8 * 2000 * EPS)


@every_form
def test_a_query_whose_scores_are_all_minus_infinity_sees_nothing(form):
    q, k, v = drawn(7, 9)
    q[..., 3, :], k[..., 0] = 0, -1e200
    q[..., 3, 0] = 1e200
    assert_readable(form, (q, k, v))


@every_form
def test_values_whose_sum_overflows_do_not_overflow_in_their_mean(form):
    q, k, v = drawn(7, 9)
    assert_readable(form, (q, k, np.full_like(v, 1e308)))


@every_form
@pytest.mark.parametrize("level", [-1e4, 1e4])
def test_scores_far_from_0_lose_no_more_than_the_readable_form(form, level):
    q, k, v = drawn(7, 9)
    q[..., 0], k[..., 0] = 2, level  # scores near ±10^4, each off by as many eps
    assert_readable(form, (q, k, v), eps=8 * 1e4 * EPS)


@every_form
@pytest.mark.parametrize("size", [1, 2e4])
def test_a_query_with_one_key_has_its_value_however_large_the_score(form, size):
    """Two roundings of one score near 10^9 differ by 64 and more, and exp(-64) is not 1."""
    q, k, v = (x.astype(np.float32) for x in drawn(300, 1, d_k=64))
    call, mask = FORMS[form]
    out, _ = call(size * q, size * k, v)
    seen = True if mask(300, 1) is None else mask(300, 1)
    expected = np.broadcast_to(np.where(seen, v, 0), out.shape)
    np.testing.assert_allclose(out, expected, rtol=4 * np.finfo(np.float32).eps)


@every_form
def test_the_readable_form_is_for_what_is_not_finite_alone(monkeypatch, form):
    monkeypatch.setattr(forward, "attention_blockwise", None)
    q, k, v = drawn(50, 70)
    FORMS[form][0](5 * q, 5 * k, v)


@pytest.mark.parametrize("wrong", [-1, 8])
def test_tiles_refuse_wrong_lengths(wrong):
    with pytest.raises(ValueError, match=f"tiled: valid_lens has {wrong}; expected 0 to n_k = 7"):
        forward.padded_attention_tiled(*drawn(5, 7), np.array([3, wrong]))


def test_lengths_are_looked_at_without_a_mask():
    """One of so many keys would be larger than any memory."""
    q, k, v = (x[:1] for x in drawn(5, 7))
    far = [np.broadcast_to(x[..., :1, :], (*x.shape[:-2], 2**44, x.shape[-1])) for x in (k, v)]
    lens = np.array([1])
    found = forward.padded_attention_tiled(q, *far, lens)
    for ours, right in zip(found, forward.padded_attention_tiled(q, k, v, lens), strict=True):
        np.testing.assert_array_equal(ours, right)


@pytest.mark.parametrize("left, right", [(-1, 0), (0, -2)])
def test_tiles_refuse_a_negative_window(left, right):
    name, value = ("left", left) if left < 0 else ("right", right)
    with pytest.raises(ValueError, match=f"tiled: {name} is {value}; expected 0 or more"):
        forward.sliding_window_attention_tiled(*drawn(5, 7), left, right)


@every_form
def test_tiles_refuse_keys_of_width_0(form):
    with pytest.raises(ValueError, match="q has width d_k = 0; expected 1 or more"):
        FORMS[form][0](*drawn(5, 7, d_k=0))


def computed(monkeypatch, form, n_q, n_k):
    """In how many of 2 · 3 heads each score is computed; twice counts as two."""
    times, whole = np.zeros((n_q, n_k), int), forward._Band.mask_tile

    def mask_tile(band, scores, i, j):
        times[i : i + scores.shape[1], j : j + scores.shape[2]] += len(scores)
        whole(band, scores, i, j)

    monkeypatch.setattr(forward._Band, "mask_tile", mask_tile)
    FORMS[form][0](*drawn(n_q, n_k))
    return times


@pytest.mark.parametrize("form", ["causal", *(name for name in FORMS if "window" in name)])
def test_each_visible_score_is_computed_once_and_few_others(monkeypatch, form):
    monkeypatch.setattr(forward, "MASKED_ROWS", (4, 4))
    monkeypatch.setattr(forward, "KEYS", 8)
    times, seen = computed(monkeypatch, form, 40, 50), FORMS[form][1](40, 50)
    for i in range(0, 40, 4):  # of a block of queries, the keys that at least one of them sees
        expected = 6 * seen[i : i + 4].any(axis=0)
        assert np.array_equal(times[i : i + 4], np.tile(expected, (4, 1)))


def test_padding_is_no_part_of_any_tile(monkeypatch):
    times = computed(monkeypatch, "padded", 5, 9)
    assert np.array_equal(times, np.tile([6] * 3 + [3] * 6, (5, 1)))  # lengths 9 and 3


def most_held(call, arrays):
    """The most bytes that a call takes at once, its result included, as a multiple of it."""
    tracemalloc.start()
    try:
        out = call(*arrays)[0]
        return tracemalloc.get_traced_memory()[1] / out.nbytes
    finally:
        tracemalloc.stop()


def sequences(heads=32, n=512):
    return [x.astype(np.float32) for x in drawn(n, n, (2, heads), 64, 64)]


@pytest.mark.parametrize("form", ["plain", "causal", "padded", "window 40 50"])
def test_tiles_hold_little_more_than_the_result(form):
    assert most_held(FORMS[form][0], sequences()) < 1.3


def test_the_matrix_of_scores_is_noticed():
    assert most_held(attention_with_lse, sequences(heads=4)) > 8
