"""Each of these mistakes in linear attention is rejected by a claim about it."""

from functools import partial

import one_line
import pytest
from test_linear import FORMS, N
from test_linear import test_a_form_is_the_recurrence_unrolled as is_the_recurrence
from test_linear import test_a_scale_is_a_factor_of_the_output_alone as scaled
from test_linear import test_normalised_is_the_average_by_its_kernel as is_the_average
from test_linear import test_the_three_forms_agree_for_every_chunk_and_length as forms_agree
from test_linear import test_what_comes_later_has_no_influence as causal
from test_linear import test_without_softmax_scores_are_the_weights as without_softmax

from attnbook import linear

UPDATE, RECURRENT = linear.update, linear.recurrent
PARALLEL, CHUNKED = linear.parallel, linear.chunked
FADES = """    if log_decay is not None:
        state = np.exp(log_decay)[..., None] * state
"""
CORRECTS = """    if beta is not None:
        v = beta[..., None] * (v - read(k, state))
"""
WRITES = "state + k[..., :, None] * v[..., None, :]"
CORRECTED = "beta[..., None] * (v - read(k, state))"

# By the rule that shows them: the function, and what a mistake changes in it.
MISTAKES = {
    "decay": {
        "decay after the write": (UPDATE, f"{FADES}{CORRECTS}    return {WRITES} → "
            f"{CORRECTS}    state = {WRITES}\n{FADES}    return state"),
        "decay without exp": (UPDATE, "np.exp(log_decay) → log_decay"),
        "growth for decay": (UPDATE, "np.exp(log_decay) → np.exp(-log_decay)"),
        "the decay of the first step for all": (RECURRENT,
            "log_decay[..., t, :] → log_decay[..., 0, :]"),
        "decay one step late": (RECURRENT,
            "log_decay[..., t, :] → log_decay[..., max(t - 1, 0), :]"),
        "the state read without decay": (PARALLEL, "(since_start * q) → q"),
        "the state kept without decay": (PARALLEL,
            "np.exp(np.sum(g, axis=-2))[..., None] * state → state"),
        "keys kept without decay": (PARALLEL, "np.sum(since[..., -1:, :, :], axis=-3) * k → k"),
        "decay one step too much": (linear._decay_since, "k=-1 → k=0"),
        "decays of the first chunk": (CHUNKED, "log_decay[..., here, :] → "
            "log_decay[..., :chunk, :][..., : len(range(*here.indices(k.shape[-2]))), :]"),
        "scaled for each form": (CHUNKED, "state, scale) → state, 1.0)"),
    },
    "decay of each feature": {
        "one decay for all features": (UPDATE,
            "np.exp(log_decay)[..., None] → np.exp(log_decay[..., :1])[..., None]"),
        "decay from the wrong side": (linear._decay_since,
            "np.exp(np.cumsum( → np.exp(-np.cumsum("),
        "one decay for all features, at once": (PARALLEL,
            "_decay_since(g) → _decay_since(g[..., :1])"),
    },
    "decay, then delta": {
        "delta before decay": (UPDATE, f"{FADES}{CORRECTS} → {CORRECTS}{FADES}"),
        "delta without the decay of the state": (PARALLEL, "(since_start * k) @ state → k @ state"),
    },
    "delta": {
        "β on the new value alone": (UPDATE, f"{CORRECTED} → beta[..., None] * v - read(k, state)"),
        "β on the old value alone": (UPDATE, f"{CORRECTED} → v - beta[..., None] * read(k, state)"),
        "β on the value without a correction": (UPDATE, f"{CORRECTED} → beta[..., None] * v"),
        "the old value added": (UPDATE, "(v - read(k, state)) → (v + read(k, state))"),
        "the whole state shrunk by 1 - β": (UPDATE, f"v = {CORRECTED} → "
            "state, v = (1 - beta[..., None, None]) * state, beta[..., None] * v"),
        "delta without the state": (PARALLEL, "v = v - (since_start * k) @ state → pass"),
        "corrected by values, not by what was written": (linear._corrected,
            "@ written[..., :i, :] → @ v[..., :i, :]"),
        "β on the value alone, at once": (linear._corrected,
            "beta[..., i, None] * (v[..., i, :] - known[..., 0, :]) → "
            "beta[..., i, None] * v[..., i, :] - known[..., 0, :]"),
        "a step corrected by itself": (linear._corrected,
            "scores[..., i : i + 1, :i] @ written[..., :i, :] → "
            "scores[..., i : i + 1, : i + 1] @ v[..., : i + 1, :]"),
    },
    "plain": {
        "the outer product transposed": (UPDATE,
            "k[..., :, None] * v[..., None, :] → k[..., None, :] * v[..., :, None]"),
        "overwritten": (UPDATE, f"{WRITES} → " + WRITES.removeprefix("state + ")),
        "read before it is written": (RECURRENT, "read(q[..., t, :], state) → "
            "read(q[..., t, :], state) - np.sum(q * k, axis=-1)[..., t, None] * v[..., t, :]"),
        "the first state ignored": (linear._start, "if state is None else state → "),
        "read from the side of the values": (linear.read, "(q[..., None, :] @ state)[..., 0, :] → "
            "(state[..., : q.shape[-1]] @ q[..., :, None])[..., 0]"),
        "the scale upside down": (linear._scaled, "q * resolve → q / resolve"),
        "a strict triangle": (PARALLEL, "causal_mask(n, n) → causal_mask(n + 1, n)[:n]"),
        "the state not read": (PARALLEL, " + (since_start * q) @ state → "),
        "the state not handed on": (PARALLEL, "state_kept +  → "),
        "the state not carried": (CHUNKED,
            "out[..., here, :], state = parallel → out[..., here, :], _ = parallel"),
        "the first state for every chunk": (CHUNKED, "parallel(*rows, g, b, state, scale) → "
            "parallel(*rows, g, b, _start(k, v, None), scale)"),
        "the last short chunk left out": (CHUNKED,
            "range(0, k.shape[-2], chunk) → range(0, k.shape[-2] // chunk * chunk, chunk)"),
        "chunks that overlap": (CHUNKED, "start + chunk) → start + chunk + 1)"),
    },
}  # fmt: skip
EACH = [(rule, title) for rule, mistakes in MISTAKES.items() for title in mistakes]


def all_forms(rule):
    for form in FORMS.values():
        is_the_recurrence((2, 3), rule, form)
        scaled(form)
    for chunk in (1, 2, 3):
        forms_agree(chunk, N, rule)


@pytest.mark.parametrize(("rule", "title"), EACH)
def test_a_wrong_step_is_rejected(monkeypatch, rule, title):
    by = AssertionError, ValueError
    one_line.assert_rejected(monkeypatch, *MISTAKES[rule][title], lambda: all_forms(rule), by=by)


OF_ALL_KEYS = {
    "no scale": "_scaled(q, scale) → q",
    "the scale of the values": "_scaled(q, scale) → q * v.shape[-1] ** -0.5",
    "the mean over the keys": "(k.mT @ v) → (k.mT @ v) / k.shape[-2]",
    "the keys of the queries": "k.mT @ v → q[..., :5, :].mT @ v",
}  # fmt: skip


@pytest.mark.parametrize("mistake", OF_ALL_KEYS)
def test_a_wrong_product_from_the_right_is_rejected(monkeypatch, mistake):
    claim = partial(without_softmax, (2,), FORMS["parallel"])
    one_line.assert_rejected(monkeypatch, linear.bidirectional, OF_ALL_KEYS[mistake], claim)


def test_a_plain_product_lets_a_later_nan_through(monkeypatch):
    plain = "np.tril(_faded_scores(q, k, since)) @ v"
    change = f"weighted_sum(_faded_scores(q, k, since), v, causal_mask(n, n)) → {plain}"
    one_line.put(monkeypatch, PARALLEL, change)
    is_the_recurrence((2,), "decay", FORMS["parallel"])
    with pytest.raises(AssertionError):
        causal(float("nan"), "decay", FORMS["parallel"])


OF_FEATURES = {
    "not divided": (linear._divided, "/ np.where(total == 0, 1, total) → "),
    "divided by the number of keys": (linear._divided,
        "out[..., -1:] → len(out) + 0 * out[..., -1:]"),
    "divided by the last denominator": (linear._divided, "out[..., -1:] → out[..., -1:, -1:]"),
    "divided by the root": (linear._divided, "out[..., -1:] → np.sqrt(out[..., -1:])"),
    "keys without features": (linear.normalised, "feature_map(k) → k"),
    "queries without features": (linear.normalised, "feature_map(q) → q"),
    "keys without features, all read": (linear.normalised_bidirectional, "feature_map(k) → k"),
    "queries without features, all read": (linear.normalised_bidirectional, "feature_map(q) → q"),
    "keys and queries swapped, all read": (linear.normalised_bidirectional,
        "feature_map(q), feature_map(k) → feature_map(k), feature_map(q)"),
    "values with features": (linear.normalised, "_with_ones(v) → _with_ones(feature_map(v))"),
    "features not positive": (linear.elu_plus_one, "x > 0, x + 1 → x > 0, x"),
    "e^x above 0 too": (linear.elu_plus_one, "x > 0, x + 1 → x > 0, np.exp(x)"),
    "elu without 1": (linear.elu_plus_one,
        "np.exp(np.minimum(x, 0)) → np.exp(np.minimum(x, 0)) - 1"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", OF_FEATURES)
def test_a_wrong_average_is_rejected(monkeypatch, mistake):
    one_line.assert_rejected(monkeypatch, *OF_FEATURES[mistake], is_the_average)
