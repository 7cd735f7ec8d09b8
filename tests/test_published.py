"""The package finds again the numbers that others have printed."""

import json
from pathlib import Path

import numpy as np
import pytest

from attnbook import masks, reference

PUBLISHED = json.loads((Path(__file__).parent / "data" / "published.json").read_text())


def assert_as_printed(actual, printed, atol):
    """Equal to as many digits as were printed; `atol` of the file says how many that is."""
    np.testing.assert_allclose(actual, printed, rtol=0, atol=atol)


def arrays(entry):
    return [np.array(entry[name]) for name in "qkv"]


@pytest.mark.parametrize("name", ["udl_12_1", "raschka_ch3"])
def test_unscaled_self_attention_is_as_printed(name):
    entry = PUBLISHED[name]
    out = reference.scaled_dot_product_attention(*arrays(entry), scale=entry["scale"])
    assert_as_printed(out, entry["out"], entry["atol"])


def test_weights_are_as_printed():
    entry = PUBLISHED["raschka_ch3"]
    q, k, _ = arrays(entry)
    weights = reference.softmax(reference.dot_product_scores(q, k, entry["scale"]))
    assert_as_printed(weights, entry["weights"], entry["atol"])


def test_causal_attention_is_as_printed():
    entry = PUBLISHED["causal_2x3"]
    out = reference.scaled_dot_product_attention(*arrays(entry), masks.causal_mask(2, 2))
    assert_as_printed(out, entry["out"], entry["atol"])


@pytest.mark.parametrize("score", [reference.dot_product_scores, reference.gaussian_scores])
def test_the_toy_example_is_as_printed_whatever_the_scorer(score):
    entry = PUBLISHED["toy_example"]
    q = np.random.default_rng(0).standard_normal((2, 1, entry["d_k"]))
    k = np.ones((2, entry["n_keys"], entry["d_k"]))
    v = np.repeat(np.arange(40.0).reshape(1, entry["n_keys"], 4), 2, axis=0)
    weights = reference.masked_softmax(score(q, k), np.array(entry["valid_lens"]))
    assert_as_printed(reference.weighted_sum(weights, v), entry["out"], entry["atol"])


def test_the_toy_example_through_attention_and_a_padding_mask_is_as_printed():
    entry = PUBLISHED["toy_example"]
    q, k = np.full((2, 1, 2), 0.7), np.ones((2, 10, 2))
    v = np.repeat(np.arange(40).reshape(1, 10, 4), 2, axis=0)
    mask = masks.padding_mask(np.array(entry["valid_lens"]), 10)
    out = reference.scaled_dot_product_attention(q, k, v, mask)
    assert_as_printed(out, entry["out"], entry["atol"])


@pytest.mark.parametrize(
    ("lens", "visible"),
    [([2, 3], [[2, 2], [3, 3]]), ([[1, 3], [2, 4]], [[1, 3], [2, 4]])],
    ids=["one length per sequence", "one length per query"],
)
def test_masked_softmax_shows_as_many_keys_as_the_published_examples_do(lens, visible):
    weights = reference.masked_softmax(np.random.default_rng(0).random((2, 2, 4)), np.array(lens))
    for batch in range(2):
        for query in range(2):
            n = visible[batch][query]
            assert (weights[batch, query, :n] > 0).all()
            assert (weights[batch, query, n:] == 0).all()
            assert weights[batch, query].sum() == pytest.approx(1, rel=1e-15)


def test_every_published_entry_is_compared_and_names_its_source():
    assert set(PUBLISHED) == {"udl_12_1", "raschka_ch3", "causal_2x3", "toy_example"}
    assert all(entry["source"] for entry in PUBLISHED.values())
