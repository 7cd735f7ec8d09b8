"""Each of these mistakes in the definition turns the claims red that stand beside it."""

from functools import partial as claim

import numpy as np
import one_line
import pytest
import test_arguments as arguments
import test_influence as influence
import test_masks as of_masks
import test_onnx
import test_published as published
import test_reference as values

from attnbook import masks, reference

in_loops = claim(values.test_softmax_is_the_equation_in_loops, (2,))
lse_in_loops = claim(values.test_logsumexp_is_the_equation_in_loops, (2,))
extreme = claim(values.test_scores_of_any_size_have_weights, 1e4)
empty = claim(values.test_a_row_that_sees_nothing_is_zeros_and_its_lse_is_minus_infinity)
plain, masked, biased, both = (
    claim(values.test_attention_is_the_equation_in_loops, case, (2,))
    for case in ("plain", "mask", "bias", "mask and bias")
)
gaussian = claim(values.test_gaussian_scores_are_the_equation_in_loops, (), 0.5)
lengths = claim(values.test_masked_softmax_is_the_equation_in_loops, [2, 5], ())
bent = claim(values.test_a_soft_cap_bends_scores_into_its_range_and_leaves_small_ones)
hidden = claim(influence.test_a_masked_score_has_no_influence, (), 1e300)
hidden_nan = claim(influence.test_a_masked_score_has_no_influence, (), np.nan)
no_fill = claim(influence.test_no_finite_number_stands_for_hidden, -1e6)
no_larger_fill = claim(influence.test_no_finite_number_stands_for_hidden, -1e9)
visible_nan = claim(influence.test_a_nan_or_an_infinite_score_that_is_visible_is_not_hidden)
hidden_infinity = claim(
    influence.test_masked_keys_values_and_biases_have_no_influence, (), np.inf, np.float64
)
nan_without_weight = claim(
    influence.test_a_visible_nan_is_seen_whatever_its_weight, np.float32, True
)
causal = claim(of_masks.test_a_causal_query_sees_the_keys_that_are_not_nearer_to_the_end, 2, 5)
reach = claim(
    of_masks.test_windows_of_w_keys_reach_1_plus_l_times_w_minus_1_keys_over_l_layers, 2, 2
)
padded = claim(of_masks.test_a_padding_mask_shows_the_first_valid_lens_keys, np.int64)
printed = claim(published.test_causal_attention_is_as_printed)
unchanged = claim(
    arguments.test_arguments_may_be_read_only_and_hold_any_number_without_a_warning, "softmax", 1.0
)


def onnx(name):
    return claim(test_onnx.test_onnx_case, f"test_attention_{name}")


# The function, what a mistake changes in it, the claims that reject it.
SOFTMAX, STEPS = reference.softmax, reference.shifted_exp
LSE, SUM, CAP = reference.logsumexp, reference.weighted_sum, reference.softcap
ATTEND, SCORES = reference.scaled_dot_product_attention, reference.dot_product_scores
CAUSAL, WINDOW, PADDING = masks.causal_mask, masks.sliding_window_mask, masks.padding_mask
TOP, TOTAL = "np.max(scores, axis=-1, ", "np.sum(exp, axis=-1, "
HIDE, SHIFTED, DIVIDE = (
    "np.where(mask, scores, -np.inf)",
    "shifted_exp(scores, mask)",
    "exp / np.where(total == 0, 1, total)",
)
LOG, SCALE, MIXED = (
    "shift + np.log(total)",
    "resolve_scale(scale, q.shape[-1])",
    "softmax(scores, mask), v, mask",
)
AHEAD = "steps_ahead(n_q, n_k) <= 0"
TOP_LEFT = "np.arange(n_k) <= np.arange(n_q)[:, None]"
MISTAKES = {
    "summed over the wrong axis": (STEPS, f"{TOTAL} → np.sum(exp, axis=0, ", in_loops),
    "exp without the maximum": (STEPS, "np.exp(scores - shift) → np.exp(scores)", extreme),
    "one maximum for all rows": (STEPS, f"{TOP} → np.max(scores, ", extreme),
    "maximum of hidden scores too": (SOFTMAX,
        f"{SHIFTED} → shifted_exp(scores - np.max(scores, axis=-1, keepdims=True), mask)", hidden),
    "uniform row where nothing is visible": (SOFTMAX,
        f"{DIVIDE} → np.where(total == 0, 1 / exp.shape[-1], {DIVIDE})", empty),
    "NaN row where nothing is visible": (SOFTMAX, f"{DIVIDE} → exp / total", empty),
    "zeroed after softmax": (SOFTMAX, f"{SHIFTED} → shifted_exp(scores, None)", in_loops),
    "zeroed after softmax, renormalised": (SOFTMAX, f"{SHIFTED}\n    weights = {DIVIDE} → "
        "shifted_exp(scores, None)\n    exp *= mask\n    weights = exp / exp.sum(-1)[..., None]",
        hidden),
    "-1e6 fill": (STEPS, f"{HIDE} → " + HIDE.replace("-np.inf", "-1e6"), no_fill),
    "-1e9 fill": (STEPS, f"{HIDE} → " + HIDE.replace("-np.inf", "-1e9"), no_larger_fill),
    "finfo.min added": (STEPS,
        f"{HIDE} → scores + np.where(mask, 0, np.finfo(scores.dtype).min)", empty, hidden_nan),
    "scores times the mask": (STEPS, f"{HIDE} → scores * mask", in_loops),
    "mask inverted": (STEPS, f"{HIDE} → np.where(mask, -np.inf, scores)", in_loops),
    "mask ignored": (SOFTMAX,
        f"{SHIFTED} → shifted_exp(scores, mask := None)", in_loops, onnx("4d_causal_fp16")),
    "summed in float16": (STEPS, "np.sum(exp,  → np.sum(exp.astype(np.float16), ", in_loops),
    "1e-9 in the denominator": (SOFTMAX, f"{DIVIDE} → exp / (total + 1e-9)", in_loops),
    "NaN replaced": (STEPS,
        f"{TOP} → np.max(scores := np.nan_to_num(scores, neginf=-np.inf), axis=-1, ", visible_nan),
    "no exponential of the shift": (LSE, f"{LOG} → np.log(total)", lse_in_loops),
    "L is NaN where nothing is visible": (STEPS, "np.isfinite(top), top, 0 → True, top, 0", empty),
    "L in base two": (LSE, f"{LOG} → ({LOG}) / np.log(2)", lse_in_loops),
    "L of all keys": (LSE, f"{SHIFTED} → shifted_exp(scores, None)", lse_in_loops),
    "no scale": (SCORES, f"{SCALE} → 1.0", plain),
    "multiplied by √d_k": (SCORES, f"{SCALE} → q.shape[-1] ** 0.5", plain),
    "1/d_k": (SCORES, f"{SCALE} → q.shape[-1] ** -1.0", plain),
    "the width of all heads": (SCORES, f"{SCALE} → (q.shape[0] * q.shape[-1]) ** -0.5", plain),
    "√n_k": (SCORES, f"{SCALE} → k.shape[-2] ** -0.5", plain),
    "bias scaled too": (ATTEND, "scores + bias → scores + bias * q.shape[-1] ** -0.5", biased),
    "bias ignored": (ATTEND, "scores + bias → scores", both),
    "queries hidden where keys should be": (ATTEND,
        f"{MIXED} → softmax(scores) * (1 if mask is None else mask.any(-1)[..., None]), v", masked),
    "0 · inf = NaN": (SUM, "np.where(is_finite, v, 0) → v", hidden_infinity),
    "the weight for the mask": (SUM,
        "shown[..., j, None] & → (weights[..., j, None] != 0) &", nan_without_weight),
    "clipped": (CAP, "float(cap) * np.tanh(scores / float(cap)) → "
        "np.clip(scores, -float(cap), float(cap))", bent, onnx("4d_softcap")),
    "width not squared": (reference.gaussian_scores,
        "/ float(width) → / float(width) ** 0.5", gaussian),
    "up to and with the length": (PADDING,
        "np.arange(n_k) < lens → np.arange(n_k) <= lens", padded, lengths),
    "strict triangle": (CAUSAL, f"{AHEAD} → " + AHEAD.replace("<=", "<"), causal),
    "top left": (CAUSAL, f"{AHEAD} → {TOP_LEFT}", causal, onnx("4d_causal_with_past_and_present")),
    "upper triangle": (CAUSAL, f"{AHEAD} → " + AHEAD.replace("<=", ">"), causal, printed),
    "window off by one": (WINDOW,
        "-left <= ahead → -left - 1 <= ahead", reach, onnx("local_window")),
}  # fmt: skip


@pytest.mark.parametrize("title", MISTAKES)
def test_a_mistake_turns_its_claims_red(monkeypatch, title):
    one_line.assert_rejected(monkeypatch, *MISTAKES[title])


def test_a_function_that_changes_its_argument_is_rejected(monkeypatch):
    unchanged()
    change = "np.exp(scores - shift) → np.exp(np.subtract(scores, shift, out=scores))"
    one_line.put(monkeypatch, STEPS, change)
    with pytest.raises(ValueError, match="read-only"):
        unchanged()
