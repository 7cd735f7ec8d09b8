"""Attention on tensors goes through what PyTorch does to functions: there is no branch on data."""

import pytest
import torch
from torch import func
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from attnbook import pytorch
from attnbook.tiled import pytorch as tiles

torch.manual_seed(0)
Q, K, V = (torch.randn(2, 3, 4, dtype=torch.float64) for _ in range(3))
MASK = pytorch.causal_mask(3, 3)
LENS = torch.tensor([2, 3])
layer = pytorch.MultiHeadAttention(4, 2).double()


def attend(q, k, v):
    return pytorch.scaled_dot_product_attention(q, k, v, MASK)


def padded(q, k, v):
    return pytorch.DotProductAttention()(q, k, v, LENS)


def heads(q, k, v):
    return layer(q, k, v, LENS, MASK)


FORMS = [attend, padded, heads]
every_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
close = torch.testing.assert_close


def total(q, k, v):
    return attend(q, k, v).sum()


def branching(q, k, v):
    """A form that looks at its data."""
    return attend(q, k, v) if torch.isfinite(v).all() else v


def test_a_batch_can_be_mapped():
    close(func.vmap(attend)(Q, K, V), attend(Q, K, V))


def test_a_form_that_branches_on_data_cannot_be_mapped():
    with pytest.raises(RuntimeError, match="data-dependent"):
        func.vmap(branching)(Q, K, V)


def test_each_example_has_its_gradient():
    each = func.vmap(func.grad(total, (0, 1, 2)))(Q, K, V)
    close(each, func.grad(total, (0, 1, 2))(Q, K, V))


# PyTorch 2.13 calls what it has deprecated itself, in forward derivatives.
by_tangents = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@by_tangents
@every_form
def test_jacobians_agree_in_both_directions(form):
    close(func.jacfwd(form)(Q, K, V), func.jacrev(form)(Q, K, V))
    _, tangent = func.jvp(lambda q: form(q, K, V), (Q,), (V,))
    close(tangent, torch.einsum("bidcjf,cjf->bid", func.jacrev(form)(Q, K, V), V))


@by_tangents
def test_there_is_a_hessian():
    def loss(q):
        return attend(q, K, V).square().sum()

    hessian = func.hessian(loss)(Q)
    close(hessian, torch.autograd.functional.hessian(loss, Q))


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_a_graph_can_be_traced(mode):
    def masked(q, k, v, mask):
        return pytorch.scaled_dot_product_attention(q, k, v, mask)

    traced = make_fx(masked, tracing_mode=mode)(Q, K, V, MASK)
    close(traced(2 * Q, K, V, MASK), attend(2 * Q, K, V))


def test_tensors_without_numbers_have_shapes():
    with FakeTensorMode() as mode:
        q, mask, lens = (mode.from_tensor(x) for x in (Q, MASK, LENS))
        assert pytorch.scaled_dot_product_attention(q, q, q, mask).shape == Q.shape
        assert pytorch.masked_softmax(q, lens).shape == Q.shape
    q, lens = Q.to("meta"), LENS.to("meta")
    assert pytorch.masked_softmax(q, lens).shape == Q.shape
    assert pytorch.DotProductAttention()(q, q, q, lens).shape == Q.shape


class Module(torch.nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form

    def forward(self, q, k, v):
        return self.form(q, k, v)


@every_form
def test_it_can_be_exported(form):
    exported = torch.export.export(Module(form), (Q, K, V)).module()
    close(exported(2 * Q, K, V), form(2 * Q, K, V))


@pytest.mark.parametrize("junk", [0.0, torch.nan])
def test_a_compiled_step_has_the_same_gradients(junk):
    v = V.clone()
    v[:, 2] = junk
    leaves = [x.clone().requires_grad_() for x in (Q, K, v)]
    torch.compiler.reset()
    compiled = torch.compile(attend, fullgraph=True, backend="aot_eager")
    outs = [form(*leaves) for form in (compiled, attend)]
    gradients = [torch.autograd.grad(out.square().sum(), leaves) for out in outs]
    close(*outs, equal_nan=True)
    close(*gradients, equal_nan=True)
    assert torch.isfinite(outs[0][:, :2]).all()
    assert torch.isfinite(outs[0][:, 2]).all() == (junk == 0)


TILED = {
    "all": tiles.attention_tiled,
    "causal": tiles.causal_attention_tiled,
    "padded": lambda q, k, v: tiles.padded_attention_tiled(q, k, v, torch.tensor([2, 3])),
}
tiled = pytest.mark.parametrize("form", TILED.values(), ids=TILED)


@tiled
@pytest.mark.parametrize("axes", [(0, 0, 0), (None, 0, None), (None, None, 0)], ids=["all", *"kv"])
def test_tiles_can_be_mapped(form, axes):
    given = [
        x if axis is None else torch.stack([x, 2 * x])
        for x, axis in zip((Q, K, V), axes, strict=True)
    ]
    each = [
        form(*(x if axis is None else x[i] for x, axis in zip(given, axes, strict=True)))
        for i in range(2)
    ]
    close(func.vmap(form, axes)(*given), tuple(map(torch.stack, zip(*each, strict=True))))


def test_tiles_can_be_mapped_over_their_lengths():
    lens = torch.tensor([[2, 3], [0, 1]])
    mapped = func.vmap(lambda n: tiles.padded_attention_tiled(Q, K, V, n))(lens)
    each = [tiles.padded_attention_tiled(Q, K, V, n) for n in lens]
    close(mapped, tuple(map(torch.stack, zip(*each, strict=True))))


@by_tangents
@tiled
def test_tiles_have_derivatives_in_both_directions(form):
    close(func.jacfwd(form)(Q, K, V), func.jacrev(form)(Q, K, V))


@tiled
@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_a_graph_of_tiles_can_be_traced(form, mode):
    traced = make_fx(form, tracing_mode=mode)(Q, K, V)
    close(traced(2 * Q, K, V), form(2 * Q, K, V))


@tiled
def test_tiles_without_numbers_have_shapes(form):
    with FakeTensorMode() as mode:
        q = mode.from_tensor(Q)
        out, lse = form(q, q, q)
        assert out.shape == Q.shape and lse.shape == Q.shape[:-1]
