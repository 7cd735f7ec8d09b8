"""Each of these mistakes in a backward pass turns a claim of the suite red."""

import numpy as np
import one_line
import pytest
import test_gradients_by_hand as claims
import test_gradients_of_heads as of_heads
from test_gradients_by_hand import ADDITIVE, DOT, HEADS

from attnbook import gradients, positions
from attnbook.reference import merge_heads, softmax, weighted_sum

right = {name: getattr(gradients, name) for name in gradients.__dict__ if "backward" in name}


def mean(x):
    return np.mean(x, axis=-1, keepdims=True)


def turned_over(x):
    return None if x is None else np.swapaxes(x, -1, -2)


def scores_backward(grad_scores, q, k, scale=None, mask=None, factor=None):
    """With another factor where the scale belongs, if one is given."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    grad_scores = grad_scores * (scale if factor is None else factor(scale, q))
    turned, seen = turned_over(grad_scores), turned_over(mask)
    return weighted_sum(grad_scores, k, mask), weighted_sum(turned, q, seen)


def with_scale(factor):
    return lambda *args: scores_backward(*args, factor=factor)


def additive(slope=lambda h: 1 - h**2, weigh=True):
    """The backward pass of additive attention, with one step exchanged."""

    def wrong(grad_out, q, k, v, w_q, w_k, w_v, mask=None):
        hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
        weights = softmax(hidden @ w_v, mask)
        grad_weights, grad_v = right["weighted_sum_backward"](grad_out, weights, v, mask)
        grad_scores = right["softmax_backward"](grad_weights, weights, mask)[..., None]
        pairs = grad_scores * slope(hidden) * (w_v if weigh else 1)
        pairs_q, pairs_k = np.sum(pairs, axis=-2), np.sum(pairs, axis=-3)
        grad_q, grad_w_q = gradients.linear_backward(pairs_q, q, w_q)
        grad_k, grad_w_k = gradients.linear_backward(pairs_k, k, w_k)
        grad_w_v = np.sum(grad_scores * hidden, axis=tuple(range(hidden.ndim - 1)))
        return grad_q, grad_k, grad_v, grad_w_q, grad_w_k, grad_w_v

    return wrong


def divided_by_the_sum(grad, weights, mask=None):
    """Weights over their sum, for safety: 0 / 0 in an empty row."""
    return right["softmax_backward"](grad, weights / weights.sum(-1, keepdims=True), mask)


def values_without_mask(grad_out, weights, v, mask=None):
    return grad_out @ turned_over(v), turned_over(weights) @ grad_out


def reshaped_heads(x, n_heads):
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads)


def first_of_the_batch(x):
    return x.reshape(-1, *x.shape[-2:])[0]


def mean_of_the_batch(x):
    return np.mean(x, axis=tuple(range(x.ndim - 2)))


def softmax_with(rule):
    return lambda grad, weights, mask=None: rule(weights, grad)


def linear_with(of_x, of_w):
    def wrong(grad_out, x, w):
        return of_x(grad_out, w), gradients._summed(of_w(turned_over(x) @ grad_out, x))

    return wrong


def repeated(over_copies):
    def wrong(grad_out, times):
        *batch, n_heads, n, d = grad_out.shape
        return over_copies(grad_out.reshape(*batch, n_heads // times, times, n, d))

    return wrong


def tiled(grad_out, times):
    *batch, n_heads, n, d = grad_out.shape
    return grad_out.reshape(*batch, times, n_heads // times, n, d).sum(-4)


def forward(grad_out, places, frequencies, pairing="neighbours"):
    return positions.rope(grad_out, places, frequencies, pairing)


def negative_positions(grad_out, places, frequencies, pairing="neighbours"):
    return positions.rope(grad_out, -places, frequencies, pairing)


def both_signs_turned(grad_out, places, frequencies, pairing="neighbours"):
    angles = places[..., None] * frequencies
    return positions.rotate(grad_out, -np.cos(angles), -np.sin(angles), pairing)


def other_pairing(grad_out, places, frequencies, pairing="neighbours"):
    return right["rope_backward"](grad_out, places, frequencies, "halves")


def claim(test, *given, **options):
    return lambda: test(*given, **options)


dot = claim(claims.test_they_are_those_of_autograd, DOT, True, (2,))
plain = claim(claims.test_they_are_those_of_autograd, DOT, False, (2,))
added = claim(claims.test_they_are_those_of_autograd, ADDITIVE, False, (2,))
heads = claim(claims.test_they_are_those_of_autograd, HEADS, True, (2,))
one_sentence = claim(claims.test_they_are_those_of_autograd, HEADS, False, ())
unbatched = claim(claims.test_a_parameter_is_summed_over_the_batch)
scaled = claim(claims.test_bias_and_scale_have_their_part)
slopes = claim(claims.test_they_are_the_slopes_of_the_loss, DOT)
empty_added = claim(claims.test_an_empty_row_has_gradient_0, ADDITIVE, 0)
nan_key = claim(claims.test_what_is_hidden_is_in_no_gradient, HEADS, np.nan)
nan_key_added = claim(claims.test_what_is_hidden_is_in_no_gradient, ADDITIVE, np.nan)
step = claim(claims.test_each_step_by_itself_keeps_out_what_is_hidden)
nan_query = claim(claims.test_an_empty_row_has_gradient_0, HEADS, np.nan)
own_masks = claim(of_heads.test_each_head_may_have_a_mask_of_its_own, (2,))
shared = claim(of_heads.test_shared_heads_of_keys_collect_from_all_that_read_them, 2, (2,))
copies = claim(of_heads.test_the_gradient_of_a_repeated_head_is_the_sum_over_its_copies, (2,))
rope = claim(of_heads.test_rope_is_turned_back, (2,), np.int64)
rope_bytes = claim(of_heads.test_rope_is_turned_back, (2,), np.uint8)
theirs = claim(of_heads.test_heads_are_those_of_pytorchs_own_layer)


def not_used(x, mask, axis):
    return x


def hidden_from_one(q, k, v, mask):
    seen = mask if mask is None or mask.ndim < 3 else np.all(mask, axis=-3)
    return gradients._used(q, seen, -1), gradients._used(k, seen, -2), gradients._used(v, seen, -2)


MISTAKES = {
    "softmax_backward": {
        "sigmoid's A (1 - A)": (softmax_with(lambda a, g: a * (1 - a) * g), dot),
        "the same, by differences": (softmax_with(lambda a, g: a * (1 - a) * g), slopes),
        "no average subtracted": (softmax_with(lambda a, g: a * g), dot),
        "no factor A": (softmax_with(lambda a, g: g - mean(a * g) * a.shape[-1]), dot),
        "an even average": (softmax_with(lambda a, g: a * (g - mean(g))), dot),
        "a sum over queries": (
            softmax_with(lambda a, g: a * (g - (a * g).sum(-2, keepdims=True))),
            dot,
        ),
        "the average added": (softmax_with(lambda a, g: a * (g + mean(a * g) * a.shape[-1])), dot),
        "weights over their sum": (divided_by_the_sum, empty_added),
    },
    "softmax": {"the mask ignored": (lambda scores, mask=None: softmax(scores), dot)},
    "weighted_sum_backward": {"the mask ignored": (values_without_mask, step)},
    "_transposed": {"nothing transposed": (lambda x: x, dot)},
    "dot_product_scores_backward": {
        "the mask ignored": (lambda g, q, k, scale=None, mask=None: scores_backward(g, q, k), step),
        "no scale": (with_scale(lambda scale, q: 1), plain),
        "the scale twice": (with_scale(lambda scale, q: scale**2), plain),
        "divided by the scale": (with_scale(lambda scale, q: 1 / scale), plain),
        "always 1/√d_k": (with_scale(lambda scale, q: q.shape[-1] ** -0.5), scaled),
        "queries for keys": (lambda *a: right["dot_product_scores_backward"](*a)[::-1], plain),
    },
    "additive_attention_backward": {
        "tanh passes all": (additive(slope=lambda h: 1), added),
        "tanh's slope 1 - h": (additive(slope=lambda h: 1 - h), added),
        "sigmoid's slope h (1 - h)": (additive(slope=lambda h: h * (1 - h)), added),
        "w_v forgotten": (additive(weigh=False), added),
        "hidden keys not put out": (additive(), nan_key_added),
    },
    "linear_backward": {
        "w not transposed": (linear_with(lambda g, w: g @ w, lambda gw, x: gw), heads),
        "w transposed": (linear_with(lambda g, w: g @ w.T, lambda gw, x: turned_over(gw)), heads),
        "w divided": (linear_with(lambda g, w: g @ w.T, lambda gw, x: gw / len(x)), heads),
    },
    "_summed": {
        "the batch not summed": (first_of_the_batch, unbatched),
        "the mean of the batch": (mean_of_the_batch, unbatched),
        "the mean of the batch, by autograd": (mean_of_the_batch, heads),
    },
    "split_heads": {
        "a view": (reshaped_heads, heads),
        "a view, against PyTorch's own": (reshaped_heads, theirs),
    },
    "merge_heads": {"heads in reverse": (lambda x: merge_heads(x[..., ::-1, :, :]), one_sentence)},
    "repeat_heads_backward": {
        "the mean over copies": (repeated(lambda x: x.mean(-3)), shared),
        "the first copy alone": (repeated(lambda x: x[..., 0, :, :]), shared),
        "copies apart, as np.tile makes them": (tiled, shared),
        "copies apart, by themselves": (tiled, copies),
    },
    "_used": {"hidden rows kept": (not_used, nan_key), "empty rows kept": (not_used, nan_query)},
    "_used_by_heads": {"hidden from one head, put out for all": (hidden_from_one, own_masks)},
    "rope_backward": {
        "forward again": (forward, rope),
        "half a turn too much": (both_signs_turned, rope),
        "the other pairing": (other_pairing, rope),
        "the negative of a byte": (negative_positions, rope_bytes),
        "passed on as it is": (lambda grad, *_: grad, rope),
    },
}
EACH = [(name, title) for name, mistakes in MISTAKES.items() for title in mistakes]


@pytest.mark.parametrize(("name", "title"), EACH)
def test_a_wrong_gradient_is_rejected(monkeypatch, name, title):
    wrong, rejects = MISTAKES[name][title]
    rejects()
    monkeypatch.setattr(gradients, name, wrong)
    with pytest.raises((AssertionError, ValueError)):
        rejects()


# A line of a function, as a mistake would write it, and the claim that rejects it.
ATTENTION = gradients.scaled_dot_product_attention_backward
LAYER, SUM = gradients.multi_head_attention_backward, gradients.weighted_sum_backward
SOFTMAX = "softmax_backward(grad_weights, weights, mask)"
SCORES = gradients.dot_product_scores_backward
square = claim(claims.test_as_many_queries_as_keys_are_not_taken_for_each_other, False)
UNTURNED = "(weights if weights.shape[-1] == weights.shape[-2] else _transposed(weights))"
LINES = {
    "a square of weights not transposed": (SUM, "_transposed(weights)", UNTURNED, square),
    "a square of scores not transposed": (
        SCORES,
        "_transposed(grad_scores)",
        UNTURNED.replace("weights", "grad_scores"),
        square,
    ),
    "weights of hidden keys too": (ATTENTION, "scores + bias, mask)", "scores + bias)", dot),
    "the bias ignored": (ATTENTION, "scores if bias is None", "scores if True", scaled),
    "the scale ignored forward": (ATTENTION, "(q, k, scale)", "(q, k)", scaled),
    "no softmax on the way": (ATTENTION, SOFTMAX, "grad_weights", plain),
    "values first": (
        ATTENTION,
        "*dot_product_scores_backward(grad_scores, q, k, scale, mask), grad_v",
        "grad_v, *dot_product_scores_backward(grad_scores, q, k, scale, mask)",
        plain,
    ),
    "values from the gradient of the weights": (
        SUM,
        "_transposed(weights), grad_out",
        "_transposed(grad_weights), grad_out",
        plain,
    ),
    "a gradient for what is hidden": (SUM, "np.where(mask, grad_weights, 0)", "grad_weights", step),
    "the mask of a sequence for a head": (LAYER, "mask[..., None, :, :]", "mask", heads),
    "the mask ignored forward": (LAYER, "attention(*heads, mask=mask)", "attention(*heads)", heads),
    "the mask ignored on the way back": (
        LAYER,
        "backward(grad_heads, *heads, mask=mask)",
        "backward(grad_heads, *heads)",
        heads,
    ),
    "copies not summed": (LAYER, "repeat_heads_backward(grad, times)", "grad", shared),
    "heads merged by a view": (
        LAYER,
        "map(merge_heads, grads)",
        "map(lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1), grads)",
        heads,
    ),
    "W_o turned over on the way back": (LAYER, "merged, w_o)", "merged, w_o.T)", theirs),
    "parameters before inputs": (
        LAYER,
        "*grad_inputs, *grad_w, grad_w_o",
        "*grad_w, *grad_inputs, grad_w_o",
        heads,
    ),
}


@pytest.mark.parametrize("title", LINES)
def test_a_wrong_line_is_rejected(monkeypatch, title):
    *edit, rejects = LINES[title]
    one_line.put(monkeypatch, *edit)
    with pytest.raises((AssertionError, ValueError)):
        rejects()


def test_the_right_parts_written_here_are_right(monkeypatch):
    """The mistakes above are in what differs from these, and in nothing else."""
    monkeypatch.setattr(gradients, "additive_attention_backward", additive())
    added()
    monkeypatch.setattr(gradients, "dot_product_scores_backward", scores_backward)
    dot()
