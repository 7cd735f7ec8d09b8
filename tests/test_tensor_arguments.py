"""What functions on tensors do beside their own lines: dtypes, autocast, names that lead on."""

import numpy as np
import one_line
import pytest
import torch
from libraries import BOTH, ones, taken_by
from test_arguments import refusal
from test_twins import NAMES, others, tensors

from attnbook import distributed, fused, pytorch, reference
from attnbook.operation import CallState

attend = pytorch.scaled_dot_product_attention


def test_mixed_dtypes_meet_in_the_wider_one():
    q, k, v = tensors("scaled_dot_product_attention", dtype=torch.float16)
    assert attend(q, k.float(), v).dtype == torch.float32
    assert attend(q.float(), k, v.bfloat16()).dtype == torch.float32
    assert attend(q, k, v, bias=torch.zeros(3, 5, dtype=torch.float64)).dtype == torch.float16


def test_functions_are_compiled_one_after_another_without_a_limit():
    torch.compiler.reset()
    assert len(NAMES) > torch._dynamo.config.recompile_limit
    for name in NAMES:
        compiled = torch.compile(getattr(pytorch, name), fullgraph=True, backend="eager")
        compiled(*tensors(name), **others(name))


def autocast():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def test_under_autocast_attention_has_the_dtype_and_the_precision_of_pytorchs_own():
    q, k, v = tensors("scaled_dot_product_attention", dtype=torch.float32)
    exact = attend(*(x.bfloat16().double() for x in (q, k, v)))
    with autocast():
        out = attend(q, k, v)
        theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        assert attend(q.double(), k.double(), v.double()).dtype == torch.float64
    assert out.dtype == theirs.dtype == torch.bfloat16
    eps = torch.finfo(torch.bfloat16).eps  # rounded once
    torch.testing.assert_close(out.double(), exact, rtol=eps, atol=eps)
    assert torch.equal(out, attend(*(x.bfloat16() for x in (q, k, v)))), "as if there were none"


def test_under_autocast_heads_that_are_only_moved_have_its_dtype_too():
    x = torch.randn(2, 3, 8)
    with autocast():
        heads = pytorch.repeat_heads(pytorch.split_heads(x, 2), 1)
        assert pytorch.split_heads(x, 2).dtype == torch.bfloat16
        assert pytorch.repeat_heads(x, 2).dtype == torch.bfloat16
        assert pytorch.merge_heads(x).dtype == torch.bfloat16
    assert torch.equal(pytorch.merge_heads(heads), x.bfloat16())


def test_a_product_that_autocast_reaches_is_less_exact():
    q, k, _ = tensors("scaled_dot_product_attention", dtype=torch.float32)
    with autocast():
        weights = torch.softmax(q @ k.mT / 2, dim=-1)
        assert (weights.double() - pytorch.softmax(q.double() @ k.double().mT / 2)).abs().max() > 0


def test_modules_work_under_autocast():
    x = torch.randn(2, 3, 8)
    with autocast():
        assert pytorch.MultiHeadAttention(8, 2)(x, x, x).dtype == torch.bfloat16
        assert pytorch.AdditiveAttention(8, 8, 4)(x, x, x).dtype == torch.bfloat16


def test_a_bias_decides_no_dtype_and_keeps_its_digits():
    q, k, v = tensors("scaled_dot_product_attention", dtype=torch.bfloat16)
    bias = torch.randn(3, 5)
    out = attend(q, k, v, bias=bias)
    assert out.dtype == torch.bfloat16
    assert torch.equal(out, attend(q.float(), k.float(), v.float(), bias=bias).bfloat16())


def test_float8_is_refused_by_name():
    x = torch.zeros(3, 4).to(torch.float8_e4m3fn)
    said = refusal(attend, x, x, x)
    assert said.startswith(
        "scaled_dot_product_attention: q is float8_e4m3fn tensor of shape (3, 4)"
    )


def test_a_scale_that_is_a_tensor_is_refused_by_name():
    q = torch.ones(3, 4)
    said = refusal(attend, q, q, q, scale=torch.tensor(0.5))
    assert "scale is float32 tensor of shape () 0.5; expected a number" in said


@BOTH
@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("attn_mask", "mask, in which True = may look, or bias, added to the scores"),
        ("is_causal", "mask=causal_mask(n_q, n_k)"),
    ],
)
def test_the_names_of_pytorch_lead_to_ours(library, name, ours):
    q = ones(library, 3, 4)
    said = refusal(library.scaled_dot_product_attention, q, q, q, **{name: True})
    assert said.endswith(f"unexpected keyword argument '{name}'; {name} is here {ours}")


def test_a_name_of_pytorchs_leads_to_what_the_function_has():
    q = torch.ones(1, 2, 3, 4)
    said = refusal(fused.attention, q, q, q, is_causal=True)
    assert said.endswith("is_causal is here causal=True, or mask=causal_mask(n_q, n_k)")
    said = refusal(attend, q, q, q, key_padding_mask=None)
    assert said.endswith("key_padding_mask is here mask=padding_mask(valid_lens, n_k)")
    said = refusal(pytorch.DotProductAttention(), q, q, q, key_padding_mask=None)
    assert said.endswith("is here valid_lens, or mask=padding_mask(valid_lens, n_k)")
    said = refusal(distributed.ring_attention, q, q, q, is_causal=True)
    assert said.endswith("is_causal is here causal=True")
    said = refusal(reference.softmax, np.ones(3), is_causal=True)
    assert said.endswith("is_causal is here mask=causal_mask(n_q, n_k)")
    said = refusal(reference.split_heads, np.ones((3, 4)), 2, is_causal=True)
    assert said.endswith("unexpected keyword argument 'is_causal'")


@BOTH
def test_queries_without_width_need_a_scale(library):
    q, v = ones(library, 3, 0), ones(library, 3, 2)
    said = refusal(library.scaled_dot_product_attention, q, q, v, error=ValueError)
    assert "q has width d_k = 0" in said
    out = library.scaled_dot_product_attention(q, q, v, scale=1)
    assert (out == 1).all()


REFUSED = {
    "scaled_dot_product_attention: q has width d_k = 0; expected 1 or more, for the scale 1/√d_k": (
        lambda m: m.scaled_dot_product_attention(*(ones(m, 3, d) for d in (0, 0, 2)))
    ),
    "multi_head_attention: n_heads is 3; expected a divisor of d_model = 4": (
        lambda m: m.multi_head_attention(*[ones(m, 4, 4)] * 7, n_heads=3)
    ),
    "masked_softmax: valid_lens has 5; expected 0 to n_k = 4": (
        lambda m: m.masked_softmax(*taken_by(m, np.ones((1, 2, 4)), np.array([5])))
    ),
}


@BOTH
@pytest.mark.parametrize("sentence", REFUSED)
def test_what_is_refused_inside_names_the_function_that_was_called(library, sentence):
    with pytest.raises(ValueError) as caught:
        REFUSED[sentence](library)
    assert str(caught.value) == sentence


def test_a_sentence_without_the_function_is_found(monkeypatch):
    one_line.put(monkeypatch, CallState.inside, "not before[0] → False")
    for sentence in REFUSED:
        with pytest.raises(AssertionError):
            test_what_is_refused_inside_names_the_function_that_was_called(reference, sentence)


@BOTH
@pytest.mark.parametrize("twice", [((1, 2, 3, 4), {}), ((1,), {"q": 1})])
def test_too_many_arguments_are_refused(library, twice):
    args, named = twice
    x = ones(library, 3, 4)
    with pytest.raises(TypeError, match=r"dot_product_scores: (too many|multiple|missing)"):
        library.dot_product_scores(*(x for _ in args), **dict.fromkeys(named, x))


@BOTH
def test_a_score_that_fits_its_dtype_does_not_leave_it_on_the_way(library):
    (q,) = taken_by(library, np.full((1, 4), 1.2e19, np.float32))  # q kᵀ is 5.8e38, half fits
    np.testing.assert_allclose(library.dot_product_scores(q, q), [[2.88e38]], rtol=1e-6)


def test_a_function_for_arrays_says_where_tensors_are_taken():
    q = torch.ones(3, 4, dtype=torch.float64)
    said = refusal(reference.scaled_dot_product_attention, q, q, q)
    assert said.endswith("; attnbook.pytorch.scaled_dot_product_attention takes tensors"), said
    said = refusal(pytorch.scaled_dot_product_attention, q.long(), q, q)
    assert "takes tensors" not in said  # what is wrong there is its dtype
