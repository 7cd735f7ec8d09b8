"""Blocks of keys, merged, are attention over all keys, forward and backward."""

import numpy as np
import pytest
from draw import BATCHES, N_K, N_Q, assert_close, mask, queries_keys_values, scores
from wrong_versions import put

from attnbook import gradients, online, reference

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
@pytest.mark.parametrize("block", [1, 2, N_K, N_K + 1])
@pytest.mark.parametrize("case", CASES)
def test_blocks_are_the_reference(case, block, batch):
    arrays, more = queries_keys_values(batch), options(case, batch)
    out, lse = online.attention_blockwise(*arrays, **more, block=block)
    assert_close(out, reference.scaled_dot_product_attention(*arrays, **more))
    assert_close(lse, online.attention_with_lse(*arrays, **more)[1])


@pytest.mark.parametrize("block", [1, 2, N_K])
@pytest.mark.parametrize("case", CASES)
def test_the_way_back_needs_the_output_and_lse_alone(case, block):
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


def test_no_exponential_of_a_score_is_computed_twice(monkeypatch):
    exp, computed = np.exp, []
    monkeypatch.setattr(np, "exp", lambda x: computed.append(x.size) or exp(x))
    online.attention_with_lse(*queries_keys_values(()))
    assert computed == [N_Q * N_K]


def test_a_block_of_nothing_is_refused():
    with pytest.raises(ValueError, match="block is 0; expected 1 or more"):
        online.attention_blockwise(*queries_keys_values(()), block=0)


def unscaled(out_a, lse_a, out_b, lse_b):
    return out_a + out_b, np.logaddexp(lse_a, lse_b)


def unguarded(out_a, lse_a, out_b, lse_b):
    lse = np.maximum(lse_a, lse_b) + np.log(
        np.exp(lse_a - np.maximum(lse_a, lse_b)) + np.exp(lse_b - np.maximum(lse_a, lse_b))
    )
    return np.exp(lse_a - lse)[..., None] * out_a + np.exp(lse_b - lse)[..., None] * out_b, lse


def half_each(out_a, lse_a, out_b, lse_b):
    return (out_a + out_b) / 2, np.logaddexp(lse_a, lse_b)


def the_larger(out_a, lse_a, out_b, lse_b):
    return right(out_a, lse_a, out_b, lse_b)[0], np.maximum(lse_a, lse_b)


right = online.merge


@pytest.mark.parametrize("wrong", [unscaled, unguarded, half_each, the_larger])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_wrong_merge_is_rejected(monkeypatch, wrong):
    put(monkeypatch, online, "merge", wrong)
    with pytest.raises(AssertionError):
        test_blocks_are_the_reference("mask", 1, (2,))
