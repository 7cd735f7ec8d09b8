"""Whatever is asked, `attnbook.fused.attention` gives the reference's answer, or a clear error."""

import warnings

import numpy as np
import pytest
import torch
from fused_cases import Case, assert_answers, cases, expected, options_of
from hypothesis import Phase, find, given, settings

from attnbook import fused
from attnbook.fused import forms, guarantees

pytestmark = pytest.mark.filterwarnings("ignore::attnbook.fused.SlowForm")
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
    return forms.readable(q, k, v, options_of(q, k, **options))


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
        return forms.readable(q, k, v, options)
    given = forms.sdpa_options(q, k, options)
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
    "q has 4 heads; expected a multiple of those of k, 3": {"k": 3, "v": 3},
    "window is -1; expected 0 or more": {"window": -1},
    "softcap is 0; expected a finite number above 0": {"softcap": 0},
    "valid_lens has 3 lengths, and q the shape (2, 4, 3, 8); expected one for each batch": {
        "valid_lens": torch.tensor([1, 2, 3])
    },
    "valid_lens has 6; expected 0 to n_k = 5": {"valid_lens": torch.tensor([6, 1])},
}


@pytest.mark.parametrize("sentence", REFUSED)
@pytest.mark.parametrize("function", [fused.attention, fused.explain])
def test_what_cannot_be_is_refused_in_a_sentence(sentence, function):
    q, k, v = (torch.from_numpy(x) for x in ARRAYS)
    changed = dict(REFUSED[sentence])
    k, v = (x[:, : changed.pop(name, 4)] for name, x in (("k", k), ("v", v)))
    with pytest.raises(ValueError) as error:
        function(q, k, v, **changed)
    assert sentence in str(error.value)


def test_a_mask_of_pytorchs_is_refused():
    q, k, v = (torch.from_numpy(x) for x in ARRAYS)
    with pytest.raises(TypeError, match="is_causal"):
        fused.attention(q, k, v, is_causal=True)


def test_the_oracle_is_the_reference_where_both_answer():
    """The expected answers, against a loop over heads of the definition."""
    q, k, v = ARRAYS
    from attnbook import masks, reference

    mask = masks.causal_mask(3, 5) & masks.sliding_window_mask(3, 5, 2)
    right = reference.scaled_dot_product_attention(q, k, v, mask, scale=0.3)
    np.testing.assert_allclose(expected(q, k, v, causal=True, window=2, scale=0.3), right)
