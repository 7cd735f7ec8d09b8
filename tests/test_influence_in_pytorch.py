"""What a mask hides has no part in a gradient, to the last bit; what it shows has.

And NaN and infinity pass through the functions on tensors, but not into the gradients of others.
"""

import inspect
import itertools

import numpy as np
import pytest
import torch
from draw import N_K, N_Q
from libraries import BOTH, taken_by
from test_twins import on_arrays, tensors
from torch.autograd.gradcheck import GradcheckError
from torch.utils._python_dispatch import TorchDispatchMode

from attnbook import pytorch, reference
from attnbook.pytorch import attention

JUNK = [torch.nan, torch.inf, -torch.inf, 3e38, -3e38, 1e34]
causal = pytorch.causal_mask(4, 4)
padded = torch.tensor([[True, True, True, False]])


def drawn(*shapes, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes]


def scored(score, *w):
    """Attention with a score of one's own, by the functions that the package has."""

    def attend(q, k, v, mask):
        return pytorch.weighted_sum(pytorch.softmax(score(q, k, *w), mask), v, mask)

    return attend


def by_module(module):
    torch.manual_seed(0)
    layer = module()
    return lambda q, k, v, mask: layer(q, k, v, mask=mask)


FORMS = {
    "dot product": pytorch.scaled_dot_product_attention,
    "gaussian": scored(pytorch.gaussian_scores),
    "bilinear": scored(pytorch.bilinear_scores, *drawn((4, 4))),
    "additive": scored(pytorch.additive_scores, *drawn((4, 3), (4, 3), (3,))),
    "heads": lambda q, k, v, mask: pytorch.multi_head_attention(
        q, k, v, *drawn((4, 4), (4, 4), (4, 4), (4, 4)), n_heads=2, mask=mask
    ),
    "module": by_module(pytorch.DotProductAttention),
    "additive module": by_module(lambda: pytorch.AdditiveAttention(4, 4, 3)),
    "module of heads": by_module(lambda: pytorch.MultiHeadAttention(4, 2)),
}
every_form = pytest.mark.parametrize("form", FORMS)


def gradients(form, mask, junk, at, scale=1.0):
    """The output and the gradients by q, k and v, with junk in one key and its value."""
    q, k, v = drawn((2, 4, 4), (2, 4, 4), (2, 4, 4))
    k[:, at], v[:, at] = junk, junk
    leaves = [x.requires_grad_() for x in (q, k, v)]
    out = FORMS[form](*leaves, mask)
    return out, *torch.autograd.grad((out * scale).sum(), leaves)


def assert_no_influence(form, mask, junk, scale):
    clean, dirty = (gradients(form, mask, x, 3, scale) for x in (0.0, junk))
    for a, b in zip(clean, dirty, strict=True):
        assert torch.equal(a, b)


@every_form
@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("scale", [1.0, 2.0**16])
@pytest.mark.parametrize("rows", [1, 4], ids=["one row", "a row for each query"])
def test_what_is_hidden_is_in_no_gradient(form, junk, scale, rows):
    assert_no_influence(form, padded.expand(rows, -1), junk, scale)


@every_form
@pytest.mark.parametrize("junk", [torch.nan, torch.inf])
def test_a_query_has_no_part_in_what_a_later_one_sees(form, junk):
    clean, dirty = (gradients(form, causal, x, 3)[:2] for x in (0.0, junk))
    for a, b in zip(clean, dirty, strict=True):
        assert torch.equal(a[:, :3], b[:, :3])
        assert not b[:, 3].isfinite().all()


@pytest.mark.parametrize("junk", [torch.nan, torch.inf])
@pytest.mark.parametrize("mask", [None, padded, causal], ids=["no mask", "padding", "causal"])
def test_a_visible_value_that_is_not_finite_is_in_the_output_and_the_gradients(junk, mask):
    q, k, v = (x.requires_grad_() for x in drawn((4, 4), (4, 4), (4, 4)))
    with torch.no_grad():
        v[1, 2] = junk
    out = pytorch.scaled_dot_product_attention(q, k, v, mask)
    seen = torch.ones(4, 4, dtype=torch.bool) if mask is None else mask.expand(4, 4)
    assert torch.equal(~out[:, 2].isfinite(), seen[:, 1])
    assert out[:, [0, 1, 3]].isfinite().all()
    for gradient in torch.autograd.grad(out.sum(), (q, k)):
        assert not gradient.isfinite().all()


def test_a_visible_value_that_overflows_is_in_the_gradients():
    q, k, v = (x.requires_grad_() for x in drawn((4, 4), (4, 4), (4, 4)))
    with torch.no_grad():
        v[0] = 3e38
    out = pytorch.scaled_dot_product_attention(q, k, v, causal)
    gradient = torch.autograd.grad((out * 2**16).sum(), q)[0]
    assert not gradient[1:].isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("mask", [None, torch.ones(1, 2) > 0, torch.ones(2, 2) > 0])
def test_a_visible_nan_is_seen_whatever_its_weight(dtype, mask):
    weights = pytorch.softmax(torch.tensor([[0, -200], [0, -200]], dtype=dtype), mask)
    v = torch.tensor([[1], [torch.nan]], dtype=dtype)
    assert pytorch.weighted_sum(weights, v, mask).isnan().all()


def plain_softmax(scores, mask=None):
    _, exp, total = inspect.getmodule(pytorch.softmax).shifted_exp(scores, mask)
    return exp / torch.where(total == 0, 1, total)


def plain_weighted_sum(weights, v, mask=None):
    finite = torch.isfinite(v)
    return weights @ torch.where(finite, v, 0)


def plain_scores(q, k, scale=None):
    return q @ k.mT / 2


WRONG = {
    "softmax without the mask behind it": ("softmax", plain_softmax, 3e38, 2.0**16),
    "a hidden value in the sum": ("weighted_sum", lambda a, v, mask: a @ v, torch.nan, 1.0),
    "a hidden key in the gradient": ("dot_product_scores", plain_scores, torch.nan, 1.0),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_form_in_which_the_hidden_counts_is_rejected(monkeypatch, mistake):
    name, wrong, junk, scale = WRONG[mistake]
    if name == "softmax":  # the where in the sum mends it too
        monkeypatch.setattr(attention, "weighted_sum", lambda a, v, mask: plain_weighted_sum(a, v))
    assert_no_influence("dot product", padded.expand(4, -1), 0.0, scale)
    monkeypatch.setattr(attention, name, wrong)
    with pytest.raises(AssertionError):
        assert_no_influence("dot product", padded.expand(4, -1), junk, scale)


def test_a_sum_that_forgets_visible_infinities_is_rejected(monkeypatch):
    monkeypatch.setattr(attention, "weighted_sum", plain_weighted_sum)
    with pytest.raises(AssertionError):
        test_a_visible_value_that_is_not_finite_is_in_the_output_and_the_gradients(
            torch.inf, causal
        )


class Products(TorchDispatchMode):
    """How many products of matrices are computed."""

    count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += function.overloadpacket in (torch.ops.aten.mm, torch.ops.aten.bmm)
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize(("mask", "forward"), [(None, 2), (padded, 4), (causal, 4)])
def test_there_is_one_way_through_with_few_products(mask, forward):
    """Two and, with a mask, two that count what its rows see, and with which sign."""
    for junk in (0.0, torch.nan):
        q, k, v = (x.requires_grad_() for x in drawn((2, 4, 4), (2, 4, 4), (2, 4, 4)))
        with torch.no_grad():
            v[:, 3] = junk
        with Products() as products:
            out = pytorch.scaled_dot_product_attention(q, k, v, mask)
            assert products.count == forward
            out.sum().backward()
        assert products.count == forward + 4


def saved(n):
    """The bytes that a call keeps for the backward pass, each piece of memory once."""
    kept = {}

    def keep(x):
        storage = x.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return x

    q, k, v = (x.requires_grad_() for x in drawn((n, 4), (n, 4), (n, 4)))
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        out = pytorch.scaled_dot_product_attention(q, k, v, pytorch.causal_mask(n, n))
    assert out.requires_grad
    return sum(kept.values())


def test_what_is_kept_for_the_backward_pass_is_a_few_matrices_of_weights():
    assert saved(512) <= (2 * 4 + 3) * 512**2 + 100_000


class Squares(torch.autograd.Function):
    """Squares with the right gradient, in which the numbers themselves count as constants."""

    @staticmethod
    def forward(ctx, x):
        ctx.twice = 2 * x.detach()
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.twice


def test_gradgradcheck_rejects_a_wrong_second_gradient():
    s = drawn((3, 5), dtype=torch.float64)[0].requires_grad_()
    assert torch.autograd.gradcheck(Squares.apply, s)
    with pytest.raises(GradcheckError):
        torch.autograd.gradgradcheck(Squares.apply, s, fast_mode=True)


@pytest.mark.parametrize("seen", [None, *itertools.product([True, False], repeat=3)])
def test_values_that_are_not_finite_add_up_as_in_the_reference(seen):
    """Each column of values has its own infinities and NaN, each row of weights its own signs."""
    weights = np.array([[0.5, 0.5, 0.0], [-0.5, 0.5, 1.0], [0.0, -1.0, 2.0], [0.0, 0.0, 1.0]])
    kinds = [0.0, 1.0, np.inf, -np.inf, np.nan]
    v = np.array(np.meshgrid(kinds, kinds, kinds)).reshape(3, -1)
    mask = None if seen is None else np.array([seen])
    actual = on_arrays(pytorch.weighted_sum)(weights, v, mask)
    np.testing.assert_array_equal(actual, reference.weighted_sum(weights, v, mask))


SCORES = ["gaussian_scores", "dot_product_scores", "bilinear_scores", "additive_scores"]


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("i", range(2), ids="qk")
def test_one_nan_is_in_its_scores_and_in_no_gradient(name, i):
    inputs = tensors(name)
    inputs[i][0, 1, 2] = torch.nan
    plain = getattr(pytorch, name)(*inputs)
    for x in inputs:
        x.requires_grad_()
    out = getattr(pytorch, name)(*inputs)
    torch.testing.assert_close(out, plain, equal_nan=True)
    assert out.isnan().any()
    assert all(gradient.isfinite().all() for gradient in torch.autograd.grad(out.sum(), inputs))


def test_a_nan_is_in_no_gradient_of_projections():
    """Neither that of a hidden key and value, nor that of a query that sees nothing."""
    inputs = tensors("multi_head_attention")
    inputs[0][:, 2], inputs[1][:, 4], inputs[2][:, 4] = torch.nan, torch.nan, torch.nan
    leaves = [x.requires_grad_() for x in inputs]
    hidden = torch.ones(N_Q, N_K, dtype=torch.bool)
    hidden[:, 4] = hidden[2] = False
    out = pytorch.multi_head_attention(*leaves, n_heads=2, mask=hidden)
    assert all(gradient.isfinite().all() for gradient in torch.autograd.grad(out.sum(), leaves))


def test_a_visible_nan_is_seen_in_a_compiled_graph_too():
    weights, v, mask = torch.eye(3), torch.ones(3, 4), torch.eye(3, dtype=torch.bool)
    v[1] = torch.nan
    torch.compiler.reset()
    compiled = torch.compile(pytorch.weighted_sum, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(weights, v, mask), v, equal_nan=True)


@pytest.mark.parametrize("function", [pytorch.softmax, pytorch.logsumexp])
def test_a_row_of_infinitely_low_scores_has_gradient_0(function):
    s = torch.full((2, 3), -torch.inf, requires_grad=True)
    (gradient,) = torch.autograd.grad(function(s), s, torch.ones_like(function(s)))
    assert (gradient == 0).all()


@BOTH
def test_infinity_has_no_weight_and_a_nan_leaves_none_in_its_row(library):
    def weights(*row, shown=(True, True)):
        given = taken_by(library, np.array(row), np.array(shown))
        return np.isnan(np.asarray(library.softmax(*given))).tolist()

    assert weights(1.0, np.inf) == [False, True]
    assert weights(1.0, np.nan) == [True, True]
    assert weights(1.0, np.nan, shown=(False, True)) == [False, True], "0 where it is hidden"
