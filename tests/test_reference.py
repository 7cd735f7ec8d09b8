"""The functions of `reference` compute what their equations say."""

import loops
import numpy as np
import pytest
import scipy.special
import torch
from draw import BATCHES, D_K, D_V, N_K, N_Q, assert_close, mask, queries_keys_values, scores

from attnbook import reference

DTYPES = [np.float32, np.float64]
CASES = ["plain", "mask", "bias", "mask and bias", "scale"]


def options(case, batch, dtype=np.float64):
    """The arguments beyond q, k and v that a case is about."""
    return {
        "plain": {},
        "mask": {"mask": mask(batch)},
        "bias": {"bias": scores(batch, dtype)},
        "mask and bias": {"mask": mask(batch), "bias": scores(batch, dtype)},
        "scale": {"scale": 0.3},
    }[case]


def in_loops(function, depth, *arrays):
    return np.array(loops.over_rows(function, depth, *(x.tolist() for x in arrays)))


@pytest.mark.parametrize("batch", BATCHES)
def test_softmax_is_the_equation_in_loops(batch):
    s, m = scores(batch), mask(batch)
    assert_close(reference.softmax(s, m), in_loops(loops.softmax, s.ndim - 1, s, m))


@pytest.mark.parametrize("batch", BATCHES)
def test_logsumexp_is_the_equation_in_loops(batch):
    s, m = scores(batch), mask(batch)
    assert_close(reference.logsumexp(s, m), in_loops(loops.logsumexp, s.ndim - 1, s, m))


@pytest.mark.parametrize("batch", BATCHES)
def test_dot_product_scores_are_the_equation_in_loops(batch):
    q, k, _ = queries_keys_values(batch)
    assert_close(
        reference.dot_product_scores(q, k), in_loops(loops.dot_product_scores, len(batch), q, k)
    )


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("width", [0.5, 1.0, 3])
def test_gaussian_scores_are_the_equation_in_loops(batch, width):
    q, k, _ = queries_keys_values(batch)
    expected = in_loops(lambda q, k: loops.gaussian_scores(q, k, width), len(batch), q, k)
    assert_close(reference.gaussian_scores(q, k, width), expected)


@pytest.mark.parametrize("batch", BATCHES)
def test_weighted_sum_is_the_equation_in_loops(batch):
    _, _, v = queries_keys_values(batch)
    weights = scores(batch)
    expected = in_loops(loops.weighted_sum, len(batch), weights, v)
    assert_close(reference.weighted_sum(weights, v), expected)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("case", CASES)
def test_attention_is_the_equation_in_loops(case, batch):
    q, k, v = queries_keys_values(batch)
    given = options(case, batch)
    m = given.get("mask", np.ones((*batch, N_Q, N_K), bool))
    b = given.get("bias", np.zeros((*batch, N_Q, N_K)))
    expected = in_loops(
        lambda *arrays: loops.attention(*arrays, given.get("scale")), len(batch), q, k, v, m, b
    )
    assert_close(reference.scaled_dot_product_attention(q, k, v, **given), expected)


@pytest.mark.parametrize("heads", [(), (2,), (2, 3)])
@pytest.mark.parametrize("lens", [None, [2, 5], [[1, 0, 5], [3, 4, 2]]])
def test_masked_softmax_is_the_equation_in_loops(lens, heads):
    s = scores((2, *heads))
    each = np.full((2, N_Q), N_K) if lens is None else np.array(lens).reshape(2, -1)
    visible = np.array([[[j < n for j in range(N_K)] for n in row] for row in each])
    visible = visible.reshape(2, *(1 for _ in heads), -1, N_K)
    expected = in_loops(loops.softmax, s.ndim - 1, s, np.broadcast_to(visible, s.shape))
    given = None if lens is None else np.array(lens)
    assert_close(reference.masked_softmax(s, given), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 1e2, 1e4])
def test_softmax_and_logsumexp_agree_with_scipy(dtype, size):
    s = scores((2,), dtype, dtype(size))
    assert_close(reference.softmax(s), scipy.special.softmax(s, axis=-1), dtype)
    assert_close(reference.logsumexp(s), scipy.special.logsumexp(s, axis=-1), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", CASES)
def test_attention_agrees_with_pytorch(case, dtype):
    given = options(case, (2,), dtype)
    arrays = queries_keys_values((2,), dtype)
    allowed = torch.tensor(given.get("mask", np.ones((2, N_Q, N_K), bool)))
    bias = torch.tensor(given.get("bias", np.zeros((2, N_Q, N_K), dtype)))
    expected = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.tensor, arrays),
        attn_mask=torch.where(allowed, bias, -torch.inf),
        scale=given.get("scale"),
    )
    actual = reference.scaled_dot_product_attention(*arrays, **given)
    assert_close(actual, expected.nan_to_num(0), dtype)


@pytest.mark.parametrize("size", [1e4, 1e300])
def test_scores_of_any_size_have_weights(size):
    s = np.array([[size, -size, size], [-size, -size, -size], [0, -size, size]])
    weights = np.array([[0.5, 0, 0.5], [1 / 3, 1 / 3, 1 / 3], [0, 0, 1]])
    assert_close(reference.softmax(s), weights)
    assert_close(reference.logsumexp(s), [size + np.log(2), -size + np.log(3), size])


def test_rows_of_very_different_size_keep_their_weights():
    s = np.array([[1e4, 1e4 + np.log(3)], [0, np.log(3)], [-1e4, -1e4 + np.log(3)]])
    np.testing.assert_allclose(reference.softmax(s), [[0.25, 0.75]] * 3, rtol=1e-11)


def test_attention_in_float16_does_not_overflow_inside():
    q, k, v = (np.full((2, 4), x, np.float16) for x in (300, 300, 60000))
    assert (reference.scaled_dot_product_attention(q, k, v) == v).all()
    assert np.isposinf(reference.dot_product_scores(q, k)).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_of_equal_scores_has_entropy_ln_n(dtype):
    weights = reference.softmax(np.full((1, 1000), 7, dtype))
    assert_close(-np.sum(weights * np.log(weights)), np.log(1000), dtype)


def test_scaled_scores_of_random_queries_and_keys_have_variance_one():
    q, k = np.random.default_rng(0).standard_normal((2, 500, 256))
    # The mean square of 500 · 256 normal numbers has a standard error of √(2 / 128,000) = 0.4 %;
    # q and k both have it, which makes 0.6 %, and we allow five times that.
    assert np.var(reference.dot_product_scores(q, k)) == pytest.approx(1, rel=0.03)
    assert np.var(reference.dot_product_scores(q, k, scale=1)) == pytest.approx(256, rel=0.03)


def test_two_float32_score_matrices_take_8_n_squared_bytes():
    q = np.ones((64, 2), np.float32)
    s = reference.dot_product_scores(q, q)
    assert s.nbytes + reference.softmax(s).nbytes == 8 * 64**2


def test_a_row_that_sees_nothing_is_zeros_and_its_lse_is_minus_infinity():
    q, k, v = queries_keys_values()
    s, nothing = scores(), np.zeros((N_Q, N_K), bool)
    attend = reference.scaled_dot_product_attention
    assert (reference.softmax(s, nothing) == 0).all()
    assert (reference.softmax(np.full_like(s, -np.inf)) == 0).all()
    assert (reference.masked_softmax(s[None], np.array([0])) == 0).all()
    assert (reference.masked_softmax(s[None], np.array([[0, 5, 2]]))[0, 0] == 0).all()
    assert (attend(q, k, v, nothing) == 0).all()
    assert (attend(q, k, v, bias=np.full_like(s, -np.inf)) == 0).all()
    assert np.isneginf(reference.logsumexp(s, nothing)).all()
    assert np.isneginf(reference.logsumexp(np.full_like(s, -np.inf))).all()


def test_no_keys_at_all_are_a_row_that_sees_nothing():
    q, k, v = queries_keys_values((2,))
    s = scores((2,))[..., :0]
    assert (reference.scaled_dot_product_attention(q, k[:, :0], v[:, :0]) == 0).all()
    assert reference.softmax(s).shape == reference.masked_softmax(s).shape == (2, N_Q, 0)
    assert np.isneginf(reference.logsumexp(s)).all()


def test_no_queries_and_no_features_give_empty_results():
    q, k, v = queries_keys_values()
    assert reference.scaled_dot_product_attention(q[:0], k, v).shape == (0, D_V)
    assert reference.scaled_dot_product_attention(q, k, v[:, :0]).shape == (N_Q, 0)


def test_a_soft_cap_bends_scores_into_its_range_and_leaves_small_ones():
    s = scores(size=100)
    capped = reference.softcap(s, 30)
    assert (np.abs(capped) < 30).all() and (np.sign(capped) == np.sign(s)).all()
    assert (np.argsort(capped, axis=None) == np.argsort(s, axis=None)).all()
    assert_close(capped, [[30 * np.tanh(x / 30) for x in row] for row in s])
    # tanh x = x - x³/3 + …, so a score of 1e-3 under a cap of 30 moves by 4e-13.
    np.testing.assert_allclose(reference.softcap(np.array([[1e-3]]), 30), 1e-3, atol=1e-12)


def test_equal_weights_make_the_mean_and_one_weight_makes_a_lookup():
    _, _, v = queries_keys_values()
    assert_close(reference.weighted_sum(np.full((1, N_K), 1 / N_K), v), [v.mean(axis=0)])
    assert (reference.weighted_sum(np.eye(N_K), v) == v).all()


def test_the_default_scale_is_one_over_the_root_of_the_keys_width():
    q, k, v = queries_keys_values()
    attend = reference.scaled_dot_product_attention
    assert (attend(q, k, v) == attend(q, k, v, scale=D_K**-0.5)).all()
    assert not np.allclose(attend(q, k, v), attend(q, k, v, scale=1))
