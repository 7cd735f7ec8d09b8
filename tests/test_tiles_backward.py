"""The way back in tiles is that of the whole matrix."""

import numpy as np
import pytest
from draw import BATCHES
from test_tiles import EPS, JUNK, LONG, drawn, most_held, sequences, tile_size

from attnbook import gradients, tiled
from attnbook.online import attention_blockwise_backward
from attnbook.tiled import backward

assert tile_size  # a fixture


def forward(arrays):
    """A gradient of the output, the arrays, and what the forward pass returns of them."""
    seen = tiled.attention_tiled(*arrays)
    rng = np.random.default_rng(9)
    return rng.standard_normal(seen[0].shape).astype(seen[0].dtype), *arrays, *seen


def assert_gradients(arrays, tolerance=1e-13):
    """Relative to the largest, or to 1: a small gradient is the difference of large numbers."""
    given = forward(arrays)
    found = backward.attention_tiled_backward(*given)
    expected = gradients.scaled_dot_product_attention_backward(*given[:4])
    for actual, right in zip(found, expected, strict=True):
        assert actual.dtype == right.dtype and actual.shape == right.shape
        largest = np.max(np.abs(right), initial=1)
        assert np.max(np.abs(actual - right), initial=0) <= tolerance * largest


def test_the_way_back_is_that_of_the_whole_matrix(tile_size):
    for n_q, n_k in LONG:
        assert_gradients(drawn(n_q, n_k))


@pytest.mark.parametrize("n_q, n_k", [(300, 1100), (1100, 300)])
def test_the_way_back_in_tiles_of_full_size(n_q, n_k):
    assert_gradients(drawn(n_q, n_k, (2, 1)))


@pytest.mark.parametrize("batch", [*BATCHES, (0,)])
def test_the_way_back_takes_any_number_of_batch_axes(batch):
    assert_gradients(drawn(7, 9, batch))


@pytest.mark.parametrize("n_q, n_k, d_v", [(0, 3, 6), (3, 0, 6), (0, 0, 6), (3, 5, 0)])
def test_the_way_back_from_nothing(n_q, n_k, d_v):
    assert_gradients(drawn(n_q, n_k, d_v=d_v))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_the_way_back_has_the_dtype_that_goes_in(dtype):
    """The output and L are rounded to it too, and L, near 3, has an error of some eps."""
    assert_gradients([x.astype(dtype) for x in drawn(7, 9)], 16 * np.finfo(dtype).eps)


def test_the_way_back_changes_no_argument(tile_size):
    given = forward(drawn(7, 9))
    for x in given:
        x.setflags(write=False)
    backward.attention_tiled_backward(*given)


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("i", range(5), ids=["grad_out", "q", "k", "v", "out"])
def test_junk_goes_where_the_readable_form_has_it(tile_size, junk, i):
    given = [x.copy() for x in forward(drawn(7, 9))]
    given[i][0, 1, 4] = junk
    found = backward.attention_tiled_backward(*given)
    for actual, expected in zip(found, attention_blockwise_backward(*given), strict=True):
        largest = np.max(np.abs(expected), where=np.isfinite(expected), initial=1)
        np.testing.assert_allclose(actual, expected, rtol=64 * EPS, atol=64 * EPS * largest)


def test_a_query_whose_scores_are_all_minus_infinity_has_gradient_0(tile_size):
    q, k, v = drawn(7, 9)
    q[..., 0], k[..., 0] = 1e200, -1e200
    given = forward((q, k, v))
    assert np.all(given[-1] == -np.inf)
    assert not any(map(np.any, backward.attention_tiled_backward(*given)))


def test_the_way_back_refuses_keys_of_width_0():
    arrays = drawn(5, 7, d_k=0)
    out, lse = np.zeros((2, 3, 5, 6)), np.zeros((2, 3, 5))
    with pytest.raises(ValueError, match="q has width d_k = 0; expected 1 or more"):
        backward.attention_tiled_backward(out, *arrays, out, lse)


def test_the_way_back_holds_little_more_than_three_gradients():
    assert most_held(backward.attention_tiled_backward, forward(sequences())) < 3 * 1.3


def test_the_matrix_of_weights_is_noticed():
    whole = gradients.scaled_dot_product_attention_backward
    assert most_held(whole, forward(sequences(heads=4))[:4]) > 3 * 8
