"""What a mask hides has no influence, to the last bit; what it shows arrives where it should."""

import numpy as np
import pytest
from draw import BATCHES, D_V, N_K, N_Q, mask, queries_keys_values, scores

from attnbook import reference

SPECIAL = [np.nan, np.inf, -np.inf, 3e38, 1e300, -1e300]


def attend(*arguments):
    return reference.scaled_dot_product_attention(*arguments)


def same_bits(a, b):
    return a.tobytes() == b.tobytes()


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("special", SPECIAL)
def test_a_masked_score_has_no_influence(batch, special):
    s, m = scores(batch), mask(batch)
    other = np.where(m, s, special)
    assert same_bits(reference.softmax(other, m), reference.softmax(s, m))
    assert same_bits(reference.logsumexp(other, m), reference.logsumexp(s, m))
    assert (reference.softmax(other, m)[~m] == 0).all()


@pytest.mark.parametrize("lens", [[2, 4], [[1, 0, 5], [3, 4, 2]]])
@pytest.mark.parametrize("special", SPECIAL)
def test_a_score_past_its_valid_length_has_no_influence(lens, special):
    s, lens = scores((2,)), np.array(lens)
    other = np.where(np.arange(N_K) < lens.reshape(2, -1, 1), s, special)
    weights = reference.masked_softmax(s, lens)
    assert same_bits(reference.masked_softmax(other, lens), weights)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("special", SPECIAL)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_masked_keys_values_and_biases_have_no_influence(batch, special, dtype):
    q, k, v = queries_keys_values(batch, dtype)
    m, b = mask(batch), scores(batch, dtype)
    out = attend(q, k, v, m, b)
    with np.errstate(over="ignore"):
        special = dtype(special)
    for i in range(N_Q):
        hidden = ~m[..., i, :, None]
        other = attend(
            q,
            np.where(hidden, special, k),
            np.where(hidden, special, v),
            m,
            np.where(m, b, special),
        )
        assert same_bits(other[..., i, :], out[..., i, :])


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("j", range(N_K))
def test_a_special_value_reaches_the_rows_that_see_it_and_no_other(special, j):
    q, k, v = queries_keys_values()
    m, out = mask(), attend(q, k, v, mask())
    v[j, 2] = special
    other = attend(q, k, v, m)
    np.testing.assert_array_equal(other[m[:, j], 2], special)
    assert same_bits(other[~m[:, j]], out[~m[:, j]])
    assert same_bits(np.delete(other, 2, axis=1), np.delete(out, 2, axis=1))


@pytest.mark.parametrize("j", range(N_K))
def test_a_nan_in_a_key_reaches_the_rows_that_see_it_and_no_other(j):
    q, k, v = queries_keys_values()
    m, out = mask(), attend(q, k, v, mask())
    k[j, 0] = np.nan
    other = attend(q, k, v, m)
    assert np.isnan(other[m[:, j]]).all()
    assert same_bits(other[~m[:, j]], out[~m[:, j]])


def test_a_nan_in_a_query_reaches_its_own_row_and_no_other():
    q, k, v = queries_keys_values()
    m, out = mask(), attend(q, k, v, mask())
    q[1] = np.nan
    other = attend(q, k, v, m)
    assert np.isnan(other[1]).all()
    assert same_bits(np.delete(other, 1, axis=0), np.delete(out, 1, axis=0))
    q[0] = np.nan
    assert (attend(q, k, v, m)[0] == 0).all()


def test_a_nan_or_an_infinite_score_that_is_visible_is_not_hidden():
    s = np.array([[np.nan, 0, 1], [np.inf, 0, 1], [-np.inf, 0, 0]])
    weights = reference.softmax(s)
    assert np.isnan(weights[0]).all() and np.isnan(weights[1, 0])
    assert (weights[2] == [0, 0.5, 0.5]).all()
    assert np.array_equal(reference.logsumexp(s), [np.nan, np.inf, np.log(2)], equal_nan=True)
    shown = np.array([True, True, False])
    assert (reference.softmax(s, shown)[:, 2] == 0).all(), "hidden beside a NaN"
    assert np.isnan(reference.softmax(s, shown)[0, :2]).all()


def test_hidden_values_do_not_count_and_visible_ones_count_as_in_a_product():
    v = np.array([[np.inf], [-np.inf], [np.nan], [2.0]])
    weights = np.array([[0, 0, 0, 1], [1, 0, 0, 1], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 0.0]])
    seen, sums = weights != 0, [[2], [np.inf], [-np.inf], [np.nan], [np.nan]]
    assert np.array_equal(reference.weighted_sum(weights, v, seen), sums, equal_nan=True)
    out = reference.weighted_sum(-weights, v, seen)
    assert np.array_equal(out, np.negative(sums), equal_nan=True)
    assert np.isnan(reference.weighted_sum(0 * weights, v, seen)[1:]).all(), "0 · inf"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("masked", [False, True])
def test_a_visible_nan_is_seen_whatever_its_weight(dtype, masked):
    """In float32 the weight of a score of -200 is 0, in float64 it is not."""
    s, v = np.array([[0, -200]], dtype), np.array([[1], [np.nan]], dtype)
    seen = np.ones((1, 2), bool) if masked else None
    assert np.isnan(reference.weighted_sum(reference.softmax(s, seen), v, seen)).all()


def test_the_mask_decides_and_not_the_weight():
    weights, v = np.full((2, 2), 0.5), np.array([[2.0], [np.inf]])
    mask = np.array([[True, False], [True, True]])
    assert np.array_equal(reference.weighted_sum(weights, v, mask), [[1], [np.inf]])


SHAPES = [(1, N_K), (N_Q, 1), (1, 1), (1, N_Q, N_K), (2, 1, N_K), (2, N_Q, 1), (2, N_Q, N_K)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_each_number_of_a_sum_is_that_of_what_its_query_sees_and_of_nothing_else(shape, dtype):
    """Every fourth value, and a weight in each row, is not finite; half of the mask hides."""
    rng = np.random.default_rng(0)
    weights = rng.random((2, N_Q, N_K)).astype(dtype)
    v = rng.standard_normal((2, N_K, D_V)).astype(dtype)
    seen = rng.random(shape) < 0.5
    odd = rng.choice([np.nan, np.inf, -np.inf], v.shape, p=[0.2, 0.4, 0.4])
    v = np.where(rng.random(v.shape) < 0.25, odd, v).astype(dtype)
    weights[..., 1] = np.nan
    out = reference.weighted_sum(weights, v, seen)
    shown = np.broadcast_to(seen, weights.shape)
    for b, i, d in np.ndindex(out.shape):
        column, row = v[b, shown[b, i], d], weights[b, i, shown[b, i]]
        with np.errstate(invalid="ignore"):
            expected = np.sum(np.float64(column) * row)
        # One rounding to the dtype, and 5 products of numbers near 1 in float32 at least.
        np.testing.assert_allclose(out[b, i, d], expected, rtol=0, atol=8 * np.finfo(dtype).eps)


def test_a_sum_over_no_keys_is_0_and_integers_are_summed_too():
    weights, v = np.zeros((2, 0)), np.zeros((0, 3))
    for shape in ((2, 0), (1, 1), (2, 1)):
        out = reference.weighted_sum(weights, v, np.ones(shape, bool))
        assert same_bits(out, np.zeros((2, 3)))
    weights, v, seen = np.array([[2, 3]]), np.array([[5], [7]]), np.array([[True, False]])
    assert same_bits(reference.weighted_sum(weights, v, seen), np.array([[10.0]]))


@pytest.mark.parametrize("fill", [-1e4, -1e6, -1e9, np.finfo(np.float64).min])
def test_no_finite_number_stands_for_hidden(fill):
    s = np.array([[fill - 10, fill, 0.0]])
    m = np.array([[True, False, False]])
    assert (reference.softmax(s, m) == [[1, 0, 0]]).all()
    assert reference.logsumexp(s, m) == s[0, 0]
