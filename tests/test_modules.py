"""The modules and their converters, against the functions and torch's own."""

import numpy as np
import one_line
import pytest
import torch
from test_arguments import refusal
from test_twins import MISTAKES
from torch import nn
from torch.nn.functional import scaled_dot_product_attention as sdpa

from attnbook import pytorch, reference
from attnbook.pytorch import modules

LENS = torch.tensor([2, 5])


def inputs(*widths, n_q=3, n_k=5, dtype=torch.float64):
    rng = np.random.default_rng(0)
    shapes = [(2, n, width) for n, width in zip((n_q, n_k, n_k), widths, strict=True)]
    return [torch.from_numpy(rng.standard_normal(shape)).to(dtype) for shape in shapes]


def double(module):
    return module.double().eval()


EPS = torch.finfo(torch.float64).eps


def close(actual, expected, eps=64 * EPS):
    """Two orders of the same sums of numbers near 1."""
    torch.testing.assert_close(actual, torch.as_tensor(expected), rtol=eps, atol=eps)


def test_dot_product_attention_is_the_reference():
    q, k, v = inputs(4, 4, 6)
    causal = pytorch.causal_mask(3, 5)
    out = pytorch.DotProductAttention().eval()(q, k, v, LENS, causal)
    mask = (pytorch.padding_mask(LENS, 5) & causal).numpy()
    close(out, reference.scaled_dot_product_attention(q.numpy(), k.numpy(), v.numpy(), mask))


def test_additive_attention_is_the_reference_with_its_own_weights():
    q, k, v = inputs(2, 4, 6)
    module = double(pytorch.AdditiveAttention(2, 4, 7))
    w = [w.detach().numpy() for w in (module.w_q.weight.mT, module.w_k.weight.mT)]
    w.append(module.w_v.weight[0].detach().numpy())
    mask = pytorch.padding_mask(LENS, 5).numpy()
    expected = reference.additive_attention(q.numpy(), k.numpy(), v.numpy(), *w, mask=mask)
    close(module(q, k, v, LENS).detach(), expected)


def test_multi_head_attention_is_the_reference_with_its_own_weights():
    q, k, v = inputs(8, 8, 8)
    module, causal = double(pytorch.MultiHeadAttention(8, 2)), pytorch.causal_mask(3, 5)
    layers = (module.w_q, module.w_k, module.w_v, module.w_o)
    w = [layer.weight.mT.detach().numpy() for layer in layers]
    arrays = [x.numpy() for x in (q, k, v)]
    expected = reference.multi_head_attention(*arrays, *w, n_heads=2, mask=causal.numpy())
    close(module(q, k, v, mask=causal).detach(), expected)


@pytest.mark.parametrize("bias", [False, True])
def test_torchs_module_and_ours_agree_both_ways(bias):
    q, k, v = inputs(8, 8, 8)
    theirs = double(nn.MultiheadAttention(8, 2, bias=bias, batch_first=True))
    ours = pytorch.from_multihead(theirs)
    mask = pytorch.padding_mask(LENS, 5) & pytorch.causal_mask(3, 5)
    out = ours(q, k, v, LENS, pytorch.causal_mask(3, 5))
    hidden = pytorch.to_torch_mask(mask, 2)
    close(theirs(q, k, v, attn_mask=hidden, need_weights=False)[0], out)
    again = pytorch.to_multihead(ours)
    close(again(q, k, v, attn_mask=hidden, need_weights=False)[0], out)
    padded = pytorch.to_key_padding_mask(LENS, 5)
    close(theirs(q, k, v, key_padding_mask=padded, need_weights=False)[0], ours(q, k, v, LENS))


def test_a_converter_with_flipped_polarity_is_rejected(monkeypatch):
    monkeypatch.setattr(pytorch, "to_torch_mask", lambda mask, n: mask.repeat_interleave(n, 0))
    with pytest.raises(AssertionError):
        test_torchs_module_and_ours_agree_both_ways(False)


def test_masks_tiled_over_heads_in_the_wrong_order_are_rejected(monkeypatch):
    monkeypatch.setattr(pytorch, "to_torch_mask", lambda mask, n: ~mask.repeat(n, 1, 1))
    with pytest.raises(AssertionError):
        test_torchs_module_and_ours_agree_both_ways(False)


def test_masks_survive_the_way_there_and_back():
    mask = pytorch.causal_mask(3, 5)
    assert torch.equal(pytorch.from_torch_mask(pytorch.to_torch_mask(mask, 2)), mask)
    both = pytorch.from_torch_mask(~mask, pytorch.to_key_padding_mask(LENS, 5))
    assert torch.equal(both, mask & pytorch.padding_mask(LENS, 5))


def test_scaled_dot_product_attention_of_torch_agrees_where_something_is_visible():
    q, k, v = inputs(4, 4, 6)
    mask = pytorch.padding_mask(LENS, 5) & pytorch.causal_mask(3, 5)
    close(pytorch.scaled_dot_product_attention(q, k, v, mask), sdpa(q, k, v, attn_mask=mask))


MODULES = {
    "dot": (lambda p: pytorch.DotProductAttention(p), (4, 4, 6)),
    "additive": (lambda p: pytorch.AdditiveAttention(2, 4, 7, p), (2, 4, 6)),
    "heads": (lambda p: pytorch.MultiHeadAttention(8, 2, p), (8, 8, 8)),
}
every_module = pytest.mark.parametrize("name", MODULES)


@every_module
def test_dropout_works_in_training_alone(name):
    make, widths = MODULES[name]
    module, given = make(0.5).double(), inputs(*widths)
    torch.manual_seed(0)
    assert not torch.equal(module(*given), module(*given))
    module.eval()
    assert torch.equal(module(*given), module(*given))
    without = make(0.0).double().eval()
    without.load_state_dict(module.state_dict())
    assert torch.equal(without(*given), module(*given))


@every_module
def test_a_state_dict_goes_to_another_module_and_gives_the_same(name):
    make, widths = MODULES[name]
    one, other, given = double(make(0.0)), double(make(0.0)), inputs(*widths)
    other.load_state_dict(one.state_dict())
    assert torch.equal(one(*given), other(*given))


@every_module
def test_a_sequence_without_keys_gets_zeros_before_the_last_layer(name):
    make, widths = MODULES[name]
    out = double(make(0.0))(*inputs(*widths), torch.tensor([0, 5]))
    assert (out[0] == 0).all() and (out[1] != 0).any()


@every_module
def test_compiles_to_one_graph(name):
    make, widths = MODULES[name]
    module, given = double(make(0.0)), inputs(*widths)
    torch.compiler.reset()
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    close(compiled(*given, LENS), module(*given, LENS))


@every_module
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_module_keeps_the_dtype_of_its_input(name, dtype):
    make, widths = MODULES[name]
    module, given = make(0.0).to(dtype).eval(), inputs(*widths, dtype=dtype)
    out = module(*given, LENS)
    assert out.dtype == dtype
    exact = module.double()(*(x.double() for x in given), LENS)
    # A layer in half precision rounds its input, its weights' products and its output once each.
    close(out.double(), exact, 8 * torch.finfo(dtype).eps)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: pytorch.MultiHeadAttention(8, 3), "n_heads is 3; expected a divisor of d_model"),
        (lambda: pytorch.MultiHeadAttention(8, 2)(*inputs(8, 7, 8)), "k is float64 tensor"),
        (lambda: pytorch.AdditiveAttention(2, 4, 7)(*inputs(3, 4, 6)), "q is float64 tensor"),
        (
            lambda: pytorch.DotProductAttention()(*inputs(4, 4, 6), mask=torch.zeros(3, 5)),
            "mask is float32 tensor of shape (3, 5)",
        ),
        (
            lambda: pytorch.DotProductAttention()(*inputs(4, 4, 6), torch.tensor([2, 6])),
            "valid_lens has 6; expected 0 to n_k = 5",
        ),
        (
            lambda: pytorch.DotProductAttention()(*inputs(4, 4, 6), torch.tensor([-1, 5])),
            "valid_lens has -1; expected 0 to n_k = 5",
        ),
        (
            lambda: pytorch.from_multihead(nn.MultiheadAttention(8, 2, kdim=4, batch_first=True)),
            "expected one without",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(call, said):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert said in str(caught.value) and "\n" not in str(caught.value)


def mixed(module, weights, v):
    if not isinstance(module, pytorch.MultiHeadAttention):
        return pytorch.weighted_sum(weights, v)
    heads = pytorch.split_heads(module.w_v(v), module.n_heads)
    return module.w_o(pytorch.merge_heads(pytorch.weighted_sum(weights, heads)))


@every_module
def test_dropout_is_that_of_the_weights_at_its_rate(name):
    make, widths = MODULES[name]
    module, (q, k, v) = make(0.25).double(), inputs(*widths)
    torch.manual_seed(0)
    out = module(q, k, v, LENS)
    torch.manual_seed(0)
    dropped = nn.functional.dropout(module.weights(q, k, LENS), 0.25)
    close(out, mixed(module, dropped, v))


@pytest.mark.parametrize("name", ["dot", "additive"])
def test_valid_lengths_are_the_same_for_all_heads(name):
    make, widths = MODULES[name]
    module, given = double(make(0.0)), inputs(*widths)
    heads = [x[:, None].expand(-1, 3, -1, -1) for x in given]
    close(module(*heads, LENS), module(*given, LENS)[:, None].expand(-1, 3, -1, -1))


@every_module
def test_a_nan_in_the_padding_is_in_no_gradient(name):
    make, widths = MODULES[name]
    module, (q, k, v) = double(make(0.0)), inputs(*widths)
    k[0, 2:], v[0, 2:] = torch.nan, torch.nan
    leaves = [x.requires_grad_() for x in (q, k, v)]
    gradients = torch.autograd.grad(module(*leaves, LENS).sum(), [*leaves, *module.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)


def test_a_padded_word_of_nan_that_is_a_query_too_is_in_gradients():
    """The loss does not read its output, but its row of weights is NaN."""
    module, (x, _, _) = double(pytorch.MultiHeadAttention(8, 2)), inputs(8, 8, 8)
    x[:, -1] = torch.nan
    module(x, x, x, torch.full((len(x),), x.shape[1] - 1))[:, :-1].sum().backward()
    spoilt = [name for name, w in module.named_parameters() if w.grad.isnan().any()]
    assert spoilt == ["w_k.weight", "w_v.weight", "w_o.weight"]


def test_additive_attention_has_three_matrices_and_no_bias():
    names = [name for name, _ in pytorch.AdditiveAttention(2, 4, 7).named_parameters()]
    assert names == ["w_q.weight", "w_k.weight", "w_v.weight"]


@pytest.mark.parametrize("n_heads", [0, -2, 2.0])
def test_heads_that_are_no_number_above_0_are_refused(n_heads):
    with pytest.raises(ValueError, match=f"n_heads is {n_heads}; expected a divisor of d_model"):
        pytorch.MultiHeadAttention(8, n_heads)


def test_the_number_of_heads_is_shown():
    assert "n_heads=2" in repr(pytorch.MultiHeadAttention(8, 2))


def is_dropped(name="dot"):
    test_dropout_works_in_training_alone(name)


is_dot = test_dot_product_attention_is_the_reference
is_additive = test_additive_attention_is_the_reference_with_its_own_weights
is_heads = test_multi_head_attention_is_the_reference_with_its_own_weights
TRAINING, SOFTMAX = "self.training", "exp / torch.where(total == 0, 1, total)"
VISIBLE, OUTPUT = modules._visible, "return padding if mask is None else padding & mask"
MISTAKES_IN_MODULES = {
    "dropout in evaluation": (nn.Dropout.forward, f"{TRAINING} → True", is_dropped),
    "no dropout in training": (nn.Dropout.forward, f"{TRAINING} → False", is_dropped),
    "softmax over queries": (pytorch.softmax, f"{SOFTMAX} → torch.softmax(scores, -2)", is_dot),
    "valid lengths ignored": (VISIBLE, f"{OUTPUT} → return mask", is_dot),
    "masks joined by or": (VISIBLE, f"{OUTPUT} → {OUTPUT.replace('&', '|')}", is_dot),
    "no tanh": (pytorch.additive_scores, *MISTAKES["no tanh"][1:], is_additive),
    "product for sum": (pytorch.additive_scores, "+ product(k → * product(k", is_additive),
    "view for transpose": (pytorch.split_heads, *MISTAKES["view for transpose"][1:], is_heads),
    "heads in the wrong order": (pytorch.merge_heads, "(x, -2 → (x.flip(-3), -2", is_heads),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES_IN_MODULES)
def test_a_wrong_module_is_rejected(monkeypatch, mistake):
    one_line.assert_rejected(monkeypatch, *MISTAKES_IN_MODULES[mistake])


@pytest.mark.parametrize("place", range(3), ids="qkv")
def test_a_layer_of_another_dtype_is_refused_in_a_sentence(place):
    layer, given = pytorch.MultiHeadAttention(4, 2), [torch.ones(1, 3, 4) for _ in range(3)]
    given[place] = given[place].double()
    said = refusal(layer, *given)
    assert said.startswith("MultiHeadAttention.forward: the parameters are torch.float32")
    with torch.autocast("cpu", torch.bfloat16):
        assert refusal(layer, *given) == said, "which leaves float64 as it is"
        given[place] = given[place].half()
        layer(*given)
