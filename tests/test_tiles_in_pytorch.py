"""The tiled form is the readable form, with L, and holds few scores at once."""

from functools import partial

import numpy as np
import one_line
import pytest
import torch
from test_modules import EPS, close, inputs

from attnbook import measure, pytorch
from attnbook.tiled import pytorch as tiles


def plain(q, k, v, mask=None):
    """The readable form, and L."""
    lse = pytorch.logsumexp(pytorch.dot_product_scores(q, k), mask)
    return pytorch.scaled_dot_product_attention(q, k, v, mask), lse


SIZES = [(3, 5), (64, 64), (300, 300), (70, 200), (200, 70)]


@pytest.mark.parametrize("n_q, n_k", SIZES)
def test_tiles_are_the_readable_form(n_q, n_k):
    rng = np.random.default_rng(1)
    shapes = [(2, 3, n, d) for n, d in ((n_q, 8), (n_k, 8), (n_k, 6))]
    q, k, v = (torch.from_numpy(rng.standard_normal(shape)) for shape in shapes)
    lens = torch.tensor([n_k, n_k // 3])
    causal, padding = pytorch.causal_mask(n_q, n_k), pytorch.padding_mask(lens, n_k)[:, None]
    for actual, mask in (
        (tiles.attention_tiled(q, k, v), None),
        (tiles.causal_attention_tiled(q, k, v), causal),
        (tiles.padded_attention_tiled(q, k, v, lens), padding),
    ):
        for found, expected in zip(actual, plain(q, k, v, mask), strict=True):
            close(found, expected)


def test_tiles_with_a_wrong_mask_are_rejected(monkeypatch):
    monkeypatch.setattr(pytorch, "causal_mask", lambda n_q, n_k: torch.ones(n_q, n_k).tril() > 0)
    with pytest.raises(AssertionError):
        test_tiles_are_the_readable_form(70, 200)


def test_tiles_hide_nan_and_infinity_as_the_readable_form_does():
    q, k, v = inputs(4, 4, 6, n_q=5)
    v[:, 4], k[:, 3] = torch.nan, torch.inf
    expected = plain(q, k, v, pytorch.causal_mask(5, 5))
    actual = tiles.causal_attention_tiled(q, k, v)
    torch.testing.assert_close(actual, expected, equal_nan=True)


def test_padding_is_below_the_lowest_of_scores():
    q, k, v = torch.full((1, 2, 4), -1e3), torch.full((1, 3, 4), 1e3), torch.ones(1, 3, 2)
    v[0, 2] = 9
    out, lse = tiles.padded_attention_tiled(q, k, v, torch.tensor([2]))
    assert (out == 1).all() and lse.isfinite().all()


def test_an_infinite_key_counts_though_its_weight_would_be_0():
    q, k, v = -torch.ones(1, 2, 4), torch.ones(1, 3, 4), torch.ones(1, 3, 2)
    k[0, 1] = torch.inf
    expected = plain(q, k, v)
    assert expected[0].isnan().all()
    torch.testing.assert_close(tiles.attention_tiled(q, k, v), expected, equal_nan=True)


def test_tiles_of_products_that_overflow_are_the_readable_form():
    q, k, v = (1e30 * x for x in inputs(4, 4, 6, dtype=torch.float32))
    expected = plain(q, k, v)
    assert expected[0].isnan().any()
    torch.testing.assert_close(tiles.attention_tiled(q, k, v), expected, equal_nan=True)


def lens(n_k):
    return torch.tensor([n_k // 2, 0], device="cpu")


def padded(q, k, v):
    return tiles.padded_attention_tiled(q, k, v, lens(k.shape[-2]))


MASKS = {
    tiles.attention_tiled: lambda n_q, n_k: None,
    tiles.causal_attention_tiled: pytorch.causal_mask,
    padded: lambda n_q, n_k: pytorch.padding_mask(lens(n_k), n_k)[:, None],
}
every_form = pytest.mark.parametrize("form", MASKS, ids=lambda form: form.__name__)


def drawn(n_q=5, n_k=7):
    torch.manual_seed(0)
    sizes = (n_q, 4), (n_k, 4), (n_k, 6)
    return [torch.randn(2, 3, n, d, dtype=torch.float64) for n, d in sizes]


def assert_readable(form, q, k, v, eps=64 * EPS):
    """Two orders of the same sums of numbers near 1."""
    mask = MASKS[form](q.shape[-2], k.shape[-2])
    (expected, lse), (actual, actual_lse) = plain(q, k, v, mask), form(q, k, v)
    if mask is not None:  # a sum over infinity is NaN; of a block that hides nothing, infinite
        expected, actual = (torch.where(x.isfinite(), x, torch.nan) for x in (expected, actual))
    torch.testing.assert_close(actual, expected, rtol=eps, atol=eps, equal_nan=True)
    torch.testing.assert_close(actual_lse, lse, rtol=eps, atol=eps)


@pytest.fixture
def little_cache(monkeypatch):
    """So little that short sequences take several blocks too."""
    for name, n in {"CACHED": 64, "FEWEST_ROWS": 3, "MOST_ROWS": 4, "CAUSAL_ROWS": 3}.items():
        monkeypatch.setattr(tiles, name, n)


@every_form
@pytest.mark.parametrize("n_q, n_k", [(8, 5), (10, 18), (9, 40)])
def test_several_tiles_of_rows_and_heads_are_the_readable_form(little_cache, form, n_q, n_k):
    assert_readable(form, *drawn(n_q, n_k))


@every_form
@pytest.mark.parametrize(
    "change",
    [
        "top + torch.log2(total), math.log(2) → top + torch.log2(total), 1",
        "top + torch.log2(total) → torch.log2(total)",
        "top + torch.log2(total) → top + torch.log(total)",
    ],
)
def test_a_wrong_lse_of_tiles_is_rejected(monkeypatch, form, change):
    claim = partial(assert_readable, form, *drawn())
    one_line.assert_rejected(monkeypatch, tiles._mix, change, claim)


@every_form
def test_no_more_scores_are_held_at_once_than_the_cache_has(monkeypatch, form):
    """Beside them the result, and less than as much again for sums of rows and the products."""
    monkeypatch.setattr(tiles, "CACHED", 1024)
    monkeypatch.setattr(tiles, "FEWEST_ROWS", 4)
    monkeypatch.setattr(tiles, "MOST_ROWS", 32)
    monkeypatch.setattr(tiles, "CAUSAL_ROWS", 8)
    leaves = [x.requires_grad_() for x in drawn(64, 64)]
    with torch.no_grad():
        most = measure.peak_memory(lambda: form(*leaves))
    assert most < 8 * (2 * 3 * 64 * (6 + 1) + 2 * 1024)


@every_form
@pytest.mark.parametrize("n_q, n_k", [(0, 3), (3, 0), (0, 0)])
def test_tiles_of_nothing_are_the_readable_form(form, n_q, n_k):
    assert_readable(form, *drawn(n_q, n_k))


@every_form
@pytest.mark.parametrize("i", range(3), ids="qkv")
def test_a_gradient_through_tiles_is_that_of_the_readable_form(form, i):
    def loss(out, lse):
        return out.square().sum() + torch.where(lse.isfinite(), lse, 0).square().sum()

    given = drawn()
    given[i].requires_grad_()
    (actual,) = torch.autograd.grad(loss(*form(*given)), given[i])
    (expected,) = torch.autograd.grad(loss(*plain(*given, MASKS[form](5, 7))), given[i])
    close(actual, expected)


@pytest.mark.parametrize("form", list(MASKS)[:2], ids=lambda form: form.__name__)
def test_on_a_device_without_numbers_tiles_have_the_shape(form):
    out, lse = form(*(x.to("meta") for x in drawn()))
    assert out.shape == (2, 3, 5, 6) and lse.shape == (2, 3, 5)


@every_form
def test_tiles_compile_to_one_graph(form):
    torch.compiler.reset()
    compiled = torch.compile(form, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(*drawn()), form(*drawn()))


@every_form
@pytest.mark.parametrize("junk", [torch.nan, torch.inf, -torch.inf])
def test_tiles_with_a_value_that_is_not_finite_are_the_readable_form(form, junk):
    q, k, v = drawn()
    v[..., 1, :], v[..., 5, :] = junk, -junk
    assert_readable(form, q, k, v)


@every_form
@pytest.mark.parametrize("value", [1.0, torch.inf])
def test_tiles_make_what_they_need_on_the_device_of_their_input(form, value):
    q, k, v = drawn()
    v[..., 1, :] = value
    with torch.device("meta"):  # where a tensor goes for which no device is named
        actual = form(q, k, v)
    torch.testing.assert_close(actual, form(q, k, v), equal_nan=True)


@every_form
def test_values_whose_sum_overflows_do_not_overflow_in_their_mean(form):
    q, k, v = drawn()
    assert_readable(form, q, k, torch.full_like(v, 1e308))


@every_form
def test_rows_of_scores_at_two_levels_lose_no_precision(form):
    """Powers of scores near -735 are subnormal numbers of few digits, unless each row is shifted.

    A score is off by 735 eps, and so is its exponential.
    """
    q, k, v = drawn()
    levels = torch.tensor([1.0, 0.0, 1.0, 0.0, 1.0], dtype=q.dtype)[:, None]
    assert_readable(form, levels.expand_as(q), k - 367.5, v, eps=4 * 735 * EPS)


@pytest.mark.parametrize("wrong", [-1, 8])
def test_tiles_refuse_wrong_lengths(wrong):
    with pytest.raises(ValueError, match=f"tiled: valid_lens has {wrong}; expected 0 to n_k = 7"):
        tiles.padded_attention_tiled(*drawn(), torch.tensor([3, wrong]))


def test_lengths_and_values_are_looked_at_without_a_copy_or_a_mask():
    """One of so many keys would be larger than any memory."""
    q, k, v = (x[:1] for x in drawn())
    far = [x[..., :1, :].expand(*x.shape[:-2], 2**44, x.shape[-1]) for x in (k, v)]
    lens = torch.tensor([1])
    found = tiles.padded_attention_tiled(q, *far, lens)
    wanted = tiles.padded_attention_tiled(q, k, v, lens)
    for ours, right in zip(found, wanted, strict=True):
        torch.testing.assert_close(ours, right)


def test_a_batch_without_examples_has_padded_tiles_without_examples():
    q, k, v = (x[:0] for x in drawn())
    lengths = torch.tensor([], dtype=torch.int64)
    out, lse = tiles.padded_attention_tiled(q, k, v, lengths)
    assert out.shape == (0, 3, 5, 6) and lse.shape == (0, 3, 5)


@every_form
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_output_and_lse_of_short_floats_are_rounded_once(form, dtype):
    short = [x.to(dtype) for x in drawn()]
    torch.testing.assert_close(
        form(*short), tuple(x.to(dtype) for x in form(*(x.float() for x in short))), rtol=0, atol=0
    )
