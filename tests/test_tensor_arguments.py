"""What every function on tensors does before and after its own lines."""

import inspect

import numpy as np
import pytest
import torch
from test_arguments import refusal
from test_twins import NAMES, others, tensors

from attnbook import arguments, distributed, fused, masks, pytorch, reference


def test_mixed_dtypes_meet_in_the_wider_one():
    q, k, v = tensors("scaled_dot_product_attention", dtype=torch.float16)
    attend = pytorch.scaled_dot_product_attention
    assert attend(q, k.float(), v).dtype == torch.float32
    assert attend(q.float(), k, v.bfloat16()).dtype == torch.float32
    assert attend(q, k, v, bias=torch.zeros(3, 5, dtype=torch.float64)).dtype == torch.float16


def test_functions_are_compiled_one_after_another_without_a_limit():
    torch.compiler.reset()
    assert len(NAMES) > torch._dynamo.config.recompile_limit
    for name in NAMES:
        compiled = torch.compile(getattr(pytorch, name), fullgraph=True, backend="eager")
        compiled(*tensors(name), **others(name))


attend = pytorch.scaled_dot_product_attention


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


@pytest.mark.parametrize("shape", [(3, 1), (1, 5), (1, 1), (2, 3, 1)])
def test_an_axis_of_a_mask_may_be_1_and_a_nan_stays_with_who_sees_it(shape):
    q, k, v = tensors("scaled_dot_product_attention")
    shown = torch.rand(shape, generator=torch.Generator().manual_seed(4)) < 0.5
    v[..., 2, 0] = torch.nan
    whole = shown.expand(*v.shape[:-2], 3, 5)
    out = attend(q, k, v, shown)
    assert torch.allclose(out, attend(q, k, v, whole), rtol=1e-13, equal_nan=True)
    assert torch.equal(out[..., 0].isnan(), whole[..., 2])


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
    assert "scale is float32 tensor of shape () 0.5; expected a number | None" in said


BOTH = pytest.mark.parametrize("library", [reference, pytorch], ids=["numpy", "torch"])


def ones(library, *shape, dtype=float):
    array = np.ones(shape, dtype)
    return array if library is reference else torch.from_numpy(array)


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


@BOTH
@pytest.mark.parametrize("twice", [((1, 2, 3, 4), {}), ((1,), {"q": 1})])
def test_too_many_arguments_are_refused(library, twice):
    args, named = twice
    x = ones(library, 3, 4)
    with pytest.raises(TypeError, match=r"dot_product_scores: (too many|multiple|missing)"):
        library.dot_product_scores(*(x for _ in args), **dict.fromkeys(named, x))


MASKS = [(3, 5), (2, 3, 5), (1, 1, 5), (2, 2, 3, 5), (2, 1, 1, 5), (1, 2, 3, 5)]


@BOTH
def test_a_score_that_fits_its_dtype_does_not_leave_it_on_the_way(library):
    q = np.full((1, 4), 1.2e19, np.float32)  # q kᵀ is 5.8e38, half of it fits
    q = q if library is reference else torch.from_numpy(q)
    np.testing.assert_allclose(library.dot_product_scores(q, q), [[2.88e38]], rtol=1e-6)


@BOTH
@pytest.mark.parametrize("shape", MASKS, ids=str)
def test_a_mask_of_each_rank_has_one_meaning_where_heads_are_made_inside(library, shape):
    """There are as many heads as sequences, so that no shape gives the meaning away."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(2, n, 8)) for n in (3, 5, 5))
    w = rng.normal(size=(4, 8, 8))
    mask = rng.random(shape) < 0.6
    full = {2: mask, 3: mask[:, None] if mask.ndim == 3 else None, 4: mask}[mask.ndim]
    heads = [reference.split_heads(x @ m, 2) for x, m in zip((q, k, v), w, strict=False)]
    mixed = reference.scaled_dot_product_attention(*heads, mask=full)
    expected = reference.merge_heads(mixed) @ w[3]
    given = [q, k, v, *w] if library is reference else map(torch.from_numpy, (q, k, v, *w))
    mask = mask if library is reference else torch.from_numpy(mask)
    out = library.multi_head_attention(*given, n_heads=2, mask=mask)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)
    layer = pytorch.MultiHeadAttention(8, 2).double()
    for part, matrix in zip((layer.w_q, layer.w_k, layer.w_v, layer.w_o), w, strict=True):
        part.weight.data = torch.from_numpy(matrix.T.copy())
    out = layer(*map(torch.from_numpy, (q, k, v)), mask=torch.as_tensor(mask))
    np.testing.assert_allclose(out.detach(), expected, rtol=1e-12, atol=1e-12)


@BOTH
def test_a_mask_with_some_batch_axes_is_refused(library):
    """It could be for each sequence or for each head."""
    q, mask = ones(library, 2, 2, 3, 4), ones(library, 2, 3, 3, dtype=bool)
    said = refusal(library.scaled_dot_product_attention, q, q, q, mask)
    assert said.endswith("expected shape (3, 3) or (2, 2, 3, 3), where any axis may be 1")


@BOTH
def test_axes_of_one_in_front_of_a_mask_for_all_mean_nothing(library):
    q, mask = ones(library, 2, 2, 3, 4), ones(library, 3, 3, dtype=bool)
    out = library.scaled_dot_product_attention(q, q, q, mask)
    assert (library.scaled_dot_product_attention(q, q, q, mask[None]) == out).all()


def test_a_module_names_its_own_mask():
    x, mask = torch.ones(2, 3, 8), torch.ones(2, 3, 3, 3, dtype=torch.bool)
    said = refusal(pytorch.MultiHeadAttention(8, 2), x, x, x, mask=mask)
    assert said.startswith("MultiHeadAttention.forward: mask is bool tensor of shape (2, 3, 3, 3)")
    each = "shape (3, 3) or (2, 3, 3) or (2, 2, 3, 3), where any axis may be 1"
    assert said.endswith(f"; expected {each}")
    x = torch.ones(2, 2, 3, 8)
    said = refusal(pytorch.DotProductAttention(), x, x, x, mask=mask[:, 0])
    assert said.startswith("DotProductAttention.forward: mask is bool tensor of shape (2, 3, 3)")


@pytest.fixture
def looks(monkeypatch):
    """The names of the functions whose arguments are looked at, in order."""
    seen, look = [], arguments.look

    def noted(function, *rest):
        seen.append(function.__qualname__)
        return look(function, *rest)

    monkeypatch.setattr(arguments, "look", noted)
    return seen


@BOTH
def test_arguments_are_looked_at_once_for_each_kind_of_call(library, looks):
    x = ones(library, 2, 11, 3)
    for _ in range(2):
        library.scaled_dot_product_attention(x, x, x, ones(library, 11, 11, dtype=bool))
    assert looks == ["scaled_dot_product_attention"]
    library.scaled_dot_product_attention(x[:1], x[:1], x[:1])
    assert looks == 2 * ["scaled_dot_product_attention"]


def test_a_module_looks_at_its_arguments_once_and_knows_other_widths(looks):
    x, lens = torch.ones(2, 13, 8), torch.tensor([13, 1])
    pytorch.MultiHeadAttention(8, 2)(x, x, x, lens)
    assert looks == ["MultiHeadAttention.forward"]
    with pytest.raises(TypeError, match="q is float32 tensor of shape"):
        pytorch.MultiHeadAttention(4, 2)(x, x, x, lens)


def test_after_a_refusal_arguments_are_looked_at_again(looks):
    for _ in range(2):
        with pytest.raises(ValueError, match="width is 0"):
            reference.gaussian_scores(np.ones((3, 4)), np.ones((3, 4)), width=0)
        with pytest.raises(TypeError):
            reference.softmax("scores")
    assert looks.count("softmax") == 2


@pytest.mark.parametrize("n_q, n_k", [(4, 4), (2, 5), (5, 2), (0, 3)])
def test_every_mask_has_its_twin(n_q, n_k):
    q, k = np.arange(2 * n_q).reshape(2, n_q) // 2, np.arange(2 * n_k).reshape(2, n_k) // 2
    given = {
        "causal_mask": (n_q, n_k),
        "sliding_window_mask": (n_q, n_k, 1, 2),
        "prefix_mask": (n_q, n_k, 2),
        "padding_mask": (np.array([0, n_k - 1, n_k]), n_k),
        "document_mask": (q, k),
    }
    assert not masks_without(given)
    for name, arrays in given.items():
        twin, tensors = getattr(pytorch, name), [as_tensor(x) for x in arrays]
        assert np.array_equal(twin(*tensors), getattr(masks, name)(*arrays))
        on = {"device": "meta"} if "device" in inspect.signature(twin).parameters else {}
        assert twin(*(as_tensor(x, "meta") for x in arrays), **on).is_meta


def masks_without(given):
    """The masks of the book that are not compared with their twins."""
    return {name for name, f in vars(masks).items() if hasattr(f, "__wrapped__")} - set(given)


def as_tensor(x, device="cpu"):
    return torch.from_numpy(x).to(device) if isinstance(x, np.ndarray) else x


def test_a_mask_that_is_not_compared_with_its_twin_is_found(monkeypatch):
    compared = masks_without(())
    monkeypatch.setattr(masks, "chunked_mask", masks.causal_mask, raising=False)
    assert masks_without(compared) == {"chunked_mask"}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("sliding_window_mask", (3, 3, -1)),
        ("sliding_window_mask", (3, 3, 1, -1)),
        ("prefix_mask", (3, 3, -1)),
        ("prefix_mask", (3, 3, 4)),
        ("sliding_window_mask", (-1, 3, 1)),
    ],
)
def test_twins_of_masks_refuse_in_the_same_words(name, given):
    said = refusal(getattr(masks, name), *given, error=ValueError)
    assert refusal(getattr(pytorch, name), *given, error=ValueError) == said
