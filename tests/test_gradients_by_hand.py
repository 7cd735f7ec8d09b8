"""The gradients derived by hand are those of automatic differentiation and of differences."""

import numpy as np
import pytest
import torch
from draw import BATCHES, D_K, D_V, N_K, N_Q, mask, matrices, queries_keys_values, scores

from attnbook import gradients, pytorch, reference

D_HIDDEN = 7
# Sums of at most a few dozen products of numbers near 1, in another order.
CLOSE = {"rtol": 1e-13, "atol": 1e-13}
NAMES = "scaled_dot_product_attention", "additive_attention"


def arguments(name, batch=()):
    arrays = queries_keys_values(batch)
    if name == "additive_attention":
        arrays += tuple(matrices(np.float64, (D_K, D_HIDDEN), (D_K, D_HIDDEN), (D_HIDDEN,)))
    return list(arrays)


def grad_out(batch=()):
    return np.random.default_rng(9).standard_normal((*batch, N_Q, D_V))


def by_autograd(name, grad, arrays, **options):
    leaves = [torch.tensor(x, requires_grad=True) for x in arrays]
    options = {
        n: torch.from_numpy(x) if isinstance(x, np.ndarray) else x for n, x in options.items()
    }
    out = getattr(pytorch, name)(*leaves, **options)
    return [x.numpy() for x in torch.autograd.grad(out, leaves, torch.from_numpy(grad))]


def by_hand(name, grad, arrays, **options):
    return getattr(gradients, f"{name}_backward")(grad, *arrays, **options)


def assert_gradients(name, batch, **options):
    arrays, grad = arguments(name, batch), grad_out(batch)
    found = by_hand(name, grad, arrays, **options)
    expected = by_autograd(name, grad, arrays, **options)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, **CLOSE)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_they_are_those_of_autograd(name, masked, batch):
    assert_gradients(name, batch, mask=mask(batch) if masked else None)


def test_bias_and_scale_have_their_part():
    assert_gradients(NAMES[0], (2,), bias=scores((2,)), scale=0.3, mask=mask((2,)))


@pytest.mark.parametrize("name", NAMES)
def test_they_are_the_slopes_of_the_loss(name):
    """Differences err by h² f'''/6 and eps f/h: for h = 1e-5 and numbers near 1 by about 1e-10."""
    arrays, grad, shown = arguments(name), grad_out(), mask(())

    def loss():
        return np.sum(grad * getattr(reference, name)(*arrays, mask=shown))

    for x, found in zip(arrays, by_hand(name, grad, arrays, mask=shown), strict=True):
        slopes = np.empty_like(x)
        for at in np.ndindex(x.shape):
            kept, ends = x[at], []
            for step in (1e-5, -1e-5):
                x[at] = kept + step
                ends.append(loss())
            x[at] = kept
            slopes[at] = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose(found, slopes, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("junk", [np.nan, np.inf, 3e38, 1e300])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_hidden_is_in_no_gradient(name, junk):
    arrays, grad, shown = arguments(name), grad_out(), mask(())
    shown[:, 1] = False
    clean = by_hand(name, grad, arrays, mask=shown)
    arrays[1][1] = arrays[2][1] = junk
    dirty = by_hand(name, grad, arrays, mask=shown)
    for a, b in zip(clean, dirty, strict=True):
        assert np.array_equal(a, b)
    assert not np.any(dirty[1][1]) and not np.any(dirty[2][1])


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_row_has_gradient_0(name):
    shown = np.ones((N_Q, N_K), bool)
    shown[1] = False
    found = by_hand(name, grad_out(), arguments(name), mask=shown)
    assert not np.any(found[0][1]) and np.any(found[0][0])


@pytest.mark.parametrize("name", NAMES)
def test_the_dtype_that_goes_in_comes_out(name):
    arrays = [x.astype(np.float32) for x in arguments(name)]
    found = by_hand(name, grad_out().astype(np.float32), arrays)
    assert {x.dtype for x in found} == {np.dtype(np.float32)}


WRONG = {
    "the diagonal of the Jacobian alone": (
        "softmax_backward",
        lambda grad, weights, mask=None: weights * (1 - weights) * grad,
    ),
    "a sum over queries": (
        "softmax_backward",
        lambda grad, weights, mask=None: weights * (grad - (weights * grad).sum(-2, keepdims=True)),
    ),
    "the weights not subtracted": (
        "softmax_backward",
        lambda grad, weights, mask=None: weights * grad,
    ),
    "weights not transposed": ("_transposed", lambda x: x),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_gradient_is_rejected(monkeypatch, mistake):
    monkeypatch.setattr(gradients, *WRONG[mistake])
    with pytest.raises((AssertionError, ValueError)):
        assert_gradients(NAMES[0], (2,), mask=mask((2,)))
