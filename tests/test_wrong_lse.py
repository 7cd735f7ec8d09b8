"""Attention with L, from its definition, and mistakes in it that the definition rejects."""

import numpy as np
import one_line
import pytest
from draw import BATCHES, N_K, N_Q, assert_close, mask, queries_keys_values
from test_online import CASES, options

from attnbook import reference
from attnbook.online import blocks


def is_its_definition(case, batch):
    """The output and L of all scores, each by the function of `reference` that is only that."""
    (q, k, v), more = queries_keys_values(batch), options(case, batch)
    scores = reference.dot_product_scores(q, k, more.get("scale")) + more.get("bias", 0)
    out, lse = blocks.attention_with_lse(q, k, v, **more)
    assert_close(out, reference.scaled_dot_product_attention(q, k, v, **more))
    assert_close(lse, reference.logsumexp(scores, more.get("mask")))


def is_exact_far_from_0(level):
    """One bias for all keys moves L by as much, and the output by nothing."""
    q, k, v = queries_keys_values()
    near, far = (
        blocks.attention_with_lse(q, k, v, bias=np.full((N_Q, N_K), x)) for x in (0.0, level)
    )
    # A score near 1000 is off by 1000 eps/2, and its exponential by as much of itself.
    allowed = 1000 * np.finfo(float).eps
    np.testing.assert_allclose(far[0], near[0], atol=allowed * np.abs(v).max() * N_K)
    np.testing.assert_allclose(far[1], near[1] + level, rtol=4 * allowed)


def keeps_out_what_is_hidden():
    q, k, v = queries_keys_values()
    shown = mask()
    shown[:, 1] = False
    clean = blocks.attention_with_lse(q, k, v, shown)
    k[1] = v[1] = np.nan
    for before, after in zip(clean, blocks.attention_with_lse(q, k, v, shown), strict=True):
        assert np.array_equal(before, after)
    assert not np.any(clean[0][0]) and clean[1][0] == -np.inf


def is_nothing_where_a_bias_hides_all():
    """A row of -inf: no mask puts out its weights."""
    bias = np.zeros((N_Q, N_K))
    bias[1] = -np.inf
    out, lse = blocks.attention_with_lse(*queries_keys_values(), bias=bias)
    assert not np.any(out[1]) and lse[1] == -np.inf and np.all(np.isfinite(lse[[0, 2]]))


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("case", CASES)
def test_output_and_l_are_those_of_the_definition(case, batch):
    is_its_definition(case, batch)


@pytest.mark.parametrize("level", [-1000.0, 1000.0])
def test_scores_far_from_0_change_l_alone(level):
    is_exact_far_from_0(level)


def test_a_hidden_nan_and_an_empty_row_are_kept_out():
    keeps_out_what_is_hidden()


def test_a_row_hidden_by_its_bias_is_empty():
    is_nothing_where_a_bias_hides_all()


L, EXP = "shift + np.log(total)", "_shifted_exp(scores, mask)"
QUOTIENT, BIASED = "exp / np.where(total == 0, 1, total)", "scores if bias is None else"
MISTAKES = {
    "L without the maximum": (L, "np.log(total)"),
    "the maximum subtracted": (L, "np.log(total) - shift"),
    "L is the maximum": (L, "shift + 0 * total"),
    "the sum for its logarithm": (L, "shift + total"),
    "L in base two": (L, "(shift + np.log(total)) / np.log(2)"),
    "no guard of an empty row": (QUOTIENT, "exp / total"),
    "not divided": (QUOTIENT, "exp"),
    "L of all keys": (EXP, "_shifted_exp(scores, None)"),
    "the scale ignored": ("scores(q, k, scale)", "scores(q, k)"),
    "the bias ignored": (BIASED, "scores if True else"),
    "the bias twice": (f"{BIASED} scores + bias", f"{BIASED} scores + 2 * bias"),
    "a hidden value counts": ("weighted_sum(weights, v, mask)", "weights @ v"),
}


def every_claim():
    for case in CASES:
        is_its_definition(case, (2,))
    is_exact_far_from_0(1000.0)
    keeps_out_what_is_hidden()
    is_nothing_where_a_bias_hides_all()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_rejected(monkeypatch, mistake):
    every_claim()
    one_line.put(monkeypatch, blocks.attention_with_lse, *MISTAKES[mistake])
    with pytest.raises(AssertionError):
        every_claim()
