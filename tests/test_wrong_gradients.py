"""Each of these mistakes in a backward pass turns a claim about gradients red."""

from functools import partial as claim

import numpy as np
import one_line
import pytest
import test_gradients as claims
from test_gradients import ADDITIVE, DOT, HEADS

from attnbook import gradients

dot = claim(claims.test_they_are_those_of_autograd, DOT, True, (2,))
plain = claim(claims.test_they_are_those_of_autograd, DOT, False, (2,))
added = claim(claims.test_they_are_those_of_autograd, ADDITIVE, False, (2,))
heads = claim(claims.test_they_are_those_of_autograd, HEADS, True, (2,))
one_sentence = claim(claims.test_they_are_those_of_autograd, HEADS, False, ())
square = claim(claims.test_as_many_queries_as_keys_are_not_taken_for_each_other, False)
unbatched = claim(claims.test_a_parameter_is_summed_over_the_batch)
scaled = claim(claims.test_bias_and_scale_have_their_part)
slopes = claim(claims.test_they_are_the_slopes_of_the_loss, DOT)
empty_added = claim(claims.test_an_empty_row_has_gradient_0, ADDITIVE, 0)
nan_key = claim(claims.test_what_is_hidden_is_in_no_gradient, HEADS, np.nan)
nan_key_added = claim(claims.test_what_is_hidden_is_in_no_gradient, ADDITIVE, np.nan)
step = claim(claims.test_each_step_by_itself_keeps_out_what_is_hidden)
nan_query = claim(claims.test_an_empty_row_has_gradient_0, HEADS, np.nan)
own_masks = claim(claims.test_each_head_may_have_a_mask_of_its_own, (2,))
shared = claim(claims.test_shared_heads_of_keys_collect_from_all_that_read_them, 2, (2,))
copies = claim(claims.test_the_gradient_of_a_repeated_head_is_the_sum_over_its_copies, (2,))
rope = claim(claims.test_rope_is_turned_back, (2,), np.int64)
rope_bytes = claim(claims.test_rope_is_turned_back, (2,), np.uint8)
theirs = claim(claims.test_heads_are_those_of_pytorchs_own_layer)

# A line of a function, as a mistake would write it, and the claims that reject it.
SOFTMAX, SUM, SCORES = (
    gradients.softmax_backward,
    gradients.weighted_sum_backward,
    gradients.dot_product_scores_backward,
)
ATTENTION, LAYER = (
    gradients.scaled_dot_product_attention_backward,
    gradients.multi_head_attention_backward,
)
PAIRS, LINEAR = gradients.additive_attention_backward, gradients.linear_backward
REPEAT, ROPE = gradients.repeat_heads_backward, gradients.rope_backward
PULL, DELTA = "weights * (grad_weights - delta)", "np.sum(weights * grad_weights, axis=-1"
SCALE = "resolve_scale(scale, q.shape[-1])"
SCALED = f"{SCALE} * grad_scores"
SLOPE, TURN = "(1 - units**2)", "np.cos(angles), -np.sin(angles)"
W, COPIES, BATCH = "_transposed(x) @ grad_out)", "np.sum(copies, axis=-3)", "np.sum(x, axis="
BACK = "softmax_backward(grad_weights, weights, mask)"
UNTURNED = "(weights if weights.shape[-1] == weights.shape[-2] else _transposed(weights))"
MISTAKES = {
    "sigmoid's A (1 - A)": (SOFTMAX,
        f"{PULL} → weights * (1 - weights) * grad_weights", dot, slopes),
    "no average subtracted": (SOFTMAX, f"{PULL} → weights * grad_weights", dot),
    "no factor A": (SOFTMAX, f"{PULL} → grad_weights - delta", dot),
    "an even average": (SOFTMAX, f"{DELTA} → np.mean(grad_weights, axis=-1", dot),
    "a sum over queries": (SOFTMAX, f"{DELTA} → " + DELTA.replace("-1", "-2"), dot),
    "the average added": (SOFTMAX, f"{PULL} → weights * (grad_weights + delta)", dot),
    "weights over their sum": (SOFTMAX,
        f"{PULL} → {PULL} / np.sum(weights, axis=-1, keepdims=True)", empty_added),
    "values without the mask": (SUM,
        "weighted_sum(_transposed(weights), grad_out, _transposed(mask)) → "
        "_transposed(weights) @ grad_out", step),
    "keys without the mask": (SCORES, "weighted_sum(grad_scores, k, mask) → grad_scores @ k", step),
    "nothing transposed": (gradients._transposed, "np.swapaxes(x, -1, -2) → x", dot),
    "no scale": (SCORES, f"{SCALED} → grad_scores", plain),
    "the scale twice": (SCORES, f"{SCALED} → {SCALE}**2 * grad_scores", plain),
    "divided by the scale": (SCORES, f"{SCALED} → grad_scores / {SCALE}", plain),
    "always 1/√d_k": (SCORES, f"{SCALED} → resolve_scale(None, q.shape[-1]) * grad_scores", scaled),
    "queries for keys": (SCORES, "return grad_q, grad_k → return grad_k, grad_q", plain),
    "tanh passes all": (PAIRS, f"{SLOPE} → 1", added),
    "tanh's slope 1 - h": (PAIRS, f"{SLOPE} → (1 - units)", added),
    "sigmoid's slope h (1 - h)": (PAIRS, f"{SLOPE} → units * (1 - units)", added),
    "w_v forgotten": (PAIRS, f"{SLOPE} * w_v → {SLOPE}", added),
    "hidden keys not put out": (PAIRS, "_used(k, mask, -2) → k", nan_key_added),
    "w not transposed": (LINEAR, "w.T → w", heads),
    "the gradient of w transposed": (LINEAR, f"{W} → {W}.T", heads),
    "the gradient of w divided": (LINEAR, f"{W} → {W} / len(x)", heads),
    "the batch not summed": (gradients._summed,
        "np.sum(x, axis=tuple(range(x.ndim - 2))) → x.reshape(-1, *x.shape[-2:])[0]", unbatched),
    "the mean of the batch": (gradients._summed, "np.sum( → np.mean(", unbatched, heads),
    "heads cut by a view": (LAYER, "split_heads(grad_merged, n_heads) → "
        "grad_merged.reshape(*grad_merged.shape[:-2], n_heads, grad_merged.shape[-2], -1)",
        heads, theirs),
    "heads merged in reverse": (LAYER, "map(merge_heads, grads) → "
        "map(lambda x: merge_heads(x[..., ::-1, :, :]), grads)", one_sentence),
    "the mean over copies": (REPEAT, f"{COPIES} → np.mean(copies, axis=-3)", shared),
    "the first copy alone": (REPEAT, f"{COPIES} → copies[..., 0, :, :]", shared),
    "copies apart, as np.tile makes them": (REPEAT, f"{COPIES} → "
        "grad_out.reshape(*grad_out.shape[:-3], times, -1, *grad_out.shape[-2:]).sum(-4)",
        shared, copies),
    "hidden and empty rows kept": (gradients._used,
        "if mask is None → if True", nan_key, nan_query),
    "hidden from one head, put out for all": (gradients._used_by_heads,
        "np.any(mask, axis=-3) → np.all(mask, axis=-3)", own_masks),
    "turned on": (ROPE, f"{TURN} → np.cos(angles), np.sin(angles)", rope),
    "half a turn too much": (ROPE, f"{TURN} → -{TURN}", rope),
    "the other pairing": (ROPE, "angles), pairing → angles), 'halves'", rope),
    "the negative of a byte": (ROPE,
        f"positions[..., None] * frequencies\n    return rotate(grad_out, {TURN} → "
        f"-positions[..., None] * frequencies\n    return rotate(grad_out, {TURN.replace('-', '')}",
        rope_bytes),
    "passed on as it is": (ROPE, f"rotate(grad_out, {TURN}, pairing) → grad_out", rope),
    "a square of weights not transposed": (SUM, f"_transposed(weights) → {UNTURNED}", square),
    "a square of scores not transposed": (SCORES,
        "_transposed(grad_scores) → " + UNTURNED.replace("weights", "grad_scores"), square),
    "weights of hidden keys too": (ATTENTION, "scores + bias, mask) → scores + bias)", dot),
    "the bias ignored": (ATTENTION, "scores if bias is None → scores if True", scaled),
    "the scale ignored forward": (ATTENTION, "(q, k, scale) → (q, k)", scaled),
    "no softmax on the way": (ATTENTION, f"{BACK} → grad_weights", plain),
    "values first": (ATTENTION,
        "*dot_product_scores_backward(grad_scores, q, k, scale, mask), grad_v → "
        "grad_v, *dot_product_scores_backward(grad_scores, q, k, scale, mask)", plain),
    "values from the gradient of the weights": (SUM,
        "_transposed(weights), grad_out → _transposed(grad_weights), grad_out", plain),
    "a gradient for what is hidden": (SUM, "np.where(mask, grad_weights, 0) → grad_weights", step),
    "the mask of a sequence for a head": (LAYER, "mask[..., None, :, :] → mask", heads),
    "the mask ignored forward": (LAYER, "attention(*heads, mask=mask) → attention(*heads)", heads),
    "the mask ignored in the backward pass": (LAYER,
        "backward(grad_heads, *heads, mask=mask) → backward(grad_heads, *heads)", heads),
    "copies not summed": (LAYER, "repeat_heads_backward(grad, times) → grad", shared),
    "heads merged by a view": (LAYER, "map(merge_heads, grads) → "
        "map(lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1), grads)", heads),
    "W_o turned over in the backward pass": (LAYER, "merged, w_o) → merged, w_o.T)", theirs),
    "parameters before inputs": (LAYER,
        "*grad_inputs, *grad_w, grad_w_o → *grad_w, *grad_inputs, grad_w_o", heads),
}  # fmt: skip


@pytest.mark.parametrize("title", MISTAKES)
def test_a_mistake_is_rejected(monkeypatch, title):
    one_line.assert_rejected(monkeypatch, *MISTAKES[title], by=(AssertionError, ValueError))
