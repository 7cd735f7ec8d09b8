"""The functions of `attnbook.pytorch` compute what `attnbook.reference` defines, with gradients."""

import inspect
from functools import partial

import numpy as np
import one_line
import onnx_attention
import pytest
import test_arguments as arguments
import test_onnx
import torch
from draw import BATCHES, N_K, N_Q, assert_close, mask, queries_keys_values, scores
from libraries import tensor
from torch.autograd.gradcheck import GradcheckError
from torch.testing._internal.common_methods_invocations import op_db

from attnbook import online, pytorch, reference

DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
NAMES = list(arguments.ARRAYS)
every_function = pytest.mark.parametrize("name", NAMES)


def tensors(name, batch=(2,), dtype=torch.float64):
    return [torch.from_numpy(x).to(dtype) for x in arguments.ARRAYS[name](batch, np.float64)]


def others(name):
    return arguments.OTHER_ARGUMENTS.get(name, {})


def assert_twin(name, batch, dtype):
    """The twin's result on tensors, against the reference on the same numbers in float64.

    float64 and float32 are off by the rounding of a few sums: 64 eps of numbers below 8. Half types
    are computed in float32 and rounded once: 1 eps of the result, and as much in its inputs' place.
    """
    inputs = tensors(name, batch, dtype)
    actual = getattr(pytorch, name)(*inputs, **others(name))
    exact = getattr(reference, name)(*(x.double().numpy() for x in inputs), **others(name))
    eps = torch.finfo(dtype).eps * (64 if dtype in (torch.float64, torch.float32) else 1)
    assert actual.dtype == dtype
    np.testing.assert_allclose(actual.double().numpy(), exact, rtol=eps, atol=eps)


@every_function
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_twin_agrees_with_the_reference(name, batch, dtype):
    assert_twin(name, batch, dtype)


VIEW = "x.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1)"
MISTAKES = {
    "softmax over the queries": ("softmax",
        "exp / torch.where(total == 0, 1, total) → torch.softmax(scores, dim=-2)"),
    "no scale": ("dot_product_scores", "resolve_scale(scale, q.shape[-1]) * q → q"),
    "no tanh": ("additive_scores", "torch.tanh( → ("),
    "view for transpose": ("split_heads", f"torch.swapaxes(pieces, -2, -3) → {VIEW}"),
    "computed in half": ("gaussian_scores",
        "(steps * steps, dim=-1) → (steps * steps, dim=-1).half().to(steps.dtype)"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_twin_is_rejected(monkeypatch, mistake):
    name, change = MISTAKES[mistake]
    claim = partial(assert_twin, name, (2,), torch.float64)
    one_line.assert_rejected(monkeypatch, getattr(pytorch, name), change, claim)


@every_function
def test_the_twin_takes_the_same_arguments_in_the_same_order(name):
    ours, twins = (inspect.signature(getattr(m, name)) for m in (reference, pytorch))
    assert list(ours.parameters) == list(twins.parameters)
    assert [p.default for p in ours.parameters.values()] == [
        p.default for p in twins.parameters.values()
    ]


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_attention_with_its_lse_is_that_of_numpy(batch, dtype):
    arrays = [*queries_keys_values(batch), mask(batch), scores(batch)]
    given = [tensor(x) if x.dtype == bool else tensor(x).to(dtype) for x in arrays]
    exact = [x.numpy() if x.dtype == torch.bool else x.double().numpy() for x in given]
    found = pytorch.attention_with_lse(*given, scale=0.7)
    eps = torch.finfo(dtype).eps * (64 if dtype in (torch.float64, torch.float32) else 1)
    for ours, right in zip(found, online.attention_with_lse(*exact, scale=0.7), strict=True):
        assert ours.dtype == dtype
        np.testing.assert_allclose(ours.double().numpy(), right, rtol=eps, atol=eps)


@pytest.mark.parametrize(("library", "softmax"), [(online, reference), (pytorch, pytorch)])
def test_output_and_lse_are_made_of_the_same_exponentials(monkeypatch, library, softmax):
    made, module = [], inspect.getmodule(softmax.softmax)
    shifted_exp = module.shifted_exp
    monkeypatch.setattr(module, "shifted_exp", lambda *x: made.append(x) or shifted_exp(*x))
    given = [x if library is online else tensor(x) for x in (*queries_keys_values(), mask())]
    library.attention_with_lse(*given)
    assert len(made) == 1
    monkeypatch.setattr(
        inspect.getmodule(library.attention_with_lse),
        "softmax_with_lse",
        lambda *x: (softmax.softmax(*x), softmax.logsumexp(*x)),
    )
    library.attention_with_lse(*given)
    assert len(made) == 3  # one, and once for each


@pytest.mark.parametrize("name", ["attention_with_lse", "merge"])
def test_what_blocks_need_takes_the_arguments_of_numpys(name):
    ours, twins = (inspect.signature(getattr(m, name)) for m in (online, pytorch))
    assert list(ours.parameters) == list(twins.parameters)


def test_merge_is_that_of_numpy_with_empty_blocks_too():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 3, 6, 5))
    lse = (
        np.array([[0.0, -np.inf, 1000.0, -np.inf, 0.0, -2000.0]] * 3),
        np.array([[1.0, 2.0, 999.0, -np.inf, 2000.0, -2001.0]] * 3),  # exp overflows, or is 0
    )
    a[:, [1, 3]] = b[:, 3] = 0
    wanted = online.merge(a, lse[0], b, lse[1])
    found = pytorch.merge(*map(torch.from_numpy, (a, lse[0], b, lse[1])))
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-14, atol=0)


def on_arrays(function):
    return lambda *a, **named: function(
        *map(tensor, a), **{name: tensor(x) for name, x in named.items()}
    ).numpy()


class Twins:
    """The functions that the ONNX adapter composes, on arrays, through PyTorch."""

    dot_product_scores = staticmethod(on_arrays(pytorch.dot_product_scores))
    merge_heads = staticmethod(on_arrays(pytorch.merge_heads))
    repeat_heads = staticmethod(on_arrays(pytorch.repeat_heads))
    softcap = staticmethod(on_arrays(pytorch.softcap))
    softmax = staticmethod(on_arrays(pytorch.softmax))
    split_heads = staticmethod(on_arrays(pytorch.split_heads))
    weighted_sum = staticmethod(on_arrays(pytorch.weighted_sum))


@pytest.mark.parametrize("name", test_onnx.CASES)
def test_onnx_case_through_torch(name):
    assert onnx_attention.reference is reference
    test_onnx.assert_agrees(test_onnx.CASES[name], functions=Twins)


SDPA = next(op for op in op_db if op.name == "nn.functional.scaled_dot_product_attention")
SAMPLES = [
    sample
    for sample in SDPA.sample_inputs("cpu", torch.float64)
    if sample.kwargs.get("dropout_p", 0.0) == 0.0
]
assert SAMPLES


@pytest.mark.parametrize("sample", SAMPLES, ids=range(len(SAMPLES)))
def test_torchs_own_samples_agree(sample):
    q, (k, v), given = sample.input, sample.args, dict(sample.kwargs)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, **given)
    if given.get("enable_gqa"):
        k, v = (x.repeat_interleave(q.shape[-3] // x.shape[-3], dim=-3) for x in (k, v))
    batch = torch.broadcast_shapes(*(x.shape[:-2] for x in (q, k, v)))
    q, k, v = (x.expand(*batch, *x.shape[-2:]) for x in (q, k, v))
    shown = given.get("attn_mask")
    if given.get("is_causal"):  # theirs is anchored at the top left
        shown = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    kind = "mask" if shown is None or shown.dtype == torch.bool else "bias"
    shown = shown.expand(*q.shape[:-1], k.shape[-2]) if shown is not None else None
    named = {kind: shown, "scale": given.get("scale")}
    actual = pytorch.scaled_dot_product_attention(q, k, v, **named)
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-12)


@every_function
def test_gradients_are_right(name):
    """The first by every number, the second along one direction drawn at random."""
    inputs = [x.requires_grad_() for x in tensors(name, ())]

    def function(*xs):
        return getattr(pytorch, name)(*xs, **others(name))

    assert torch.autograd.gradcheck(function, inputs)
    assert torch.autograd.gradgradcheck(function, inputs, fast_mode=True)


def test_a_bias_has_its_gradient():
    q, k, v = (x.requires_grad_() for x in map(tensor, queries_keys_values()))
    bias = tensor(scores()).requires_grad_()
    causal = pytorch.causal_mask(N_Q, N_K)
    assert torch.autograd.gradcheck(
        lambda *x: pytorch.scaled_dot_product_attention(*x[:3], causal, x[3]), (q, k, v, bias)
    )


def test_gradcheck_rejects_a_wrong_gradient():
    s = torch.from_numpy(scores()).requires_grad_()
    with pytest.raises(GradcheckError):
        torch.autograd.gradcheck(lambda s: pytorch.softmax(s) * s.detach(), s)


@pytest.mark.parametrize("function", [pytorch.softmax, pytorch.logsumexp])
def test_a_row_that_sees_nothing_has_finite_gradients(function):
    s, m = torch.from_numpy(scores()).requires_grad_(), torch.from_numpy(mask())
    out = function(s, m)
    torch.where(torch.isfinite(out), out, 0).sum().backward()
    assert torch.isfinite(s.grad).all() and (s.grad[0] == 0).all()


@pytest.mark.parametrize("junk", [torch.nan, torch.inf, -torch.inf])
def test_what_is_hidden_has_no_influence_and_no_part_in_gradients(junk):
    hidden = ~torch.from_numpy(mask()).any(0)
    shown = torch.from_numpy(mask()) & ~torch.eye(N_Q, N_K, dtype=torch.bool)
    hidden[0], shown[:, 0] = True, False
    results = []
    for value in (0.0, junk):
        q, k, v = (torch.from_numpy(x) for x in queries_keys_values())
        k[hidden], v[hidden] = value, value
        leaves = [x.requires_grad_() for x in (q, k, v)]
        out = pytorch.scaled_dot_product_attention(*leaves, shown & ~hidden)
        results.append((out, *torch.autograd.grad(out.sum(), leaves)))
    for clean, dirty in zip(*results, strict=True):
        assert torch.equal(clean, dirty)


OPTIONS = {
    "a mask for logsumexp": ("logsumexp", {"mask": mask((2,))}),
    "a bias": ("scaled_dot_product_attention", {"bias": scores((2,))}),
    "a scale": ("scaled_dot_product_attention", {"scale": 0.3}),
    "a scale of 0": ("dot_product_scores", {"scale": 0}),
    "a width": ("gaussian_scores", {"width": 2}),
    "a mask for each sequence": ("multi_head_attention", {"mask": mask((2,)), "n_heads": 2}),
    "a mask for additive scores": ("additive_attention", {"mask": mask((2,))}),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_the_twin_agrees_with_options(option):
    name, options = OPTIONS[option]
    inputs = arguments.ARRAYS[name]((2,), np.float64)
    actual = on_arrays(getattr(pytorch, name))(*inputs, **options)
    assert_close(actual, getattr(reference, name)(*inputs, **options))


@pytest.mark.parametrize("name", ["softmax", "logsumexp"])
def test_rows_without_keys_agree(name):
    given = np.ones((2, 0))
    assert_close(on_arrays(getattr(pytorch, name))(given), getattr(reference, name)(given))


@pytest.mark.parametrize("lens", [[2, 0], [[1, 2, 3], [0, 5, 4]]])
def test_masked_softmax_agrees_for_a_length_of_each_sequence_and_of_each_query(lens):
    given = scores((2, 4)), np.array(lens)
    assert_close(on_arrays(pytorch.masked_softmax)(*given), reference.masked_softmax(*given))


REFUSED = [
    *(("gaussian_scores", {"width": width}) for width in (0, np.nan)),
    *(("softcap", {"cap": cap}) for cap in (0, np.inf)),
    *(("split_heads", {"n_heads": n}) for n in (0, -2, 4)),
]


@pytest.mark.parametrize(("name", "options"), REFUSED)
def test_the_twin_refuses_the_same_in_the_same_words(name, options):
    inputs = arguments.ARRAYS[name]((2,), np.float64)
    said = arguments.refusal(getattr(reference, name), *inputs, **options, error=ValueError)
    twin = on_arrays(getattr(pytorch, name))
    assert arguments.refusal(twin, *inputs, **options, error=ValueError) == said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((torch.ones(2, 3, dtype=torch.int64),), "softmax: scores is int64 tensor of shape (2, 3)"),
        ((torch.ones(2, 3), torch.ones(2, 3)), "softmax: mask is float32 tensor of shape (2, 3)"),
        (([1.0, 2.0],), "softmax: scores is list [1.0, 2.0]"),
        ((torch.ones(2, 3), torch.ones(3, 2, dtype=torch.bool)), "softmax: mask is bool tensor"),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(given, said):
    with pytest.raises(TypeError) as caught:
        pytorch.softmax(*given)
    assert str(caught.value).startswith(said) and "expected" in str(caught.value)
    assert "\n" not in str(caught.value)


@every_function
def test_compiles_to_one_graph(name):
    inputs = tensors(name)
    torch.compiler.reset()
    compiled = torch.compile(getattr(pytorch, name), fullgraph=True, backend="eager")
    plain = getattr(pytorch, name)(*inputs, **others(name))
    torch.testing.assert_close(compiled(*inputs, **others(name)), plain)


def test_on_a_device_without_numbers_the_shape_comes_out():
    q, k, v = (torch.empty(2, n, 4, device="meta") for n in (3, 5, 5))
    mask = pytorch.causal_mask(3, 5, device="meta")
    out = pytorch.scaled_dot_product_attention(q, k, v, mask)
    assert out.is_meta and out.shape == (2, 3, 4)
