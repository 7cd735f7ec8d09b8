"""Attention with its log-sum-exp, and blocks of keys that are merged into it, there and back."""

import itertools

import numpy as np
import pytest
from draw import BATCHES, N_K, N_Q, assert_close, mask, queries_keys_values, scores
from one_line import exchange

from attnbook import gradients, masks, online, reference
from attnbook.tiled import attention_tiled_backward

CASES = ["plain", "mask", "mask for all rows", "bias", "scale"]


def options(case, batch):
    return {
        "plain": {},
        "mask": {"mask": mask(batch)},
        "mask for all rows": {"mask": mask(batch)[..., :1, :]},
        "bias": {"bias": scores(batch), "mask": mask(batch)},
        "scale": {"scale": 0.3},
    }[case]


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("case", CASES)
def test_output_and_lse_are_those_of_the_definition(case, batch):
    """Those of all scores, each by the function of `reference` that is only that."""
    (q, k, v), more = queries_keys_values(batch), options(case, batch)
    scores = reference.dot_product_scores(q, k, more.get("scale")) + more.get("bias", 0)
    out, lse = online.attention_with_lse(q, k, v, **more)
    assert_close(out, reference.scaled_dot_product_attention(q, k, v, **more))
    assert_close(lse, reference.logsumexp(scores, more.get("mask")))


@pytest.mark.parametrize("level", [-1000.0, 1000.0])
def test_scores_far_from_0_change_lse_alone(level):
    """One bias for all keys moves L by as much, and the output by nothing."""
    q, k, v = queries_keys_values()
    near, far = (
        online.attention_with_lse(q, k, v, bias=np.full((N_Q, N_K), x)) for x in (0.0, level)
    )
    # A score near 1000 is off by 1000 eps/2, and its exponential by as much of itself.
    allowed = 1000 * np.finfo(float).eps
    np.testing.assert_allclose(far[0], near[0], atol=allowed * np.abs(v).max() * N_K)
    np.testing.assert_allclose(far[1], near[1] + level, rtol=4 * allowed)


def test_a_hidden_nan_and_an_empty_row_are_kept_out():
    q, k, v = queries_keys_values()
    shown = mask()
    shown[:, 1] = False
    clean = online.attention_with_lse(q, k, v, shown)
    k[1] = v[1] = np.nan
    for before, after in zip(clean, online.attention_with_lse(q, k, v, shown), strict=True):
        assert np.array_equal(before, after)
    assert not np.any(clean[0][0]) and clean[1][0] == -np.inf


def test_a_row_hidden_by_its_bias_is_empty():
    """A row of -inf: no mask puts out its weights."""
    bias = np.zeros((N_Q, N_K))
    bias[1] = -np.inf
    out, lse = online.attention_with_lse(*queries_keys_values(), bias=bias)
    assert not np.any(out[1]) and lse[1] == -np.inf and np.all(np.isfinite(lse[[0, 2]]))


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("block", [1, 2, N_K, N_K + 1])
@pytest.mark.parametrize("case", CASES)
def test_blocks_are_the_reference(case, block, batch):
    arrays, more = queries_keys_values(batch), options(case, batch)
    out, lse = online.attention_blockwise(*arrays, **more, block=block)
    assert_close(out, reference.scaled_dot_product_attention(*arrays, **more))
    assert_close(lse, online.attention_with_lse(*arrays, **more)[1])


@pytest.mark.parametrize("block", [1, 2, N_K])
@pytest.mark.parametrize("case", CASES)
def test_the_backward_pass_needs_the_output_and_lse_alone(case, block):
    batch = (2,)
    arrays, more = queries_keys_values(batch), options(case, batch)
    grad = np.random.default_rng(9).standard_normal((*batch, N_Q, arrays[2].shape[-1]))
    seen = online.attention_blockwise(*arrays, **more, block=block)
    found = online.attention_blockwise_backward(grad, *arrays, *seen, **more, block=block)
    expected = gradients.scaled_dot_product_attention_backward(grad, *arrays, **more)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-13)


def parts(n=3):
    q, _, _ = queries_keys_values(())
    return [
        online.attention_with_lse(q, *(x + i for x in queries_keys_values(())[1:]))
        for i in range(n)
    ]


def test_merging_is_associative_and_the_order_of_two_is_free():
    a, b, c = parts()
    for left, right in zip(
        online.merge(*online.merge(*a, *b), *c),
        online.merge(*a, *online.merge(*b, *c)),
        strict=True,
    ):
        assert_close(left, right)
    for one, other in zip(online.merge(*a, *b), online.merge(*b, *a), strict=True):
        assert np.array_equal(one, other)


def test_an_empty_block_is_neutral_and_two_are_empty():
    ((out, lse),) = parts(1)
    nothing = np.zeros_like(out), np.full_like(lse, -np.inf)
    for found, expected in zip(online.merge(out, lse, *nothing), (out, lse), strict=True):
        assert_close(found, expected)
    for found, expected in zip(online.merge(*nothing, *nothing), nothing, strict=True):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("level", [-1000.0, 1000.0])
def test_blocks_far_from_0_are_merged_as_near_it(level):
    (out_a, lse_a), (out_b, lse_b) = parts(2)
    out, lse = online.merge(out_a, lse_a, out_b, lse_b)
    far, far_lse = online.merge(out_a, lse_a + level, out_b, lse_b + level)
    # An L near 1000 is a float that may be off by 500 eps, and a share by as much of itself.
    eps = np.finfo(float).eps
    np.testing.assert_allclose(far, out, rtol=0, atol=1000 * eps * max(map(np.ptp, (out_a, out_b))))
    np.testing.assert_allclose(far_lse, lse + level, rtol=2 * eps)


def test_scores_near_a_thousand_do_not_overflow():
    arrays = queries_keys_values(())
    bias = scores(()) + 1000
    out, lse = online.attention_blockwise(*arrays, bias=bias, block=2)
    # An L near 1000 is a float that may be off by 500 eps, and a share by as much of itself.
    expected = reference.scaled_dot_product_attention(*arrays, bias=bias)
    np.testing.assert_allclose(
        out, expected, atol=1000 * np.finfo(float).eps * np.abs(arrays[2]).max()
    )
    assert np.all((lse > 990) & (lse < 1020))


@pytest.mark.parametrize("junk", [np.nan, np.inf, 1e300])
def test_what_is_hidden_has_no_part_forward_or_backward(junk):
    q, k, v = queries_keys_values(())
    shown = np.ones((N_Q, N_K), bool)
    shown[:, 1] = shown[2] = False
    grad = np.ones((N_Q, v.shape[-1]))

    def both():
        seen = online.attention_blockwise(q, k, v, shown, block=2)
        return *seen, *online.attention_blockwise_backward(grad, q, k, v, *seen, shown, block=2)

    clean = both()
    k[1] = v[1] = junk
    for before, after in zip(clean, both(), strict=True):
        assert np.array_equal(before, after)
    assert not np.any(clean[0][2]) and clean[1][2] == -np.inf


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
    back = online.attention_blockwise_backward(grad, q, k, v, *seen, shown, block=2)
    tiled = attention_tiled_backward(grad, q, k, v, *seen) if shown is None else back
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

    monkeypatch.setattr(online, "dot_product_scores", noted)
    q, k, v = queries_keys_values(())
    found = online.attention_blockwise(q, k, v, block=block)
    there, seen[:] = seen.copy(), []
    online.attention_blockwise_backward(np.ones((N_Q, v.shape[-1])), q, k, v, *found, block=block)
    return there, seen


@pytest.mark.parametrize(("block", "expected"), [(2, [2, 2, 1]), (N_K, [N_K]), (N_K + 3, [N_K])])
def test_no_matrix_is_wider_than_its_block(monkeypatch, block, expected):
    assert widths(monkeypatch, block) == (expected, expected)


def test_blocks_are_merged_in_the_dtype_of_the_arrays(monkeypatch):
    """A sum in float64 would hold twice the memory."""
    seen, whole = set(), online.merge

    def noted(*parts):
        seen.update(x.dtype for x in parts)
        return whole(*parts)

    monkeypatch.setattr(online, "merge", noted)
    online.attention_blockwise(*queries_keys_values((), np.float32), block=2)
    assert seen == {np.dtype(np.float32)}


@pytest.mark.parametrize("block", [1, 2, 3])
def test_only_blocks_in_which_something_is_visible_are_computed(monkeypatch, block):
    computed, whole = [], online.attention_with_lse

    def counted(q, k, *more, **options):
        computed.append(k.shape[-2])
        return whole(q, k, *more, **options)

    mask = np.zeros((N_Q, N_K), bool)
    mask[:, 1] = True
    exchange(monkeypatch, whole, counted)
    out, _ = online.attention_blockwise(*queries_keys_values(()), mask, block=block)
    assert len(computed) == 1
    np.testing.assert_array_equal(out, np.repeat(queries_keys_values(())[2][1:2], N_Q, axis=0))


def by_definition(mask, rows, columns):
    """Each block cut out and asked, in loops."""
    places = [range(0, n, b) for n, b in zip(mask.shape[-2:], (rows, columns), strict=True)]
    some = np.zeros((*mask.shape[:-2], *map(len, places)), bool)
    every = np.zeros_like(some)
    for (i, top), (j, left) in itertools.product(*map(list, map(enumerate, places))):
        block = mask[..., top : top + rows, left : left + columns]
        some[..., i, j], every[..., i, j] = block.any((-1, -2)), block.all((-1, -2))
    return some, every


MASKS = {
    "causal": masks.causal_mask(9, 9),
    "cached": masks.causal_mask(3, 8),
    "window": masks.sliding_window_mask(8, 8, left=3),
    "padded": masks.padding_mask(np.array([5, 0]), 8),
    "random": np.random.default_rng(4).random((2, 3, 5, 7)) < 0.5,
}


@pytest.mark.parametrize("name", MASKS)
def test_the_blocks_of_a_mask_are_those_that_loops_find(name):
    for rows, columns in itertools.product((1, 2, 3, 4, 10), repeat=2):
        found = online.visible_blocks(MASKS[name], rows, columns)
        expected = by_definition(MASKS[name], rows, columns)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_the_blocks_of_a_causal_mask_can_be_counted():
    some, every = online.visible_blocks(masks.causal_mask(64, 64), 8, 8)
    assert [int(np.sum(x)) for x in (~some, every, some & ~every)] == [28, 28, 8]


def test_a_block_of_nothing_is_refused_by_the_name_that_the_function_has_for_it():
    with pytest.raises(ValueError, match=r"^attention_blockwise: block is 0; expected 1 or more$"):
        online.attention_blockwise(*queries_keys_values(()), block=0)
    with pytest.raises(ValueError, match=r"^visible_blocks: columns is 0; expected 1 or more$"):
        online.visible_blocks(MASKS["causal"], 2, 0)
    with pytest.raises(ValueError, match=r"^visible_blocks: rows is -1; expected 1 or more$"):
        online.visible_blocks(MASKS["causal"], -1, 2)
