"""Decoding agrees with the definition, however its keys are split, unless one line is broken.

Interpreted. A tile has 128 keys at widths 16 and 32, 32 keys of float32 at width 64.
"""

import numpy as np
import one_line
import pytest
import torch
from kernel_oracle import definition, drawn, tolerance
from test_kernels import WIDTHS_OF_MODELS

from attnbook import online as numpy_online
from attnbook.exercises.engine.edits import source
from attnbook.kernels import (
    decode_attention,
    decode_attention_with_lse,
    decode_configurations,
    launch,
    online,
    scores,
    splits,
)

NAN, INF = float("nan"), float("inf")


def assert_right(q, k, v, splits=None, **options):
    out, lse = decode_attention_with_lse(q, k, v, splits=splits, **options)
    expected, right_lse, scores = definition(q, k, v, **options)
    seen = np.isfinite(right_lse)
    assert (out.dtype, out.shape, lse.dtype, lse.shape) == (
        *(q.dtype, q.shape, torch.float32),
        q.shape[:-1],
    )
    finite = torch.nan_to_num(v, nan=0.0, posinf=0.0, neginf=0.0)
    error = np.abs(out.double().numpy() - expected).max(initial=0)
    # L of each split is rounded to float32, and that of the whole again: one more eps of it
    assert error <= 2 * tolerance(q.dtype, scores, finite)
    assert (lse.numpy()[~seen] == -np.inf).all() and (out.float().numpy()[~seen] == 0).all()
    error = np.abs(lse.numpy()[seen] - right_lse[seen]).max(initial=0)
    assert error <= 2 * tolerance(torch.float32, scores, torch.ones(1))


@pytest.mark.parametrize("width", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.bfloat16])
def test_every_width_and_dtype(width, dtype):
    assert_right(*drawn((1, 2, 1, width), (1, 1, 150, width), dtype))


@pytest.mark.parametrize("width", WIDTHS_OF_MODELS)
def test_widths_between_are_padded(width):
    assert_right(*drawn((2, 4, 1, width), (2, 2, 150, width)))


@pytest.mark.parametrize("n_k", [1, 2, 127, 128, 129, 300])
@pytest.mark.parametrize("n_splits", [None, 1, 2, 5, 200])
def test_any_number_of_splits_of_any_number_of_keys(n_k, n_splits):
    """More splits than keys leave some without any."""
    assert_right(*drawn((1, 1, 1, 16), (1, 1, n_k, 16)), splits=n_splits)


@pytest.mark.parametrize(("heads", "kv_heads", "n_q"), [(1, 1, 1), (6, 2, 1), (6, 2, 3), (4, 1, 5)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_heads_that_share_keys_and_several_queries_are_rows_of_tiles(heads, kv_heads, n_q, dtype):
    assert_right(*drawn((2, heads, n_q, 32), (2, kv_heads, 140, 32), dtype), splits=2)


@pytest.mark.parametrize(("group", "n_q"), [(17, 1), (1, 33), (33, 2), (1, 70)])
def test_more_rows_than_a_tile_has(group, n_q):
    assert_right(*drawn((1, group, n_q, 16), (1, 1, 40, 16), torch.float16), splits=2)


@pytest.mark.parametrize("lens", [[0, 1, 60], [61, 0, 0], [7, 8, 9]])
@pytest.mark.parametrize("hidden", [NAN, INF, -INF])
def test_keys_past_a_valid_length_have_no_influence(lens, hidden):
    q, k, v = drawn((3, 2, 2, 16), (3, 2, 61, 16))
    lens = torch.tensor(lens)
    clean = decode_attention_with_lse(q, k, v, valid_lens=lens, splits=3)
    assert_right(q, k, v, valid_lens=lens, splits=3)
    for i, n in enumerate(lens):
        k[i, :, n:] = v[i, :, n:] = hidden
    dirty = decode_attention_with_lse(q, k, v, valid_lens=lens, splits=3)
    assert all(map(torch.equal, clean, dirty))


@pytest.mark.parametrize("options", [{"scale": 0.3}, {"scale": -0.3}, {"scale": 0}])
@pytest.mark.parametrize("softcap", [None, 0.5, 30.0])
def test_scales_and_soft_caps(options, softcap):
    q, k, v = drawn((1, 2, 1, 16), (1, 1, 60, 16))
    assert_right(3 * q, k, v, softcap=softcap, splits=2, **options)


def test_scores_that_would_overflow_do_not():
    q, k, v = drawn((1, 1, 1, 16), (1, 1, 60, 16))
    k[:, :, 40] = q[:, :, 0]
    assert_right(100 * q, 100 * k, v, splits=4)


def test_a_cache_whose_positions_come_before_its_heads_is_read_where_it_lies():
    q, k, v = drawn((2, 4, 1, 32), (2, 2, 70, 32))
    cache = torch.full((2, 2, 90, 2, 64), NAN)  # (keys and values, batch, positions, heads, ...)
    cache[:, :, :70, :, :32] = torch.stack([k, v]).transpose(2, 3)
    k_view, v_view = cache[:, :, :70, :, :32].transpose(2, 3)
    assert not k_view.is_contiguous()
    assert torch.equal(decode_attention(q, k_view, v_view), decode_attention(q, k, v))
    wide = torch.stack([q, q], dim=-1)[..., 0]  # its features do not lie side by side
    assert torch.equal(decode_attention(wide, k, v), decode_attention(q, k, v))


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_any_number_of_leading_axes(batch):
    q, k, v = drawn((*batch, 2, 1, 16), (*batch, 1, 40, 16))
    lens = torch.tensor([3, 40]) if batch else None
    out = decode_attention(q, k, v, valid_lens=lens)
    each = None if lens is None else lens.repeat_interleave(out[0].numel() // 32)
    flat = (x.reshape(-1, *x.shape[-3:]) for x in (q, k, v))
    assert torch.equal(out.reshape(-1, 2, 1, 16), decode_attention(*flat, valid_lens=each))


def test_halves_of_the_cache_merge_into_the_whole():
    q, k, v = drawn((1, 2, 1, 16), (1, 2, 90, 16))
    halves = [
        decode_attention_with_lse(q, k[:, :, s], v[:, :, s]) for s in (np.s_[:33], np.s_[33:])
    ]
    merged = numpy_online.merge(*(x.numpy() for half in halves for x in half))
    whole = decode_attention_with_lse(q, k, v)
    for a, b in zip(merged, whole, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=2e-6)  # sums of 90 numbers in two orders


def test_nothing_to_compute():
    q, k, v = drawn((1, 2, 0, 16), (1, 2, 9, 16))
    assert decode_attention(q, k, v).shape == (1, 2, 0, 16)
    q, k, v = drawn((1, 2, 3, 16), (1, 2, 0, 16))
    out, lse = decode_attention_with_lse(q, k, v)
    assert (out == 0).all() and (lse == -INF).all()


def test_compiled_code_calls_the_kernels_and_a_gradient_is_refused():
    q, k, v = drawn((1, 2, 1, 16), (1, 1, 40, 16))
    compiled = torch.compile(lambda *x: 2 * decode_attention(*x), backend="eager", fullgraph=True)
    assert torch.equal(compiled(q, k, v), 2 * decode_attention(q, k, v))
    with pytest.raises(NotImplementedError, match="decode_attention has no gradient"):
        decode_attention(q.requires_grad_(), k, v).sum().backward()


def test_arguments_stay_as_they_are_and_wrong_ones_are_refused():
    q, k, v = drawn((2, 2, 1, 16), (2, 1, 40, 16))
    before = [x.clone() for x in (q, k, v)]
    decode_attention(q, k, v, valid_lens=torch.tensor([3, 9]))
    assert all(map(torch.equal, before, (q, k, v)))
    for wrong, said in {
        (("splits", 0),): "splits is 0; expected 1 to 256",
        (("splits", 257),): "splits is 257",
        (("softcap", 0.0),): r"softcap is 0\.0; expected a finite number above 0",
        (("valid_lens", torch.tensor([3])),): "valid_lens has 1 lengths; expected 2",
        (("valid_lens", torch.tensor([3, 41])),): "41",
    }.items():
        with pytest.raises(ValueError, match=said):
            decode_attention(q, k, v, **dict(wrong))
    with pytest.raises(TypeError, match="float64"):
        decode_attention(*(x.double() for x in (q, k, v)))


SHAPES = [
    ((1, 32, 1, 128), (1, 8, 2**16, 128)),
    ((1, 32, 1, 128), (1, 32, 2**16, 128)),
    ((4, 32, 1, 128), (4, 1, 2**16, 128)),
    ((16, 32, 1, 128), (16, 8, 2**16, 128)),
    ((1, 8, 1, 64), (1, 1, 2**16, 64)),
]


@pytest.mark.parametrize(("q", "k"), SHAPES)
def test_the_number_of_splits_keeps_the_processors_busy(q, k):
    """At least 85 % of the places on an H100, and no fewer splits would keep as many."""
    n = decode_configurations.splits_for(q, k, 2, num_sms=132)
    programs, places = n * k[0] * k[1], 132 * decode_configurations.RESIDENT
    waves = -(-programs // places)
    busy = programs / (waves * places)
    assert busy >= 0.85 or n >= decode_configurations.ENOUGH * decode_configurations.MOST_SPLITS
    assert n == 1 or (n - 1) * k[0] * k[1] / (-(-(n - 1) * k[0] * k[1] // places) * places) < busy


def test_short_caches_are_not_split_into_less_than_a_tile():
    assert decode_configurations.splits_for((1, 1, 1, 64), (1, 1, 64, 64), 2, num_sms=132) == 1
    assert decode_configurations.splits_for((1, 1, 1, 64), (1, 1, 65, 64), 2, num_sms=132) == 2
    assert decode_configurations.splits_for((1, 1, 1, 64), (1, 1, 0, 64), 2, num_sms=132) == 1


MUTANTS = {
    "no rescale of the sum": "l * rescale +  → l + ",
    "no rescale of the output": "acc * rescale[:, None] → acc",
    "no scale": "scoring.scale * LOG2_E, 1.0 → LOG2_E, 1.0",
    "keys past the split are seen": "begin + keys < last → begin + keys < last + 1",
    "the last key is lost": "begin + keys < last → begin + keys < last - 1",
    "hidden keys count as zeros": 'scores, -float("inf")) → scores, 0.0)',
    "values past the split are read":
        "v_block = tl.load(v, mask=valid[:, None], other=0.0) → v_block = tl.load(v)",
    "the keys do not advance": "k += step * k_stride → pass",
    "the values do not advance": "v += step * v_stride → pass",
    "the values advance as keys": "v += step * v_stride → v += step * k_stride",
    "the largest is not carried on":
        "m, l, weights, rescale = online_step → _, l, weights, rescale = online_step",
    "splits overlap":
        "last = tl.minimum(first + share, n) → last = tl.minimum(first + share + 1, n)",
    "the rest of the keys is left out": "share = tl.cdiv(n, splits) → share = n // splits",
    "lengths are not read": "n = valid_keys(valid_lens, batch, n_k) → n = n_k",
    "every head has its own keys":
        "head, row = kv_head * (n_rows // n_q) + rows // n_q → head, row = kv_head + rows // n_q",
    "rows are queries first": "rows // n_q, rows % n_q → rows % n_q, rows // n_q",
    "the lse in powers of two": "(m + tl.log2(l)) * LN_2 → (m + tl.log2(l))",
    "the part is not divided": "acc / l[:, None] → acc",
    "NaN where nothing is seen": 'tl.where(m_new == -float("inf"), 0.0, m_new) → m_new',
    "tanh of the scores alone":
        "tanh(products * (scoring.scale / scoring.softcap)) → tanh(products * scoring.scale)",
    "one part is left out": "mask=split < splits, other → mask=split < splits - 1, other",
    "parts are not weighted": "tl.sum(shares[:, None] * each → tl.sum(each",
    "the merge does not divide": "* each, axis=0) / l → * each, axis=0)",
    "the lse of the largest part": "m + tl.log(l), mask → m, mask",
    "the merge overflows": "shares = tl.exp(each - shift) → shares = tl.exp(each)",
    "a part of another row": ("at = (head * splits + split).to(tl.int64) * n_rows + row → "
        "at = (head * splits + split).to(tl.int64) * n_rows"),
    "only some columns are merged":
        "tl.store(out + at * D + columns, merged → tl.store(out + at * D + columns % 16, merged",
}  # fmt: skip
FILES = splits, online, scores


def put(monkeypatch, change):
    """Kernels with one text changed, in their file or in one that they take functions from."""
    (file,) = [each for each in FILES if change.partition(" → ")[0] in source(each)]
    broken = one_line.of_module(file, change)
    for home in (launch, splits):
        for name in vars(home).keys() & file_functions(file):
            monkeypatch.setattr(home, name, getattr(broken, name))


def file_functions(file):
    """The names of the kernels, and of their parts, that a file defines."""
    jitted = {name: x.fn for name, x in vars(file).items() if hasattr(x, "fn")}
    return {name for name, x in jitted.items() if x.__module__ == file.__name__}


def assert_all_right():
    """Few cases, of which each mistake fails one."""
    q, k, v = drawn((2, 4, 3, 64), (2, 2, 75, 64))
    assert_right(q, k.transpose(-2, -3).contiguous().transpose(-2, -3), v, splits=2)
    lens = torch.tensor([0, 70])
    v[1, :, 70:] = NAN
    assert_right(q, k, v, splits=2, valid_lens=lens, softcap=0.5)
    assert_right(10 * q[:, :, :1], 10 * k[:, :, :70], v[:, :, :70].nan_to_num(), splits=3)
    q, k, v = drawn((1, 1, 1, 64), (1, 1, 50, 64))
    k[:, :, :35] = -3e38  # more than the first tile: all of its scores are -inf
    q, rest = q.abs(), (k[:, :, 35:], v[:, :, 35:])
    out, right = decode_attention(q, k, v, splits=1), decode_attention(q, *rest, splits=1)
    assert torch.allclose(out, right, rtol=0, atol=1e-6)  # 15 keys, summed in two orders


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_the_cases_are_right_without_a_mistake(monkeypatch):
    put(monkeypatch, "at = query.to → at = query.to")
    assert_all_right()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", MUTANTS)
def test_one_line_broken_is_rejected(monkeypatch, name):
    put(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError):
        assert_all_right()
