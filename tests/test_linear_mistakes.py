"""Each of these mistakes is rejected by the claim that a form is the recurrence unrolled."""

import one_line
import pytest
from test_linear import FORMS, N
from test_linear import test_a_form_is_the_recurrence_unrolled as is_the_recurrence
from test_linear import test_a_scale_is_a_factor_of_the_output_alone as scaled
from test_linear import test_the_three_forms_agree_for_every_chunk_and_length as forms_agree
from test_linear import test_what_comes_later_has_no_influence as causal
from test_linear import test_without_softmax_scores_are_the_weights as without_softmax

from attnbook import linear

FADES = """    if log_decay is not None:
        state = np.exp(log_decay)[..., None] * state
"""
CORRECTS = """    if beta is not None:
        v = beta[..., None] * (v - read(k, state))
"""
WRITES = "state + k[..., :, None] * v[..., None, :]"
CORRECTED = "beta[..., None] * (v - read(k, state))"

# The function, what stands in it, what a mistake makes of it, the rule that shows it.
STEPWISE = {
    "decay after the write": (
        linear.update,
        f"{FADES}{CORRECTS}    return {WRITES}",
        f"{CORRECTS}    state = {WRITES}\n{FADES}    return state",
        "decay",
    ),
    "decay without exp": (linear.update, "np.exp(log_decay)", "log_decay", "decay"),
    "growth for decay": (linear.update, "np.exp(log_decay)", "np.exp(-log_decay)", "decay"),
    "the decay of the first step for all": (
        linear.recurrent,
        "log_decay[..., t, :]",
        "log_decay[..., 0, :]",
        "decay",
    ),
    "decay one step late": (
        linear.recurrent,
        "log_decay[..., t, :]",
        "log_decay[..., max(t - 1, 0), :]",
        "decay",
    ),
    "one decay for all features": (
        linear.update,
        "np.exp(log_decay)[..., None]",
        "np.exp(log_decay[..., :1])[..., None]",
        "decay of each feature",
    ),
    "delta before decay": (
        linear.update,
        f"{FADES}{CORRECTS}",
        f"{CORRECTS}{FADES}",
        "decay, then delta",
    ),
    "β on the new value alone": (
        linear.update,
        CORRECTED,
        "beta[..., None] * v - read(k, state)",
        "delta",
    ),
    "β on the old value alone": (
        linear.update,
        CORRECTED,
        "v - beta[..., None] * read(k, state)",
        "delta",
    ),
    "β on the value without a correction": (
        linear.update,
        CORRECTED,
        "beta[..., None] * v",
        "delta",
    ),
    "the old value added": (linear.update, "(v - read(k, state))", "(v + read(k, state))", "delta"),
    "the whole state shrunk by 1 - β": (
        linear.update,
        f"v = {CORRECTED}",
        "state, v = (1 - beta[..., None, None]) * state, beta[..., None] * v",
        "delta",
    ),
    "the outer product transposed": (
        linear.update,
        "k[..., :, None] * v[..., None, :]",
        "k[..., None, :] * v[..., :, None]",
        "plain",
    ),
    "overwritten": (linear.update, WRITES, WRITES.removeprefix("state + "), "plain"),
    "read before it is written": (
        linear.recurrent,
        "read(q[..., t, :], state)",
        "read(q[..., t, :], state) - np.sum(q * k, axis=-1)[..., t, None] * v[..., t, :]",
        "plain",
    ),
    "the first state ignored": (linear._start, "if state is None else state", "", "plain"),
    "read from the side of the values": (
        linear.read,
        "(q[..., None, :] @ state)[..., 0, :]",
        "(state[..., : q.shape[-1]] @ q[..., :, None])[..., 0]",
        "plain",
    ),
    "the scale upside down": (linear._scaled, "** -0.5", "** 0.5", "plain"),
}
AT_ONCE = {
    "a strict triangle": (
        linear.parallel,
        "causal_mask(n, n)",
        "causal_mask(n + 1, n)[:n]",
        "plain",
    ),
    "the state not read": (linear.parallel, " + (since_start * q) @ state", "", "plain"),
    "the state not handed on": (linear.parallel, "state_kept + ", "", "plain"),
    "the state read without decay": (linear.parallel, "(since_start * q)", "q", "decay"),
    "the state kept without decay": (
        linear.parallel,
        "np.exp(np.sum(g, axis=-2))[..., None] * state",
        "state",
        "decay",
    ),
    "keys kept without decay": (
        linear.parallel,
        "np.sum(since[..., -1:, :, :], axis=-3) * k",
        "k",
        "decay",
    ),
    "decay one step too much": (
        linear._decay_since,
        "k=-1",
        "k=0",
        "decay",
    ),
    "decay from the wrong side": (
        linear._decay_since,
        "np.exp(np.cumsum(",
        "np.exp(-np.cumsum(",
        "decay of each feature",
    ),
    "one decay for all features": (
        linear.parallel,
        "_decay_since(g)",
        "_decay_since(g[..., :1])",
        "decay of each feature",
    ),
    "delta without the state": (
        linear.parallel,
        "v = v - (since_start * k) @ state",
        "pass",
        "delta",
    ),
    "delta without the decay of the state": (
        linear.parallel,
        "(since_start * k) @ state",
        "k @ state",
        "decay, then delta",
    ),
    "corrected by values, not by what was written": (
        linear._corrected,
        "@ written[..., :i, :]",
        "@ v[..., :i, :]",
        "delta",
    ),
    "β on the value alone, at once": (
        linear._corrected,
        "beta[..., i, None] * (v[..., i, :] - known[..., 0, :])",
        "beta[..., i, None] * v[..., i, :] - known[..., 0, :]",
        "delta",
    ),
    "a step corrected by itself": (
        linear._corrected,
        "scores[..., i : i + 1, :i] @ written[..., :i, :]",
        "scores[..., i : i + 1, : i + 1] @ v[..., : i + 1, :]",
        "delta",
    ),
}
IN_CHUNKS = {
    "the state not carried": (
        linear.chunked,
        "out[..., here, :], state = parallel",
        "out[..., here, :], _ = parallel",
        "plain",
    ),
    "the first state for every chunk": (
        linear.chunked,
        "parallel(*rows, g, b, state, scale)",
        "parallel(*rows, g, b, _start(k, v, None), scale)",
        "plain",
    ),
    "the last short chunk left out": (
        linear.chunked,
        "range(0, k.shape[-2], chunk)",
        "range(0, k.shape[-2] // chunk * chunk, chunk)",
        "plain",
    ),
    "chunks that overlap": (linear.chunked, "start + chunk)", "start + chunk + 1)", "plain"),
    "decays of the first chunk": (
        linear.chunked,
        "log_decay[..., here, :]",
        "log_decay[..., :chunk, :][..., : len(range(*here.indices(k.shape[-2]))), :]",
        "decay",
    ),
    "scaled for each form": (
        linear.chunked,
        "state, scale)",
        "state, 1.0)",
        "decay",
    ),
}
MISTAKES = STEPWISE | AT_ONCE | IN_CHUNKS


def claims(rule):
    for form in FORMS.values():
        is_the_recurrence((2, 3), rule, form)
        scaled(form)
    for chunk in (1, 2, 3):
        forms_agree(chunk, N, rule)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_version_is_rejected(monkeypatch, mistake):
    *edit, rule = MISTAKES[mistake]
    claims(rule)
    one_line.put(monkeypatch, *edit)
    with pytest.raises((AssertionError, ValueError)):
        claims(rule)


OF_ALL_KEYS = {
    "no scale": ("_scaled(q, scale)", "q"),
    "the scale of the values": ("_scaled(q, scale)", "q * v.shape[-1] ** -0.5"),
    "the mean over the keys": ("(_transposed(k) @ v)", "(_transposed(k) @ v) / k.shape[-2]"),
    "the keys of the queries": ("_transposed(k) @ v", "_transposed(q[..., :5, :]) @ v"),
}


@pytest.mark.parametrize("mistake", OF_ALL_KEYS)
def test_a_wrong_product_from_the_right_is_rejected(monkeypatch, mistake):
    one_line.put(monkeypatch, linear.bidirectional, *OF_ALL_KEYS[mistake])
    with pytest.raises(AssertionError):
        without_softmax((2,), FORMS["parallel"])


def test_a_plain_product_lets_a_later_nan_through(monkeypatch):
    one_line.put(
        monkeypatch,
        linear.parallel,
        "weighted_sum(_faded_scores(q, k, since), v, causal_mask(n, n))",
        "np.tril(_faded_scores(q, k, since)) @ v",
    )
    is_the_recurrence((2,), "decay", FORMS["parallel"])
    with pytest.raises(AssertionError):
        causal(float("nan"), "decay", FORMS["parallel"])


def test_a_line_that_is_not_there_is_not_changed(monkeypatch):
    with pytest.raises(ValueError, match="'softmax' stands 0 times"):
        one_line.put(monkeypatch, linear.read, "softmax", "")
