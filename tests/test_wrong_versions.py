"""Each of these mistakes turns a claim of the suite red; the claim that does is named beside it."""

import numpy as np
import onnx_attention
import pytest
import test_arguments as arguments
import test_influence as influence
import test_masks
import test_onnx
import test_published as published
import test_reference as values
import wrong_versions as wrong

from attnbook import masks, reference


def in_(module, name, *mistakes):
    """Parameters: a mistake in the place of module.name, and the claim that rejects it."""
    return [
        pytest.param(module, name, *mistake, id=f"{name}: {title}") for title, *mistake in mistakes
    ]


def claim(test, *given):
    return lambda: test(*given)


in_loops = claim(values.test_softmax_is_the_equation_in_loops, (2,))
hidden = claim(influence.test_a_masked_score_has_no_influence, (), 1e300)
hidden_nan = claim(influence.test_a_masked_score_has_no_influence, (), np.nan)
empty = values.test_a_row_that_sees_nothing_is_zeros_and_its_lse_is_minus_infinity
extreme = claim(values.test_scores_of_any_size_have_weights, 1e4)

SOFTMAX = in_(
    reference,
    "softmax",
    ("over the wrong axis", wrong.over_the_wrong_axis, in_loops),
    ("exp without the maximum", wrong.without_the_maximum, extreme),
    ("one maximum for all rows", wrong.with_one_maximum_for_all_rows, extreme),
    ("maximum of hidden scores too", wrong.with_the_maximum_of_hidden_scores_too, hidden),
    ("uniform row where nothing is visible", wrong.uniform_where_nothing_is_visible, empty),
    ("NaN row where nothing is visible", wrong.nan_where_nothing_is_visible, empty),
    ("zeroed after softmax", wrong.zeroed_after_softmax, in_loops),
    ("zeroed after softmax, renormalised", wrong.zeroed_after_softmax_and_divided_again, hidden),
    (
        "-1e6 fill",
        wrong.filled(-1e6),
        claim(influence.test_no_finite_number_stands_for_hidden, -1e6),
    ),
    (
        "-1e9 fill",
        wrong.filled(-1e9),
        claim(influence.test_no_finite_number_stands_for_hidden, -1e9),
    ),
    ("finfo.min added", wrong.with_finfo_min_added, empty),
    ("finfo.min added, NaN hidden", wrong.with_finfo_min_added, hidden_nan),
    ("scores times the mask", wrong.with_scores_times_the_mask, in_loops),
    ("mask inverted", wrong.with_the_mask_inverted, in_loops),
    ("mask ignored", wrong.with_the_mask_ignored, in_loops),
    ("summed in float16", wrong.summed_in_float16, in_loops),
    ("1e-9 in the denominator", wrong.with_a_small_number_in_the_denominator, in_loops),
    (
        "NaN replaced",
        wrong.with_nan_and_infinity_replaced,
        influence.test_a_nan_or_an_infinite_score_that_is_visible_is_not_hidden,
    ),
    (
        "argument changed",
        wrong.that_changes_its_argument,
        claim(arguments.test_no_argument_is_changed, "softmax"),
    ),
    (
        "another dtype returned",
        wrong.that_returns_float64,
        claim(arguments.test_the_dtype_that_goes_in_comes_out, "softmax", np.float32),
    ),
)

lse_in_loops = claim(values.test_logsumexp_is_the_equation_in_loops, (2,))
LSE = in_(
    reference,
    "logsumexp",
    ("exp without the maximum", wrong.lse_without_the_maximum, extreme),
    ("NaN where nothing is visible", wrong.lse_nan_where_nothing_is_visible, empty),
    ("base two", wrong.lse_in_base_two, lse_in_loops),
    ("mask ignored", wrong.lse_of_all_keys, lse_in_loops),
)


def attention_in_loops(case):
    return claim(values.test_attention_is_the_equation_in_loops, case, (2,))


SCALES = {
    "no scale": lambda q, k: 1.0,
    "multiplied by √d_k": lambda q, k: q.shape[-1] ** 0.5,
    "1/d_k": lambda q, k: 1 / q.shape[-1],
    "width of all heads": lambda q, k: (q.shape[0] * q.shape[-1]) ** -0.5,
    "√n_k": lambda q, k: k.shape[-2] ** -0.5,
}
ATTENTION = in_(
    reference,
    "scaled_dot_product_attention",
    *((name, wrong.scored(scale), attention_in_loops("plain")) for name, scale in SCALES.items()),
    ("bias scaled too", wrong.with_the_bias_scaled_too, attention_in_loops("bias")),
    ("bias ignored", wrong.with_the_bias_ignored, attention_in_loops("mask and bias")),
    (
        "queries hidden where keys should be",
        wrong.with_queries_hidden_where_keys_should_be,
        attention_in_loops("mask"),
    ),
)

PARTS = [
    *in_(
        reference,
        "weighted_sum",
        (
            "0 · inf = NaN",
            wrong.with_zero_times_infinity,
            claim(
                influence.test_masked_keys_values_and_biases_have_no_influence,
                (),
                np.inf,
                np.float64,
            ),
        ),
        (
            "the weight for the mask",
            wrong.with_the_weight_for_the_mask,
            claim(influence.test_a_visible_nan_is_seen_whatever_its_weight, np.float32, True),
        ),
    ),
    *in_(
        reference,
        "soft_cap",
        (
            "clipped",
            wrong.clipped,
            values.test_a_soft_cap_bends_scores_into_its_range_and_leaves_small_ones,
        ),
    ),
    *in_(
        reference,
        "gaussian_scores",
        (
            "width not squared",
            wrong.with_the_width_not_squared,
            claim(values.test_gaussian_scores_are_the_equation_in_loops, (), 0.5),
        ),
    ),
    *in_(
        reference,
        "padding_mask",
        (
            "up to and with the length",
            wrong.up_to_and_with_the_length,
            claim(values.test_masked_softmax_is_the_equation_in_loops, [2, 5], ()),
        ),
    ),
]

causal = claim(test_masks.test_a_causal_query_sees_the_keys_that_are_not_nearer_to_the_end, 2, 5)
MASKS = [
    *in_(
        test_masks,
        "causal_mask",
        ("strict triangle", wrong.strict_triangle, causal),
        ("top left", wrong.top_left, causal),
        ("upper triangle", wrong.upper_triangle, causal),
    ),
    *in_(
        test_masks,
        "sliding_window_mask",
        (
            "off by one",
            wrong.one_key_too_many,
            claim(
                test_masks.test_windows_of_w_keys_reach_1_plus_l_times_w_minus_1_keys_over_l_layers,
                2,
                2,
            ),
        ),
    ),
    *in_(
        test_masks,
        "padding_mask",
        (
            "up to and with the length",
            wrong.up_to_and_with_the_length,
            claim(test_masks.test_a_padding_mask_shows_the_first_valid_lens_keys, np.int64),
        ),
    ),
    *in_(
        masks,
        "causal_mask",
        (
            "upper triangle, published",
            wrong.upper_triangle,
            published.test_causal_attention_is_as_printed,
        ),
    ),
]


def onnx_case(name):
    return claim(test_onnx.test_onnx_case, f"test_attention_{name}")


ONNX = [
    *in_(reference, "softmax", ("axis", wrong.over_the_wrong_axis, onnx_case("4d_causal_bf16"))),
    *in_(
        reference,
        "softmax",
        ("mask", wrong.with_the_mask_ignored, onnx_case("4d_causal_fp16")),
    ),
    *in_(reference, "soft_cap", ("clipped", wrong.clipped, onnx_case("4d_softcap"))),
    *in_(
        onnx_attention,
        "causal_mask",
        ("top left", wrong.top_left, onnx_case("4d_causal_with_past_and_present")),
    ),
    *in_(
        onnx_attention,
        "sliding_window_mask",
        ("off by one", wrong.one_key_too_many, onnx_case("local_window")),
    ),
]


@pytest.mark.parametrize(
    ("module", "name", "mistake", "claim"), SOFTMAX + LSE + ATTENTION + PARTS + MASKS + ONNX
)
def test_a_wrong_version_turns_its_claim_red(monkeypatch, module, name, mistake, claim):
    claim()
    wrong.put(monkeypatch, module, name, mistake)
    with pytest.raises(AssertionError):
        claim()
