"""Edges of `attnbook.fused.attention` one at a time: what a draw of all options rarely meets."""

import numpy as np
import pytest
import torch
from fused_cases import Case, assert_answers

from attnbook import fused
from attnbook.fused import forms, guarantees, sdpa
from attnbook.pytorch.options import Options
from attnbook.pytorch.rules import Rule

pytestmark = pytest.mark.filterwarnings("ignore::attnbook.fused.SlowForm")
rng = np.random.default_rng(0)
ONE = {
    "nothing": {},
    "causal": {"causal": True},
    "window": {"window": 1},
    "window of one": {"window": 0, "causal": True},
    "lengths": {"valid_lens": np.array([0, 2])},
    "cap": {"softcap": 2.0},
    "alibi": {"alibi": True},
    "scale": {"scale": 0.7},
    "no scale": {"scale": 0.0},
    "turned": {"scale": -0.3, "causal": True},
}
SIZES = (5, 2), (2, 5), (3, 3), (1, 4), (4, 1)


def arrays(n_q, n_k, d_k=16, d_v=16, lead=(2,)):
    shapes = (4, n_q, d_k), (2, n_k, d_k), (2, n_k, d_v)
    return tuple(rng.standard_normal((*lead, *shape)) for shape in shapes)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", ONE)
def test_each_option_alone(name, sizes):
    """More queries than keys, fewer, as many: who sees nothing gets zeros."""
    lens = {"valid_lens": np.array([0, min(2, sizes[1])])} if name == "lengths" else {}
    assert_answers(fused.attention, Case(arrays(*sizes), ONE[name] | lens))
    if name == "nothing":
        tensors = Case(arrays(*sizes), {}).tensors()
        right = fused.attention(*tensors, causal=False, alibi=False)
        assert torch.equal(fused.attention(*tensors), right)
        assert fused.explain(*tensors) == fused.explain(*tensors, causal=False, alibi=False)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8])
def test_each_option_beside_lengths_of_any_integers_and_a_value_that_is_nan(name, kind):
    given = arrays(5, 4)
    given[2][1, 0, 2, 3] = np.nan
    options = ONE[name] | {"valid_lens": np.array([0, 3]).astype(kind)}
    assert_answers(fused.attention, Case(given, options))


@pytest.mark.parametrize("lead", [(), (2, 3), (1, 2, 2)])
@pytest.mark.parametrize("name", ["nothing", "causal", "window", "cap", "alibi"])
def test_any_number_of_leading_axes(name, lead):
    assert_answers(fused.attention, Case(arrays(3, 4, 8, 4, lead), ONE[name]))
    if len(lead) > 1:
        lens = np.arange(lead[0]) + 1
        assert_answers(fused.attention, Case(arrays(3, 4, 8, 4, lead), {"valid_lens": lens}))


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"window": 1}, {"softcap": 2.0}])
def test_a_bias_of_minus_infinity_hides_and_one_that_is_nan_spoils(options):
    given = arrays(3, 4)
    bias = rng.standard_normal((3, 4))
    right = fused.attention(*Case(given, {}).tensors(), bias=torch.from_numpy(bias), **options)
    bias[1] = -np.inf
    bias[0, 0], bias[0, 3] = np.nan, np.nan  # the last is hidden from the first by each mask
    found = fused.attention(*Case(given, {}).tensors(), bias=torch.from_numpy(bias), **options)
    assert (found[..., 1, :] == 0).all()
    assert torch.equal(found[..., 2, :], right[..., 2, :])
    assert found[..., 0, :].isnan().all()
    bias[0] = 0, 0, 0, np.nan
    found = fused.attention(*Case(given, {}).tensors(), bias=torch.from_numpy(bias), **options)
    assert found[..., 0, :].isnan().all() == ("causal" not in options and "window" not in options)


REFUSED = {
    "valid_lens has 4 lengths, and q the shape (4, 3, 16); expected one for each batch": (
        (),
        {"valid_lens": torch.tensor([1, 2, 3, 4])},
    ),
    "softcap is inf; expected a finite number above 0": ((2,), {"softcap": float("inf")}),
    "softcap is nan; expected a finite number above 0": ((2,), {"softcap": float("nan")}),
    "softcap is -1; expected a finite number above 0": ((2,), {"softcap": -1}),
    "valid_lens has -1; expected 0 to n_k = 4": ((2,), {"valid_lens": torch.tensor([-1, 2])}),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_cannot_be_is_refused(sentence):
    lead, options = REFUSED[sentence]
    with pytest.raises(ValueError) as error:
        fused.attention(*Case(arrays(3, 4, lead=lead), {}).tensors(), **options)
    assert sentence in str(error.value)


def test_a_width_of_nothing_needs_a_scale():
    tensors = Case(arrays(3, 4, d_k=0, d_v=4), {}).tensors()
    with pytest.raises(ValueError, match="q has width d_k = 0; expected 1 or more, or a scale"):
        fused.attention(*tensors)
    with pytest.raises(ValueError, match="q has width d_k = 0; expected 1 or more, or a scale"):
        fused.explain(*tensors)
    out = fused.attention(*tensors, scale=1.0)
    mean = tensors[2].mean(-2, keepdim=True).repeat_interleave(2, -3).expand_as(out)
    torch.testing.assert_close(out, mean)


def test_heads_of_no_keys_are_refused():
    q, k, v = Case(arrays(3, 4), {}).tensors()
    with pytest.raises(ValueError, match="q has 4 heads; expected a multiple of those of k, 0"):
        fused.attention(q, k[:, :0], v[:, :0])


def test_without_numbers_only_the_readable_form_is_asked():
    q, k, v = Case(arrays(3, 4), {}).tensors()
    for given in ((q[:, :, :0], k, v), (q, k[:, :, :0], v[:, :, :0]), (q, k, v[..., :0])):
        assert [tuple(row[:2]) for row in fused.explain(*given)] == [("readable", "runs")]
        assert fused.attention(*given).shape == (*given[0].shape[:-1], given[2].shape[-1])


def test_only_who_runs_in_another_way_says_how(monkeypatch):
    monkeypatch.setattr(forms, "WORTH_COMPILING", 0)
    tensors = [x.float() for x in Case(arrays(3, 4), {}).tensors()]
    how = {row.form: row[1:] for row in fused.explain(*tensors)}
    if how["FlexAttention"][0] == "refuses":
        pytest.skip("nothing can be compiled here")
    assert how["FlexAttention"] == ("could run", "")
    assert how["SDPA"] == ("runs", "through FLASH")


def test_nothing_is_asked_for_if_nobody_says_so(monkeypatch):
    asked = []
    one = forms.Form("one", lambda q, k, v, options: asked.append(options), lambda q, k, v, o: q)
    monkeypatch.setattr(forms, "FORMS", (one,))
    q = torch.zeros(1, 2, 3, 4)
    fused.explain(q, q, q)
    fused.attention(q, q, q)
    for options in asked:
        assert options == Options(rule=Rule())
    assert len(asked) == 2


def test_a_query_that_is_nan_and_sees_nothing_gets_zeros():
    q, k, v = Case(arrays(5, 3), {}).tensors()
    q[0, 0, 1, 0] = q[0, 0, 3, 0] = torch.nan
    for softcap in (None, 2.0):
        out = fused.attention(q, k, v, causal=True, softcap=softcap)
        assert (out[:, :, :2] == 0).all() and out[0, 0, 3].isnan().all()
        assert out.isnan().sum() == 16


def test_tensors_without_numbers_have_a_dtype():
    q = torch.zeros(1, 2, 3, 4, device="meta")
    for enabled in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            one, two = guarantees.in_one_dtype(q.half(), q)
            assert one.dtype == two.dtype == torch.float32 and one.device.type == "meta"
    with torch.autocast("cpu", torch.bfloat16):
        dtypes = [x.dtype for x in guarantees.in_one_dtype(torch.zeros(1), torch.zeros(1).double())]
    assert dtypes == [torch.float64] * 2


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("options", [{}, {"causal": True}, {"softcap": 2.0}])
def test_a_bias_of_minus_infinity_hides_one_key_as_a_mask_does(options, dtype):
    given = arrays(4, 4)
    bias = rng.standard_normal((1, 4, 1, 4))
    bias[:, 1, :, 2] = bias[:, 3, :, :2] = -np.inf
    case = Case(given, {"bias": bias} | options, dtype)
    assert_answers(fused.attention, case)
    if dtype == torch.float64:
        hidden = [x.copy() for x in given]
        hidden[2][:, 0, 2] += 9.0  # the values of a hidden key: for one of two heads that share
        named = case.named()
        out, other = (
            fused.attention(*Case(tuple(x), {}).tensors(), **named) for x in (given, hidden)
        )
        assert torch.equal(out[:, 1], other[:, 1]) and not torch.equal(out[:, 0], other[:, 0])


def test_a_bias_keeps_its_digits_beside_short_floats_on_a_processor():
    q = torch.zeros(1, 2, 3, 16)
    for dtype, kept in (
        (torch.bfloat16, torch.float32),
        (torch.float16, torch.float32),
        (torch.float32, torch.float32),
        (torch.float64, torch.float64),
    ):
        _, given = sdpa.arguments(*[q.to(dtype)] * 3, bias=torch.zeros(3, 3))
        assert given["attn_mask"].dtype == kept and given["attn_mask"].shape == (1, 1, 3, 3)
    (halves, _, _), given = sdpa.arguments(q.mT.contiguous().mT, q, q[..., :8], scale=-2)
    assert halves.is_contiguous() and given["scale"] == 2 and not given["is_causal"]
    (nothing, _, _), given = sdpa.arguments(q, q, q, scale=0)
    assert (nothing == 0).all() and given["scale"] == 1
