"""Attention by blocks where a mask has one column, a bias hides a row, or a gradient is NaN."""

import numpy as np
import one_line
import pytest
from draw import N_K, N_Q, assert_close, queries_keys_values

from attnbook import gradients, online, reference


def there_and_back(block, **options):
    q, k, v = queries_keys_values(())
    grad = np.random.default_rng(9).standard_normal((N_Q, v.shape[-1]))
    seen = online.attention_blockwise(q, k, v, **options, block=block)
    back = online.attention_blockwise_backward(grad, q, k, v, *seen, **options, block=block)
    expected = gradients.scaled_dot_product_attention_backward(grad, q, k, v, **options)
    return seen[0], back, reference.scaled_dot_product_attention(q, k, v, **options), expected


@pytest.mark.parametrize("block", [1, 2, N_K])
@pytest.mark.parametrize("name", ["mask", "bias"])
def test_one_column_stands_for_all_keys(name, block):
    column = np.array([[True], [False], [True]])
    out, back, expected, gradient = there_and_back(
        block, **{name: column if name == "mask" else np.arange(3.0)[:, None]}
    )
    assert_close(out, expected)
    for ours, theirs in zip(back, gradient, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-13)
    assert np.any(out[1]) == (name == "bias")


@pytest.mark.parametrize("block", [1, 2, N_K])
def test_a_row_that_a_bias_hides_is_zeros_there_and_back(block):
    bias = np.zeros((N_Q, N_K))
    bias[1], bias[0, :3] = -np.inf, -np.inf
    out, back, expected, _ = there_and_back(block, bias=bias)
    assert_close(out, expected)
    masked = there_and_back(block, mask=bias == 0)[1]
    for ours, theirs in zip(back, masked, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-13)


def spoiled(what, shown=None):
    """Gradients by blocks and by the definition, where one number of key 3 is not finite."""
    q, k, v = queries_keys_values(())
    k[3, 1] = what
    grad = np.random.default_rng(9).standard_normal((N_Q, v.shape[-1]))
    seen = online.attention_blockwise(q, k, v, shown, block=2)
    back = online.blocks.attention_blockwise_backward(grad, q, k, v, *seen, shown, block=2)
    tiled = online.attention_tiled_backward(grad, q, k, v, *seen) if shown is None else back
    return back, tiled, gradients.scaled_dot_product_attention_backward(grad, q, k, v, shown)


def assert_nan_and_numbers_are_those_of_the_definition(what):
    for shown in (None, np.tri(N_Q, N_K, N_K - N_Q, dtype=bool)):
        for found, tiled, expected in zip(*spoiled(what, shown), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
            np.testing.assert_allclose(tiled, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("what", [np.nan, np.inf, -np.inf])
def test_one_key_that_is_not_finite_leaves_no_finite_wrong_gradient(what):
    """A NaN among the scores makes L NaN, an infinite score makes it +inf."""
    assert_nan_and_numbers_are_those_of_the_definition(what)


@pytest.mark.parametrize("guard", ["np.isfinite(lse), lse, 0", "lse > -np.inf, lse, 0"])
def test_a_shift_of_0_where_l_is_nan_is_rejected(monkeypatch, guard):
    right = "lse == -np.inf, 0, lse"
    one_line.put(monkeypatch, online.blocks.attention_blockwise_backward, right, guard)
    with pytest.raises(AssertionError):
        assert_nan_and_numbers_are_those_of_the_definition(np.nan)


def test_the_gradient_of_a_query_reaches_only_the_keys_that_it_sees():
    q, k, v = queries_keys_values(())
    mask = np.ones((N_Q, N_K), bool)
    mask[0, 2:] = mask[1] = False
    seen = online.attention_blockwise(q, k, v, mask, block=2)
    grad = np.ones((N_Q, v.shape[-1]))
    clean = online.attention_blockwise_backward(grad, q, k, v, *seen, mask, block=2)
    grad[:2] = np.nan
    dirty = online.attention_blockwise_backward(grad, q, k, v, *seen, mask, block=2)
    for before, after in zip(clean[1:], dirty[1:], strict=True):
        np.testing.assert_array_equal(before[2:], after[2:])
        assert np.all(np.isnan(after[:2]))
    np.testing.assert_array_equal(clean[0][1:], dirty[0][1:])


def widths(monkeypatch, block):
    """How many keys each matrix of scores has, there and back."""
    seen, whole = [], reference.dot_product_scores

    def noted(q, k, scale=None):
        seen.append(k.shape[-2])
        return whole(q, k, scale)

    monkeypatch.setattr(online.blocks, "dot_product_scores", noted)
    q, k, v = queries_keys_values(())
    found = online.attention_blockwise(q, k, v, block=block)
    there, seen[:] = seen.copy(), []
    online.attention_blockwise_backward(np.ones((N_Q, v.shape[-1])), q, k, v, *found, block=block)
    return there, seen


@pytest.mark.parametrize(("block", "expected"), [(2, [2, 2, 1]), (N_K, [N_K]), (N_K + 3, [N_K])])
def test_no_matrix_is_wider_than_its_block(monkeypatch, block, expected):
    assert widths(monkeypatch, block) == (expected, expected)


def test_a_way_back_in_one_block_is_noticed(monkeypatch):
    one_line.put(
        monkeypatch,
        online.blocks.attention_blockwise_backward,
        "_blocks(k.shape[-2], block, mask)",
        "_blocks(k.shape[-2], k.shape[-2], mask)",
    )
    changed = online.blocks.attention_blockwise_backward
    monkeypatch.setattr(online, "attention_blockwise_backward", changed)
    with pytest.raises(AssertionError):
        test_no_matrix_is_wider_than_its_block(monkeypatch, 2, [2, 2, 1])


def test_blocks_are_merged_in_the_dtype_of_the_arrays(monkeypatch):
    """A sum in float64 would hold twice the memory."""
    seen, whole = set(), online.merge

    def noted(*parts):
        seen.update(x.dtype for x in parts)
        return whole(*parts)

    monkeypatch.setattr(online.blocks, "merge", noted)
    online.attention_blockwise(*queries_keys_values((), np.float32), block=2)
    assert seen == {np.dtype(np.float32)}
