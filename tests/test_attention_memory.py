"""How much memory attention takes beside its arguments, counted in numbers."""

import tracemalloc
from functools import partial

import numpy as np
import one_line
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from attnbook import gradients, masks, online, pytorch, reference
from attnbook.pytorch import products

HEADS, N, D = 2, 192, 32
SCORES, INPUT = HEADS * N * N, HEADS * N * D


MASKS = {
    "no mask": None,
    "causal": masks.causal_mask(N, N),
    "padding": masks.padding_mask(np.array([N - 5]), N),
    "of each head": np.random.default_rng(1).random((HEADS, N, N)) < 0.5,
}
every_mask = pytest.mark.parametrize("mask", MASKS)


def arguments():
    rng = np.random.default_rng(0)
    return rng.standard_normal((4, HEADS, N, D), dtype=np.float32)


def peak(function, *given, **named):
    """The most numbers of float32 that a call has in memory at once."""
    function(*given, **named)  # what it remembers of the arguments does not count
    tracemalloc.start()
    try:
        function(*given, **named)
        return tracemalloc.get_traced_memory()[1] / 4
    finally:
        tracemalloc.stop()


def assert_few_matrices(mask):
    """One of weights and, at most, one of the mask; then scores, and those that softmax makes.

    Beside them are arrays of the size of an input, each a sixth of such a matrix. A sum that forms
    every product before it adds takes 64.
    """
    grad, q, k, v = arguments()
    weights = reference.softmax(reference.dot_product_scores(q, k), mask)
    backward = gradients.scaled_dot_product_attention_backward
    assert peak(reference.weighted_sum, weights, v, mask) < 2 * SCORES
    assert peak(reference.scaled_dot_product_attention, q, k, v, mask) < 5 * SCORES
    assert peak(backward, grad, q, k, v, mask) < 8 * SCORES


def assert_some_inputs(mask):
    """A block of 16 keys has half as many scores as an input has numbers."""
    grad, q, k, v = arguments()
    out, lse = online.attention_blockwise(q, k, v, mask, block=16)
    backward = online.attention_blockwise_backward
    assert peak(online.attention_blockwise, q, k, v, mask, block=16) < 8 * INPUT
    assert peak(backward, grad, q, k, v, out, lse, mask, block=16) < 12 * INPUT


class Largest(TorchDispatchMode):
    """The size of the largest tensor that is made."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        for x in made if isinstance(made, tuple | list) else [made]:
            self.numbers = max(self.numbers, x.numel() if isinstance(x, torch.Tensor) else 0)
        return made


def assert_no_tensor_is_larger_than_the_scores(mask):
    grad, *leaves = (torch.from_numpy(x).requires_grad_() for x in arguments())
    mask = None if mask is None else torch.from_numpy(mask)
    with Largest() as largest:
        pytorch.scaled_dot_product_attention(*leaves, mask).backward(grad)
    assert largest.numbers == SCORES


@every_mask
def test_the_definition_and_its_gradients_take_a_few_matrices_of_scores(mask):
    assert_few_matrices(MASKS[mask])


@every_mask
def test_blocks_of_keys_take_some_inputs(mask):
    assert_some_inputs(MASKS[mask])


@every_mask
def test_the_twin_makes_nothing_larger_than_the_scores(mask):
    assert_no_tensor_is_larger_than_the_scores(MASKS[mask])


@pytest.mark.parametrize("claim", [assert_few_matrices, assert_some_inputs])
def test_a_sum_that_forms_every_product_is_rejected(monkeypatch, claim):
    every = "np.sum(np.where(mask, weights, 0)[..., None] * v[..., None, :, :], axis=-2)"
    change = f"np.where(mask, weights, 0) @ np.where(is_finite, v, 0) → {every}"
    claim = partial(claim, MASKS["causal"])
    one_line.assert_rejected(monkeypatch, reference.weighted_sum, change, claim)


def test_a_twin_that_forms_every_product_is_rejected(monkeypatch):
    every = "torch.sum(weights[..., None] * v[..., None, :, :], dim=-2)"
    change = f"weights @ torch.where(is_finite, v, 0) → {every}"
    claim = partial(assert_no_tensor_is_larger_than_the_scores, MASKS["causal"])
    one_line.assert_rejected(monkeypatch, products.visible_sum, change, claim)
