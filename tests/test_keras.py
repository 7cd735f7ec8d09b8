"""Additive attention against Keras, the one library found that has it."""

from functools import partial

import numpy as np
import one_line
import pytest
import torch

from attnbook import pytorch, reference
from attnbook.masks import padding_mask

WIDTH = 7
IDENTITY = np.eye(WIDTH)  # Keras leaves the projections to its caller


def given():
    rng = np.random.default_rng(0)
    shapes = (2, 3, WIDTH), (2, 5, WIDTH), (2, 5, 4), (WIDTH,)
    q, k, v, w_v = (rng.standard_normal(shape) for shape in shapes)
    return q, k, v, w_v, padding_mask(np.array([2, 5]), 5)


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """The output and the weights of `keras.layers.AdditiveAttention`.

    Its weights are float64 like its input, but its matrix product with the values is float32.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERAS_BACKEND", "torch")
        patch.setenv("KERAS_HOME", str(tmp_path_factory.mktemp("keras")))
        import keras
    q, k, v, w_v, mask = given()
    layer = keras.layers.AdditiveAttention(dtype="float64")
    layer.build([q.shape, v.shape, k.shape])
    layer.scale.assign(w_v)  # their name for w_v
    masks = [None, torch.from_numpy(mask[:, 0])]
    arrays = [torch.from_numpy(x) for x in (q, v, k)]
    pair = layer(arrays, mask=masks, return_attention_scores=True)
    return [x.detach().numpy() for x in pair]


def agrees(theirs, with_projections):
    """Sums of 7 numbers near 1 in another order: a few eps of the dtype that each is in."""
    q, k, v, w_v, mask = given()
    outputs, weights = theirs
    for expected, values in ((weights, np.broadcast_to(np.eye(5), (2, 5, 5))), (outputs, v)):
        actual = with_projections(q, k, values, w_v, mask)
        tolerance = 16 * np.finfo(expected.dtype).eps
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def in_numpy(q, k, v, w_v, mask):
    return reference.additive_attention(q, k, v, IDENTITY, IDENTITY, w_v, mask)


def in_torch(q, k, v, w_v, mask):
    arrays = (q, k, v, IDENTITY, IDENTITY, w_v, mask)
    return pytorch.additive_attention(*map(torch.tensor, arrays)).numpy()


@pytest.mark.parametrize("ours", [in_numpy, in_torch])
def test_additive_attention_is_that_of_keras(theirs, ours):
    agrees(theirs, ours)


MISTAKES = {"no tanh": "np.tanh( → (", "product for sum": "+ (k @ w_k) → * (k @ w_k)"}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_score_is_rejected(monkeypatch, theirs, mistake):
    additive, claim = reference.additive_scores, partial(agrees, theirs, in_numpy)
    one_line.assert_rejected(monkeypatch, additive, MISTAKES[mistake], claim)


def test_a_mask_of_the_wrong_polarity_is_rejected(theirs):
    with pytest.raises(AssertionError):
        agrees(theirs, lambda q, k, v, w_v, mask: in_numpy(q, k, v, w_v, ~mask))
