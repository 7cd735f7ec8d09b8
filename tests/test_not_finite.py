"""NaN and infinity pass through the functions on tensors, but not into their gradients."""

import itertools

import numpy as np
import pytest
import torch
from draw import N_K, N_Q
from libraries import BOTH, taken_by
from test_twins import on_arrays, tensors

from attnbook import pytorch, reference


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
