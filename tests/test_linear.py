"""Attention without softmax: three forms of one recurrence, and averages by a feature map."""

import numpy as np
import pytest
from draw import BATCHES, D_K, D_V, assert_close
from scipy.signal import lfilter

from attnbook import linear
from attnbook.masks import causal_mask
from attnbook.reference import scaled_dot_product_attention, weighted_sum

N = 7
FORMS = {
    "recurrent": lambda *a, **more: linear.recurrent(*a, **more),
    "parallel": lambda *a, **more: linear.parallel(*a, **more),
    "chunked": lambda *a, **more: linear.chunked(*a, **more, chunk=3),
}
RULES = {
    "plain": (),
    "decay": ("log_decay",),
    "decay of each feature": ("log_decay of features",),
    "delta": ("beta",),
    "decay, then delta": ("log_decay", "beta"),
    "decay of each feature, then delta": ("log_decay of features", "beta"),
}
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
every_rule = pytest.mark.parametrize("rule", RULES)


def draw(rule="plain", batch=(), n=N, dtype=np.float64):
    """Queries, keys of length 1, values; and what else a rule wants, with a first state."""
    rng = np.random.default_rng(4)
    q, k, v = (rng.standard_normal((*batch, n, width)) for width in (D_K, D_K, D_V))
    k /= np.linalg.norm(k, axis=-1, keepdims=True)
    decay = -rng.random((*batch, n, D_K))
    more = {
        "log_decay": decay[..., :1],
        "log_decay of features": decay,
        "beta": rng.random((*batch, n)),
    }
    more = {name.partition(" ")[0]: more[name] for name in RULES[rule]}
    more["state"] = rng.standard_normal((*batch, D_K, D_V))
    more = {name: x.astype(dtype) for name, x in more.items()}
    return [x.astype(dtype) for x in (q, k, v)], more


def by_transitions(q, k, v, log_decay=None, beta=None, state=None, scale=1.0):
    """One sequence: a step multiplies the state by a matrix T, and adds another; all unrolled.

    H_i = T_i … T_0 H + Σ_{j≤i} T_i … T_{j+1} β_j k_j v_jᵀ,    T = (1 - β k kᵀ) diag(exp(g))
    """
    n, (d_k, d_v) = len(q), (k.shape[1], v.shape[1])
    gates = np.zeros((n, d_k)) + (0 if log_decay is None else log_decay)
    rates = np.ones(n) if beta is None else beta
    steps = [np.diag(np.exp(g)) for g in gates]
    if beta is not None:
        steps = [
            (np.eye(d_k) - b * np.outer(x, x)) @ t for b, x, t in zip(beta, k, steps, strict=True)
        ]
    out = np.zeros((n, d_v))
    for i in range(n):
        total = np.zeros((d_k, d_v))
        for j in range(-1, i + 1):
            first = np.zeros((d_k, d_v)) if state is None else state
            term = first if j < 0 else rates[j] * np.outer(k[j], v[j])
            for later in steps[j + 1 : i + 1]:
                term = later @ term
            total += term
        out[i] = scale * q[i] @ total
    return out, total


def each(function, batch, arrays, more):
    """A function of one sequence on each sequence of a batch."""
    outs = [
        function(*(x[i] for x in arrays), **{name: x[i] for name, x in more.items()})
        for i in np.ndindex(*batch)
    ]
    return [np.array(x).reshape(*batch, *x[0].shape) for x in zip(*outs, strict=True)]


def assert_both_close(found, expected):
    """Numbers here stay below 10, so that a sum of N + D_K terms is off by some 100 eps at most."""
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=200 * np.finfo(float).eps)


@every_form
@every_rule
@pytest.mark.parametrize("batch", [*BATCHES, (1, 2)])
def test_a_form_is_the_recurrence_unrolled(batch, rule, form):
    arrays, more = draw(rule, batch)
    assert_both_close(form(*arrays, **more), each(by_transitions, batch, arrays, more))


@every_rule
@pytest.mark.parametrize("n", [0, 1, N])
@pytest.mark.parametrize("chunk", [1, 2, 3, N, N + 1])
def test_the_three_forms_agree_for_every_chunk_and_length(chunk, n, rule):
    arrays, more = draw(rule, (2,), n)
    more["scale"] = None
    stepwise = linear.recurrent(*arrays, **more)
    assert_both_close(linear.parallel(*arrays, **more), stepwise)
    assert_both_close(linear.chunked(*arrays, **more, chunk=chunk), stepwise)


@pytest.mark.parametrize("width", [1, 2])
def test_the_forms_agree_for_a_batch_of_one_and_narrow_keys(width):
    (q, k, v), more = draw("decay of each feature, then delta", (1,))
    q, k, more["log_decay"] = (x[..., :width] for x in (q, k, more["log_decay"]))
    more["state"] = more["state"][..., :width, :]
    stepwise = linear.recurrent(q, k, v, **more)
    assert_both_close(linear.parallel(q, k, v, **more), stepwise)
    assert_both_close(stepwise, each(by_transitions, (1,), (q, k, v), more))


@every_form
@every_rule
def test_a_sequence_is_continued_from_the_state_it_left(rule, form):
    arrays, more = draw(rule)
    whole, last = form(*arrays, **more)
    state, outs = more.pop("state"), []
    for here in (slice(0, 4), slice(4, None)):
        part = {name: x[here] for name, x in more.items()}
        out, state = form(*(x[here] for x in arrays), **part, state=state)
        outs.append(out)
    assert_both_close((np.concatenate(outs), state), (whole, last))


# Three pairs of width 2, the third under the first key; from each a query reads both keys.
KEYS = np.array([[1.0, 0], [0, 1], [1, 0]])
VALUES = np.array([[1.0, 2], [3, 4], [5, 6]])
HALF = np.full((3, 1), np.log(0.5))
BY_HAND = {  # the state after the third step
    "plain": ({}, [[6, 8], [3, 4]]),
    "decay": ({"log_decay": HALF}, [[5.25, 6.5], [1.5, 2]]),
    "delta": ({"beta": np.ones(3)}, [[5, 6], [3, 4]]),
    "half of delta": ({"beta": np.full(3, 0.5)}, [[2.75, 3.5], [1.5, 2]]),
    "both": ({"log_decay": HALF, "beta": np.full(3, 0.5)}, [[2.5625, 3.125], [0.75, 1]]),
}


@every_form
@pytest.mark.parametrize("case", BY_HAND)
def test_states_are_those_computed_by_hand(case, form):
    more, expected = BY_HAND[case]
    out, state = form(KEYS, KEYS, VALUES, **more)
    assert_close(state, expected)
    assert_close(out[2], expected[0])


@every_form
def test_a_scale_is_a_factor_of_the_output_alone(form):
    arrays, more = draw("delta", (2,))
    out, state = form(*arrays, **more)
    for scale, factor in ((0.3, 0.3), (None, D_K**-0.5)):
        assert_both_close(form(*arrays, **more, scale=scale), (factor * out, state))


@every_form
def test_one_decay_for_all_steps_is_a_filter_of_first_order(form):
    (_, k, v), _ = draw()
    written = (k[:, :, None] * v[:, None, :]).reshape(N, -1)
    filtered = lfilter([1], [1, -0.7], written, axis=0).reshape(N, D_K, D_V)
    for a in range(D_K):
        one = np.zeros((N, D_K))
        one[:, a] = 1
        found = form(one, k, v, np.full((N, 1), np.log(0.7)))
        assert_both_close(found, (filtered[:, a], filtered[-1]))


@every_form
def test_the_delta_rule_repeated_solves_the_least_squares_problem(form):
    (_, k, v), _ = draw()
    few = k[:3], k[:3], v[:3]
    state = None
    for _ in range(200):
        _, state = form(*few, beta=np.ones(3), state=state)
    # From zeros it comes to the smallest H with k H = v, each pass nearer by some factor.
    np.testing.assert_allclose(state, np.linalg.lstsq(k[:3], v[:3], rcond=None)[0], atol=1e-9)


@every_form
def test_at_beta_1_the_last_key_gives_its_own_value(form):
    (_, k, v), more = draw("delta")
    out, _ = form(k, k, v, beta=np.ones(N), state=more["state"])
    assert_both_close((out,), (v,))
    out, state = form(k, k, v, beta=np.zeros(N), state=more["state"])
    assert np.array_equal(state, more["state"])


@every_form
@pytest.mark.parametrize("batch", BATCHES)
def test_without_softmax_scores_are_the_weights(batch, form):
    (q, k, v), _ = draw(batch=batch)
    weights = np.where(causal_mask(N, N), q @ np.swapaxes(k, -1, -2), 0)
    assert_both_close(form(q, k, v)[:1], (weights @ v,))
    assert_both_close(
        (linear.bidirectional(q, k[..., :5, :], v[..., :5, :], None),),
        ((q @ np.swapaxes(k[..., :5, :], -1, -2) / np.sqrt(D_K)) @ v[..., :5, :],),
    )


@every_form
@every_rule
@pytest.mark.parametrize("junk", [np.nan, np.inf, 1e300])
def test_what_comes_later_has_no_influence(junk, rule, form):
    arrays, more = draw(rule)
    before = form(*arrays, **more)[0][:4]
    for x in [*arrays, *(x for name, x in more.items() if name != "state")]:
        x[4:] = junk
    with np.errstate(all="ignore"):
        assert np.array_equal(form(*arrays, **more)[0][:4], before)


@every_form
@pytest.mark.parametrize("rule", ["decay", "decay of each feature, then delta"])
def test_a_decay_of_minus_infinity_forgets_all(rule, form):
    arrays, more = draw(rule)
    more["log_decay"][3] = -np.inf
    out, state = form(*arrays, **more)
    later = {name: x[3:] for name, x in more.items() if name != "state"}
    fresh = form(*(x[3:] for x in arrays), **later)
    assert_both_close((out[3:], state), fresh)


@every_form
@every_rule
def test_float32_is_as_near_as_its_sums_are_long(rule, form):
    arrays, more = draw(rule, (2, 3), n=100, dtype=np.float32)
    for x in (*arrays, *more.values()):
        x.setflags(write=False)
    low = form(*arrays, **more)
    assert {x.dtype for x in low} == {np.dtype(np.float32)}
    high = linear.recurrent(
        *(x.astype(float) for x in arrays), **{name: x.astype(float) for name, x in more.items()}
    )
    # An output sums up to 100 values, with scores near 1: it is off by at most as many roundings
    # of the largest partial sum, and by about their root.
    for ours, theirs in zip(low, high, strict=True):
        tolerance = 10 * np.finfo(np.float32).eps * np.abs(theirs).max()
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance)


def test_read_is_one_row_of_attention():
    (q, k, v), more = draw(batch=(2, 3))
    assert_close(linear.read(q[..., 0, :], more["state"]), (q @ more["state"])[..., 0, :])
    weights = q @ np.swapaxes(k, -1, -2)
    assert_both_close((linear.bidirectional(q, k, v),), (weighted_sum(weights, v),))


@every_rule
def test_update_by_itself_is_one_step_of_the_recurrence(rule):
    (_, k, v), more = draw(rule, (2,), n=1)
    _, expected = each(by_transitions, (2,), [k, k, v], more)
    state = more.pop("state")
    given = {name: x[:, 0] for name, x in more.items()}
    assert_both_close([linear.update(state, k[:, 0], v[:, 0], **given)], [expected])


@pytest.mark.parametrize("form", ["chunked", "normalised"])
@pytest.mark.parametrize(("given", "pieces"), [({}, [64, 36]), ({"chunk": 40}, [40, 40, 20])])
def test_no_piece_is_longer_than_its_chunk_nor_wider_than_its_dtype(
    monkeypatch, form, given, pieces
):
    seen, whole = [], linear.weighted_sum

    def noted(weights, v, mask):
        seen.append((weights.shape[-1], {weights.dtype, v.dtype}))
        return whole(weights, v, mask)

    monkeypatch.setattr(linear, "weighted_sum", noted)
    getattr(linear, form)(*draw(n=100, dtype=np.float32)[0], **given)
    assert seen == [(n, {np.dtype(np.float32)}) for n in pieces]


def normalised_in_loops(q, k, v, phi, keys_of):
    """Σ φ(q_i)·φ(k_j) v_j / Σ φ(q_i)·φ(k_j) over the keys of step i, for one sequence."""
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        weights = np.array([sum(phi(q[i]) * phi(k[j])) for j in keys_of(i)])
        out[i] = sum(w * v[j] for w, j in zip(weights / sum(weights), keys_of(i), strict=True))
    return out


def elu(x):
    return np.array([a + 1 if a > 0 else np.exp(a) for a in x])


def test_normalised_is_the_average_by_its_kernel():
    (q, k, v), _ = draw()
    expected = normalised_in_loops(q, k, v, elu, lambda i: range(i + 1))
    for chunk in (2, 64):
        found, _ = linear.normalised(q, k, v, linear.elu_plus_one, chunk=chunk)
        assert_both_close((found,), (expected,))
    expected = normalised_in_loops(q, k, v, elu, lambda i: range(N))
    found = linear.normalised_bidirectional(q, k, v, linear.elu_plus_one)
    assert_both_close((found,), (expected,))


def test_weights_of_the_normalised_form_sum_to_one():
    (q, k, v), _ = draw(batch=(2, 3))
    ones = np.ones_like(v)
    assert_close(linear.normalised(q, k, ones)[0], ones)
    assert_close(linear.normalised_bidirectional(q, k, ones), ones)


def test_normalised_is_continued_from_its_state():
    (q, k, v), _ = draw(batch=(2,))
    first, state = linear.normalised(q[:, :3], k[:, :3], v[:, :3])
    second, last = linear.normalised(q[:, 3:], k[:, 3:], v[:, 3:], state=state)
    whole = linear.normalised(q, k, v)
    assert_both_close((np.concatenate([first, second], axis=1), last), whole)
    assert state.shape == (2, D_K, D_V + 1)


def powers(x):
    """Features whose dot product is 1 + s + s²/2, the start of the series of exp(s)."""
    pairs = (x[..., :, None] * x[..., None, :]).reshape(*x.shape[:-1], -1)
    return np.concatenate([np.ones_like(x[..., :1]), x, pairs / np.sqrt(2)], axis=-1)


def test_features_of_the_series_of_exp_come_near_softmax():
    (q, k, v), _ = draw()
    q, mask = q / 20, causal_mask(N, N)
    softmax = scaled_dot_product_attention(q, k, v, mask, scale=1.0)
    found = linear.normalised(q, k, v, feature_map=powers)[0]
    # A score s is below 0.2 in size; what the series leaves out is below s³/5, a relative error of
    # each weight, and values are below 4.
    assert np.abs(q @ k.T).max() < 0.2
    np.testing.assert_allclose(found, softmax, rtol=0, atol=2 * 0.2**3 / 5 * 4)
    assert not np.allclose(linear.normalised(q, k, v)[0], softmax, atol=0.01)


def test_a_query_without_features_gets_zeros():
    (q, k, v), _ = draw()
    out, _ = linear.normalised(q, k, v, feature_map=lambda x: 0 * x)
    assert np.array_equal(out, np.zeros_like(v))


def test_the_feature_map_is_elu_plus_one():
    x = np.array([[-1000.0, -1.0, 0.0, 0.5, 1000.0]])
    assert_close(linear.elu_plus_one(x), [[0.0, np.exp(-1), 1.0, 1.5, 1001.0]])
    assert linear.elu_plus_one(x.astype(np.float32)).dtype == np.float32


(Q, K, V), _ = draw()
REFUSED = [
    (ValueError, lambda: linear.chunked(Q, K, V, chunk=0), "chunked: chunk is 0; expected 1 or"),
    (TypeError, lambda: linear.parallel(Q, K, V, Q[:, :2]), "parallel: log_decay is float64 array"),
    (TypeError, lambda: linear.recurrent(Q, K, V, beta=Q), "recurrent: beta is float64 array of"),
    (TypeError, lambda: linear.recurrent(Q, K, V[:3]), "recurrent: v is float64 array of shape"),
    (
        TypeError,
        lambda: linear.normalised(Q, K, V, feature_map="elu"),
        "normalised: feature_map is str 'elu'; expected Callable",
    ),
    (
        TypeError,
        lambda: linear.normalised(Q, K, V, state=np.ones((D_K, D_V))),
        "normalised: state is float64 array of shape (4, 6)",
    ),
]


@pytest.mark.parametrize(("error", "call", "said"), REFUSED)
def test_a_wrong_argument_is_named(error, call, said):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(said)
