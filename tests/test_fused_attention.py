"""Whatever is asked, `attnbook.fused.attention` gives the reference's answer, or a clear error.

First what a draw of all options meets, then one at a time what it rarely does.
"""

import warnings

import numpy as np
import pytest
import torch
from fused_cases import Case, assert_answers, cases, expected, options_of
from hypothesis import Phase, find, given, settings

from attnbook import fused, masks, reference
from attnbook.fused import guarantees, implementations, sdpa
from attnbook.pytorch.options import Options
from attnbook.pytorch.rules import Rule

pytestmark = pytest.mark.filterwarnings("ignore::attnbook.fused.SlowAttentionWarning")
examples = settings(max_examples=150, derandomize=True, deadline=None, database=None)
first = settings(examples, max_examples=600, phases=[Phase.generate])  # whatever it is: not shrunk
few = settings(max_examples=30, derandomize=True, deadline=None, database=None)


@examples
@given(cases())
def test_every_combination_of_options_has_the_answer_of_the_reference(case):
    assert_answers(fused.attention, case)


@few
@given(cases(dtypes=[torch.float64], layouts=["side by side"]))
def test_it_is_so_where_no_number_is_looked_at(case):
    """As on a GPU, and in a compiled program."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guarantees, "_are_finite", lambda *tensors: False)
        assert_answers(fused.attention, case)


@few
@given(cases(dtypes=[torch.float64], layouts=["side by side"]))
def test_gradients_are_those_of_the_readable_form(case):
    """Also where the rows that are asked for see no NaN, and others do."""
    clean = torch.from_numpy(np.isfinite(case.answer()))

    def gradients(attend):
        leaves = [x.requires_grad_() for x in case.tensors()]
        out = torch.where(clean, attend(*leaves, **case.named()), 0)
        return torch.autograd.grad(
            (out * torch.linspace(-1, 1, out.numel()).reshape(out.shape)).sum(), leaves
        )

    for ours, right in zip(gradients(fused.attention), gradients(readable), strict=True):
        torch.testing.assert_close(ours, right, rtol=1e-12, atol=1e-12)


def readable(q, k, v, **options):
    """The steps of `attnbook.pytorch`, without a choice; NaN, seen by nobody who asks, is 0."""
    k, v = (torch.nan_to_num(x) for x in (k, v))
    return implementations.readable(q, k, v, options_of(q, k, **options))


WRONG = {
    "the triangle at the top left": lambda q, k, v, o: pytorch_sdpa(q, k, v, o, top_left=True),
    "one key of the window too many": lambda q, k, v, o: again(q, k, v, o, window=1),
    "valid lengths that are not looked at": lambda q, k, v, o: again(q, k, v, o, valid_lens=None),
    "scores that are not bent": lambda q, k, v, o: again(q, k, v, o, softcap=None),
    "no rule": lambda q, k, v, o: again(q, k, v, o, rule=None),
    "no mask": lambda q, k, v, o: again(q, k, v, o, mask=None),
    "no bias": lambda q, k, v, o: again(q, k, v, o, bias=None),
    "no slope": lambda q, k, v, o: again(q, k, v, o, alibi=False),
    "the scale of another width": lambda q, k, v, o: again(q, k, v, o, scale=0.5),
    "heads tiled": lambda q, k, v, o: fused.attention(
        q, *(x.repeat(*[1] * (x.ndim - 3), q.shape[-3] // x.shape[-3], 1, 1) for x in (k, v)), **o
    ),
    "float16 within": lambda q, k, v, o: fused.attention(
        *(x.half() for x in (q, k, v)), **o
    ).double(),
    "NaN wherever PyTorch has it": lambda q, k, v, o: pytorch_sdpa(q, k, v, o),
}


def again(q, k, v, options, **changed):
    if "window" in changed and options["window"] is not None:
        changed["window"] += options["window"]
    elif "window" in changed:
        changed = {}
    return fused.attention(q, k, v, **options | changed)


def pytorch_sdpa(q, k, v, options, top_left=False):
    options = options_of(q, k, **options)
    if options.softcap is not None:
        return implementations.readable(q, k, v, options)
    given = implementations.sdpa_options(q, k, options)
    if top_left and options.rule.right == 0 and given["mask"] is not None and given["bias"] is None:
        given["mask"] = torch.ones_like(given["mask"]).tril()
    return fused.sdpa.sdpa(q, k, v, **given)


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_dispatcher_is_rejected(mistake):
    def is_rejected(case):
        try:
            assert_answers(lambda q, k, v, **o: WRONG[mistake](q, k, v, o), case)
        except AssertionError:
            return True
        return False

    find(cases(dtypes=[torch.float64], layouts=["side by side"]), is_rejected, settings=first)


rng = np.random.default_rng(0)
ARRAYS = tuple(rng.standard_normal((2, 4, n, 8)) for n in (3, 5, 5))
DOCUMENTS = [0, 0, 1], [0, 0, 1, 1, 2]
APART = [0, 1, 0], [0, 1, 0, 1, 0]
OPTIONS = {
    "nothing": {},
    "causal": {"causal": True},
    "window": {"window": 1, "causal": True},
    "lengths": {"valid_lens": np.array([0, 4])},
    "rule": {"rule": [("sliding_window", 2, 1), ("documents", *map(np.array, DOCUMENTS))]},
    "documents apart": {"rule": [("documents", *map(np.array, APART))], "causal": True},
    "mask": {"mask": rng.random((2, 4, 3, 5)) < 0.7},
    "cap": {"softcap": 2.0, "causal": True},
    "bias": {"bias": rng.standard_normal((3, 5)), "causal": True},
    "alibi": {"alibi": True, "causal": True},
}
every_option = pytest.mark.parametrize("name", OPTIONS)


@every_option
def test_a_compiled_program_has_the_same_answer(name):
    torch.compiler.reset()
    compiled = torch.compile(fused.attention, backend="aot_eager", fullgraph=True)
    arrays = [x.copy() for x in ARRAYS]
    arrays[2][0, :, 4] = np.nan
    assert_answers(compiled, Case(tuple(arrays), OPTIONS[name]))


@every_option
def test_under_autocast_it_is_as_if_the_inputs_had_its_dtype(name):
    q, k, v = (torch.from_numpy(x).float() for x in ARRAYS)
    options = Case(ARRAYS, OPTIONS[name]).named()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = fused.attention(q, k, v, **options)
    assert out.dtype == torch.bfloat16
    lower = (x.bfloat16() for x in (q, k, v))
    torch.testing.assert_close(out, fused.attention(*lower, **options), rtol=0, atol=0)


@every_option
def test_no_argument_is_changed(name):
    case = Case(tuple(x.copy() for x in ARRAYS), OPTIONS[name])
    tensors, named = case.tensors(), case.named()
    fused.attention(*tensors, **named)
    for x, before in zip(tensors, ARRAYS, strict=True):
        np.testing.assert_array_equal(x, before)


@pytest.mark.filterwarnings("ignore:There is a performance drop")  # PyTorch's, of its own FLASH
def test_a_batch_can_be_mapped():
    q, k, v = (torch.from_numpy(x) for x in ARRAYS)
    mapped = torch.func.vmap(lambda *qkv: fused.attention(*qkv, causal=True))(q, k, v)
    torch.testing.assert_close(mapped, fused.attention(q, k, v, causal=True))


@pytest.mark.parametrize("empty", [(0, 5), (3, 0)])
def test_without_queries_or_keys_there_are_zeros(empty):
    q, k = (torch.ones(1, 2, n, 4) for n in empty)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = fused.attention(q, k, k, causal=True)
    assert out.shape == q.shape and (out == 0).all()


def test_a_query_that_is_nan_has_a_row_of_nan_and_no_zeros():
    """PyTorch's FLASH on a CPU makes zeros of it (2.13)."""
    q, k, v = (torch.from_numpy(x).float() for x in ARRAYS)
    q[0, 0, 1, 0] = torch.nan
    out = fused.attention(q, k, v)
    assert out[0, 0, 1].isnan().all() and out.isnan().sum() == 8
    theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    assert not theirs.isnan().any(), "the guarantee is needed"


REFUSED = {
    "k has 3 heads; expected a divisor of the 4 heads of q": {"n_kv_heads": 3},
    "k has 0 heads; expected a divisor of the 4 heads of q": {"n_kv_heads": 0},
    "window is -1; expected 0 or more": {"window": -1},
    "window is 3 and causal is False; expected causal=True": {"window": 3},
    **{
        f"softcap is {cap}; expected a finite number above 0": {"softcap": cap}
        for cap in (0, -1, float("inf"), float("nan"))
    },
    "valid_lens has 3 lengths; expected 2, the batches of q": {
        "valid_lens": torch.tensor([1, 2, 3])
    },
    "valid_lens has 6; expected 0 to n_k = 5": {"valid_lens": torch.tensor([6, 1])},
    "valid_lens has -1; expected 0 to n_k = 5": {"valid_lens": torch.tensor([-1, 2])},
    "valid_lens has 4 lengths; expected none: q has no axis of batches": {
        "sequence": 0,
        "valid_lens": torch.tensor([1, 2, 3, 4]),
    },
}


@pytest.mark.parametrize("sentence", REFUSED)
@pytest.mark.parametrize("function", [fused.attention, fused.explain])
def test_what_cannot_be_is_refused_in_a_sentence(sentence, function):
    changed = dict(REFUSED[sentence])
    n_kv_heads, sequence = changed.pop("n_kv_heads", 4), changed.pop("sequence", slice(None))
    q, k, v = (torch.from_numpy(x)[sequence] for x in ARRAYS)
    k, v = (x[..., :n_kv_heads, :, :] for x in (k, v))
    with pytest.raises(ValueError) as error:
        function(q, k, v, **changed)
    assert sentence in str(error.value)


def test_the_oracle_is_the_reference_where_both_answer():
    """The expected answers, against a loop over heads of the definition."""
    q, k, v = ARRAYS
    mask = masks.causal_mask(3, 5) & masks.sliding_window_mask(3, 5, 2)
    right = reference.scaled_dot_product_attention(q, k, v, mask, scale=0.3)
    np.testing.assert_allclose(expected(q, k, v, causal=True, window=2, scale=0.3), right)


ONE = {
    "nothing": {},
    "causal": {"causal": True},
    "window": {"causal": True, "window": 1},
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


@pytest.mark.parametrize("name", ["nothing", "causal", "window", "cap"])
def test_a_bias_of_minus_infinity_hides_and_one_that_is_nan_spoils(name):
    given = arrays(3, 4)
    options = ONE[name]
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
    assert found[..., 0, :].isnan().all() == ("causal" not in options)


def test_a_width_of_nothing_needs_a_scale():
    tensors = Case(arrays(3, 4, d_k=0, d_v=4), {}).tensors()
    with pytest.raises(ValueError, match="q has width d_k = 0; expected 1 or more, for the scale"):
        fused.attention(*tensors)
    with pytest.raises(ValueError, match="q has width d_k = 0; expected 1 or more, for the scale"):
        fused.explain(*tensors)
    out = fused.attention(*tensors, scale=1.0)
    mean = tensors[2].mean(-2, keepdim=True).repeat_interleave(2, -3).expand_as(out)
    torch.testing.assert_close(out, mean)


def test_without_numbers_only_the_readable_form_is_asked():
    q, k, v = Case(arrays(3, 4), {}).tensors()
    for tensors in ((q[:, :, :0], k, v), (q, k[:, :, :0], v[:, :, :0]), (q, k, v[..., :0])):
        assert [tuple(row[:2]) for row in fused.explain(*tensors)] == [("readable", "runs")]
        assert fused.attention(*tensors).shape == (*tensors[0].shape[:-1], tensors[2].shape[-1])


def test_only_who_runs_in_another_way_says_how(monkeypatch):
    monkeypatch.setattr(implementations, "WORTH_COMPILING", 0)
    tensors = [x.float() for x in Case(arrays(3, 4), {}).tensors()]
    how = {row.backend: row[1:] for row in fused.explain(*tensors)}
    if how["FlexAttention"][0] == "refuses":
        pytest.skip("nothing can be compiled here")
    assert how["FlexAttention"] == ("could run", "")
    assert how["SDPA"] == ("runs", "through FLASH")


def test_nothing_is_asked_for_if_nobody_says_so(monkeypatch):
    asked = []
    one = implementations.Implementation(
        "one", lambda q, k, v, options: asked.append(options), lambda q, k, v, o: q
    )
    monkeypatch.setattr(implementations, "IMPLEMENTATIONS", (one,))
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
