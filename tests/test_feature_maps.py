"""A feature map in the place of exp: averages by its kernel, and what softmax is to them."""

import numpy as np
import one_line
import pytest
from draw import D_K, D_V, assert_close
from test_linear import N, assert_both_close, draw

from attnbook import linear
from attnbook.masks import causal_mask
from attnbook.reference import scaled_dot_product_attention


def normalised_in_loops(q, k, v, phi, keys_of):
    """Σ φ(q_i)·φ(k_j) v_j / Σ φ(q_i)·φ(k_j) over the keys of step i, for one sequence."""
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        weights = np.array([sum(phi(q[i]) * phi(k[j])) for j in keys_of(i)])
        out[i] = sum(w * v[j] for w, j in zip(weights / sum(weights), keys_of(i), strict=True))
    return out


def elu(x):
    return np.array([a + 1 if a > 0 else np.exp(a) for a in x])


def test_normalised_is_the_average_by_its_kernel():
    (q, k, v), _ = draw()
    expected = normalised_in_loops(q, k, v, elu, lambda i: range(i + 1))
    for chunk in (2, 64):
        found, _ = linear.normalised(q, k, v, linear.elu_plus_one, chunk=chunk)
        assert_both_close((found,), (expected,))
    expected = normalised_in_loops(q, k, v, elu, lambda i: range(N))
    found = linear.normalised_bidirectional(q, k, v, linear.elu_plus_one)
    assert_both_close((found,), (expected,))


def test_weights_of_the_normalised_form_sum_to_one():
    (q, k, v), _ = draw(batch=(2, 3))
    ones = np.ones_like(v)
    assert_close(linear.normalised(q, k, ones)[0], ones)
    assert_close(linear.normalised_bidirectional(q, k, ones), ones)


def test_normalised_is_continued_from_its_state():
    (q, k, v), _ = draw(batch=(2,))
    first, state = linear.normalised(q[:, :3], k[:, :3], v[:, :3])
    second, last = linear.normalised(q[:, 3:], k[:, 3:], v[:, 3:], state=state)
    whole = linear.normalised(q, k, v)
    assert_both_close((np.concatenate([first, second], axis=1), last), whole)
    assert state.shape == (2, D_K, D_V + 1)


def powers(x):
    """Features whose dot product is 1 + s + s²/2, the start of the series of exp(s)."""
    pairs = (x[..., :, None] * x[..., None, :]).reshape(*x.shape[:-1], -1)
    return np.concatenate([np.ones_like(x[..., :1]), x, pairs / np.sqrt(2)], axis=-1)


def test_features_of_the_series_of_exp_come_near_softmax():
    (q, k, v), _ = draw()
    q, mask = q / 20, causal_mask(N, N)
    softmax = scaled_dot_product_attention(q, k, v, mask, scale=1.0)
    found = linear.normalised(q, k, v, feature_map=powers)[0]
    # A score s is below 0.2 in size; what the series leaves out is below s³/5, a relative error of
    # each weight, and values are below 4.
    assert np.abs(q @ k.T).max() < 0.2
    np.testing.assert_allclose(found, softmax, rtol=0, atol=2 * 0.2**3 / 5 * 4)
    assert not np.allclose(linear.normalised(q, k, v)[0], softmax, atol=0.01)


def test_a_query_without_features_gets_zeros():
    (q, k, v), _ = draw()
    out, _ = linear.normalised(q, k, v, feature_map=lambda x: 0 * x)
    assert np.array_equal(out, np.zeros_like(v))


def test_the_feature_map_is_elu_plus_one():
    x = np.array([[-1000.0, -1.0, 0.0, 0.5, 1000.0]])
    assert_close(linear.elu_plus_one(x), [[0.0, np.exp(-1), 1.0, 1.5, 1001.0]])
    assert linear.elu_plus_one(x.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"feature_map": "elu"}, "normalised: feature_map is str 'elu'; expected Callable"),
        ({"state": np.ones((D_K, D_V))}, "normalised: state is float64 array of shape (4, 6)"),
    ],
)
def test_a_wrong_argument_is_named(more, said):
    (q, k, v), _ = draw()
    with pytest.raises(TypeError) as caught:
        linear.normalised(q, k, v, **more)
    assert str(caught.value).startswith(said)


MISTAKES = {
    "not divided": (linear._divided, "/ np.where(total == 0, 1, total)", ""),
    "divided by the number of keys": (
        linear._divided,
        "out[..., -1:]",
        "len(out) + 0 * out[..., -1:]",
    ),
    "divided by the last denominator": (linear._divided, "out[..., -1:]", "out[..., -1:, -1:]"),
    "divided by the root": (linear._divided, "out[..., -1:]", "np.sqrt(out[..., -1:])"),
    "keys without features": (linear.normalised, "feature_map(k)", "k"),
    "queries without features": (linear.normalised, "feature_map(q)", "q"),
    "keys without features, all read": (
        linear.normalised_bidirectional,
        "feature_map(k)",
        "k",
    ),
    "queries without features, all read": (
        linear.normalised_bidirectional,
        "feature_map(q)",
        "q",
    ),
    "keys and queries swapped, all read": (
        linear.normalised_bidirectional,
        "feature_map(q), feature_map(k)",
        "feature_map(k), feature_map(q)",
    ),
    "values with features": (linear.normalised, "_with_ones(v)", "_with_ones(feature_map(v))"),
    "features not positive": (linear.elu_plus_one, "x > 0, x + 1", "x > 0, x"),
    "e^x above 0 too": (linear.elu_plus_one, "x > 0, x + 1", "x > 0, np.exp(x)"),
    "elu without 1": (
        linear.elu_plus_one,
        "np.exp(np.minimum(x, 0))",
        "np.exp(np.minimum(x, 0)) - 1",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_version_is_rejected(monkeypatch, mistake):
    one_line.put(monkeypatch, *MISTAKES[mistake])
    with pytest.raises(AssertionError):
        test_normalised_is_the_average_by_its_kernel()
