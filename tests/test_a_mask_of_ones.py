"""A mask that shows everything changes nothing, to the last bit, whatever the numbers are."""

from functools import partial

import numpy as np
import one_line
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from test_properties import BATCH, DTYPES, SIDE

from attnbook import fused, gradients, online, pytorch, reference
from attnbook.pytorch import products

SPECIAL = [], [np.inf], [-np.inf], [np.inf, -np.inf], [np.nan, np.inf, -np.inf]


@st.composite
def sequences(draw):
    """Queries, keys, values and a gradient of the output; up to half are not finite."""
    batch, dtype = draw(BATCH), draw(DTYPES)
    n_q, n_k, d_k, d_v = (draw(SIDE) for _ in range(4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def drawn(shape):
        x, special = rng.standard_normal((*batch, *shape)), draw(st.sampled_from(SPECIAL))
        if special:
            x = np.where(rng.random(x.shape) < rng.random() / 2, rng.choice(special, x.shape), x)
        return x.astype(dtype)

    return [drawn(shape) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v))]


def attend(function):
    return lambda q, k, v, grad, mask: function(q, k, v, mask=mask)


def on_tensors(function):
    def call(q, k, v, grad, mask):
        mask = None if mask is None else torch.from_numpy(mask)
        return function(*map(torch.from_numpy, (q, k, v)), mask=mask).numpy()

    return call


def by_module(q, k, v, mask):
    return pytorch.DotProductAttention()(q[None], k[None], v[None], mask=mask)


def dispatched(q, k, v, mask):
    return fused.attention(q[None], k[None], v[None], mask=mask)


def backward(q, k, v, grad, mask):
    return gradients.scaled_dot_product_attention_backward(grad, q, k, v, mask)


def backward_of_blocks(q, k, v, grad, mask):
    out, lse = online.attention_blockwise(q, k, v, mask, block=2)
    return online.attention_blockwise_backward(grad, q, k, v, out, lse, mask, block=2)


FORMS = {
    "the definition": attend(reference.scaled_dot_product_attention),
    "its gradients": backward,
    "with L": attend(online.attention_with_lse),
    "blocks of keys": attend(online.attention_blockwise),
    "the gradients of blocks": backward_of_blocks,
    "the twin": on_tensors(pytorch.scaled_dot_product_attention),
    "the module": on_tensors(by_module),
    "SDPA": on_tensors(fused.scaled_dot_product_attention),
    "the dispatcher": on_tensors(dispatched),
}


def assert_nothing_changes(form):
    @settings(max_examples=100, derandomize=True, deadline=None, database=None)
    @given(sequences())
    def holds(drawn):
        q, k = drawn[:2]
        plain, masked = form(*drawn, None), form(*drawn, np.ones((q.shape[-2], k.shape[-2]), bool))
        for a, b in zip(plain, masked, strict=True):
            np.testing.assert_array_equal(b, a, strict=True)

    holds()


@pytest.mark.parametrize("form", FORMS)
def test_a_mask_of_ones_changes_nothing(form):
    assert_nothing_changes(FORMS[form])


@pytest.mark.parametrize("form", ["the definition", "its gradients", "with L", "blocks of keys"])
def test_a_sum_that_is_nan_for_a_visible_infinity_is_rejected(monkeypatch, form):
    change = "weights[..., j, None] * v[..., j, None, :] → np.nan"
    claim = partial(assert_nothing_changes, FORMS[form])
    one_line.assert_rejected(monkeypatch, reference.weighted_sum, change, claim)


@pytest.mark.parametrize("form", ["the twin", "the module"])
def test_such_a_sum_of_tensors_is_rejected(monkeypatch, form):
    change, claim = "signs * torch.inf → torch.nan", partial(assert_nothing_changes, FORMS[form])
    one_line.assert_rejected(monkeypatch, products.visible_sum, change, claim)
