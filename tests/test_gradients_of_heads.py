"""Gradients by hand of heads, shared ones too, and of turned vectors, as autograd finds them."""

import numpy as np
import pytest
import torch
from draw import BATCHES, D_K, D_V, N_K, N_Q, mask, matrices, queries_keys_values
from test_gradients_by_hand import (
    D_MODEL,
    D_OUT,
    HEADS,
    N_HEADS,
    arguments,
    assert_equal,
    assert_gradients,
    by_hand,
    grad_out,
    slopes_of,
)

from attnbook import gradients, positions, pytorch

PLACES, THETA = np.arange(2, 2 + N_K), positions.frequencies(D_K)


def mask_of_heads(batch=()):
    """A mask for each head; the first of them hides key 1 from all."""
    shown = mask((*batch, N_HEADS))
    shown[..., 0, :, 1] = False
    return shown


@pytest.mark.parametrize("batch", BATCHES)
def test_each_head_may_have_a_mask_of_its_own(batch):
    assert_gradients(HEADS, batch, mask=mask_of_heads(batch))


def grouped(batch=(), n_kv_heads=2):
    """Four heads of queries that share heads of keys and values."""
    shapes = (D_K, D_MODEL), (D_K, 2 * n_kv_heads), (D_V, 2 * n_kv_heads), (D_MODEL, D_OUT)
    return [*queries_keys_values(batch), *matrices(np.float64, *shapes)]


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_shared_heads_of_keys_collect_from_all_that_read_them(n_kv_heads, batch):
    arrays, grad, shown = grouped(batch, n_kv_heads), grad_out(HEADS, batch), mask((*batch, 4))
    settings = {"n_heads": 4, "n_kv_heads": n_kv_heads}
    found = gradients.multi_head_attention_backward(grad, *arrays, mask=shown, **settings)
    settings["mask"] = torch.from_numpy(shown)
    theirs = pytorch.multi_head_attention
    assert_equal(found, slopes_of(lambda *x: theirs(*x, **settings), grad, arrays))


@pytest.mark.parametrize("batch", BATCHES)
def test_the_gradient_of_a_repeated_head_is_the_sum_over_its_copies(batch):
    x = np.random.default_rng(7).standard_normal((*batch, 2, N_K, D_K))
    grad = np.random.default_rng(8).standard_normal((*batch, 6, N_K, D_K))
    found = gradients.repeat_heads_backward(grad, 3)
    assert_equal([found], slopes_of(lambda x: x.repeat_interleave(3, dim=-3), grad, [x]))


def test_heads_are_those_of_pytorchs_own_layer():
    """`nn.MultiheadAttention`, with our matrices, knows nothing of our functions."""
    q, k, v = queries_keys_values((2,))
    wide = [np.random.default_rng(5).standard_normal((*q.shape[:-1], D_MODEL)), k, v]
    shapes = (D_MODEL, D_MODEL), (D_K, D_MODEL), (D_V, D_MODEL), (D_MODEL, D_MODEL)
    weights = matrices(np.float64, *shapes)
    shown = mask()[1:2] | np.eye(N_Q, N_K, dtype=bool)  # no row is empty: theirs would be NaN
    hidden = torch.from_numpy(~shown)
    layer = torch.nn.MultiheadAttention(
        D_MODEL, N_HEADS, bias=False, kdim=D_K, vdim=D_V, batch_first=True, dtype=torch.float64
    )
    names = "q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"

    def theirs(q, k, v, *weights):
        state = {name: w.T for name, w in zip(names, weights, strict=True)}
        call = {"attn_mask": hidden, "need_weights": False}
        return torch.func.functional_call(layer, state, (q, k, v), call)[0]

    grad = np.random.default_rng(9).standard_normal((2, N_Q, D_MODEL))
    found = gradients.multi_head_attention_backward(grad, *wide, *weights, N_HEADS, shown)
    assert_equal(found, slopes_of(theirs, grad, [*wide, *weights]))


def turned(x, places=PLACES):
    """RoPE in complex numbers, in PyTorch: pair (a, b) as a + ib, times e^(iφ)."""
    angles = torch.from_numpy(places[..., None] * THETA)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_rope_is_turned_back(batch, dtype):
    _, x, _ = queries_keys_values(batch)
    grad = np.random.default_rng(9).standard_normal(x.shape)
    found = gradients.rope_backward(grad, PLACES.astype(dtype), THETA)
    assert_equal([found], slopes_of(turned, grad, [x]))


def test_rope_in_halves_leaves_the_other_features():
    """Two pairs of six features: with one pair, halves would be neighbours."""
    _, _, x = queries_keys_values()
    grad = np.random.default_rng(9).standard_normal(x.shape)
    found = gradients.rope_backward(grad, PLACES, THETA, "halves")
    there = positions.rope(found, PLACES, THETA, "halves")
    assert_equal([there, found[:, 4:]], [grad, grad[:, 4:]])
    # The gradient of <grad, R x> is Rᵀ grad: both have the same product with any x.
    turned = positions.rope(x, PLACES, THETA, "halves")
    assert np.isclose(np.sum(found * x), np.sum(grad * turned))


def test_wrong_shapes_are_named():
    arrays = arguments(HEADS)
    with pytest.raises(TypeError, match="multi_head_attention_backward: q is "):
        by_hand(HEADS, grad_out(HEADS)[:2], arrays)
    with pytest.raises(ValueError, match="split_heads: n_heads is 3; expected a divisor"):
        gradients.multi_head_attention_backward(grad_out(HEADS), *arrays, 3)
    name = "^multi_head_attention_backward: "
    with pytest.raises(ValueError, match=name + "n_kv_heads is 3; expected a divisor of n_heads"):
        gradients.multi_head_attention_backward(grad_out(HEADS), *grouped(), 4, n_kv_heads=3)
    with pytest.raises(ValueError, match=name + "w_k and w_v have 4 columns; expected n_kv_heads"):
        gradients.multi_head_attention_backward(grad_out(HEADS), *grouped(), 4, n_kv_heads=4)
    for times in (2, 0, -1):
        with pytest.raises(
            ValueError, match=f"times is {times}; expected a divisor of n_heads = 3"
        ):
            gradients.repeat_heads_backward(np.ones((3, 2, 1)), times)
    with pytest.raises(TypeError, match="rope_backward: positions is "):
        gradients.rope_backward(arrays[1], PLACES + 0.5, THETA)
