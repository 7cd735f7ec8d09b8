"""NaN and infinity that a query may not see have no influence on it, in the kernels as well.

Those of a key past a length: see `test_kernels.py`. Interpreted, blocks are of 64 queries and 32
keys: what stands here lies amid blocks of which some queries see a part.
"""

import numpy as np
import pytest
import torch
from kernel_oracle import definition, drawn, never_set, tolerance, visible
from test_kernels_backward import FORMS, sizes_of_errors
from test_kernels_wrong import copied, folder  # noqa: F401  (a fixture)

from attnbook import gradients, kernels, reference
from attnbook.kernels import launch
from attnbook.kernels.arguments import options as resolve
from attnbook.kernels.configurations import INTERPRETED
from attnbook.pytorch import rules
from attnbook.pytorch.options import Options

KINDS = torch.tensor([torch.nan, torch.inf, -torch.inf])  # one for each of three batches
LENS = torch.tensor([83, 50, 71])
N_Q, N_K = 70, 83
PACKED = torch.tensor([[0, 0, 1, 1, 2, 3], [0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 2]])
PACKED = PACKED.repeat_interleave(14, dim=1)[:, :N_K]
DOCUMENTS = rules.documents(PACKED[:, N_K - N_Q :], PACKED)
OPTIONS = {
    "causal": {"causal": True},
    "causal lengths": {"causal": True, "valid_lens": LENS},
    "window on both sides": {"rule": rules.sliding_window(9, 20)},
    "prefix": {"rule": rules.prefix(20)},
    "documents": {"rule": DOCUMENTS},
    "window and soft cap": {"causal": True, "window": 20, "softcap": 1.5},
}
NAMES = "q", "k", "v", "grad_out"


def given(name, heads=2):
    """Tensors for three batches, clean; and a copy with one number of each kind in two rows."""
    clean = dict(zip(NAMES, drawn((3, heads, N_Q, 16), (3, 1, N_K, 16), count=4), strict=True))
    dirty = {key: x.clone() for key, x in clean.items()}
    dirty[name][:, 0, [29, 44], 5] = KINDS[:, None]
    return clean, dirty


def assert_same_where_finite(ours, right, atol, spread=True):
    """Not finite in the same places, or with not `spread` in fewer, and close elsewhere."""
    ours, right = ours.double().numpy(), np.asarray(right)
    if spread:
        np.testing.assert_array_equal(np.isfinite(ours), np.isfinite(right))
    there = np.isfinite(right)
    assert np.abs(ours[there] - right[there]).max(initial=0) <= atol


def forward(x, **options):
    return kernels.flash_attention_with_lse(x["q"], x["k"], x["v"], **options)


def by_hand(x, softcap=None, **seen):
    """The gradients of the definition, whose own guarantee `test_influence.py` shows."""
    q, k, v, grad_out = (x[name].double().numpy() for name in NAMES)
    mask, heads = visible(q, k, **seen), q.shape[1]
    k, v = (reference.repeat_heads(y, heads) for y in (k, v))
    scores = reference.dot_product_scores(q, k)
    capped = scores if softcap is None else softcap * np.tanh(scores / softcap)
    slope = 1 if softcap is None else 1 - np.square(capped / softcap)
    mask = np.broadcast_to(mask, scores.shape)
    weights = reference.softmax(capped, mask)
    grad_weights, grad_v = gradients.weighted_sum_backward(grad_out, weights, v, mask)
    grad_scores = gradients.softmax_backward(grad_weights, weights, mask) * slope
    grad_q, grad_k = gradients.dot_product_scores_backward(grad_scores, q, k, None, mask)
    return grad_q, *(y.sum(1, keepdims=True) for y in (grad_k, grad_v))


def test_every_field_of_a_rule_hides_something():
    assert never_set(OPTIONS.values()) == set()


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("name", NAMES[:3])
@np.errstate(invalid="ignore")
def test_what_a_query_may_not_see_has_no_influence_on_it(name, options):
    clean, dirty = given(name)
    out, lse = forward(dirty, **options)
    expected, right_lse, _ = definition(dirty["q"], dirty["k"], dirty["v"], **options)
    scores = definition(clean["q"], clean["k"], clean["v"], **options)[2]
    assert_same_where_finite(out, expected, tolerance(out.dtype, scores, clean["v"]))
    assert_same_where_finite(lse, right_lse, tolerance(lse.dtype, scores, torch.ones(1)))
    assert np.isfinite(expected).any() and not np.isfinite(expected).all()


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("name", NAMES)
@np.errstate(invalid="ignore")
def test_nor_on_its_gradients_nor_on_those_of_keys_that_it_does_not_see(name, options):
    clean, dirty = given(name)
    q, k, v, grad_out = (dirty[each] for each in NAMES)
    out, lse = forward(dirty, **options)
    close = sizes_of_errors(*(clean[each] for each in ("grad_out", "q", "k", "v")))
    if spread := name in ("v", "grad_out"):
        expected = by_hand(dirty, **options)
    else:  # an infinite score is a weight of 0, of 1 or NaN: as if it were NaN, what sees none
        expected = by_hand(
            {each: torch.where(x.isinf(), torch.nan, x) for each, x in dirty.items()}, **options
        )
    assert any(np.isfinite(right).any() for right in expected)
    for backward in FORMS:
        grads = backward(grad_out, q, k, v, out, lse, **options)
        for ours, right, atol in zip(grads, expected, close, strict=True):
            assert_same_where_finite(ours, right, atol, spread)


def test_gradients_are_those_of_the_definition_where_all_is_finite():
    """So that what is compared above is not the same mistake twice."""
    clean, _ = given("q", heads=1)
    right = gradients.scaled_dot_product_attention_backward(
        *(clean[each].double().numpy() for each in ("grad_out", "q", "k", "v")),
        visible(clean["q"], clean["k"], causal=True),
    )
    for ours, x in zip(by_hand(clean, causal=True), right, strict=True):
        np.testing.assert_allclose(ours, x, atol=1e-14)


def test_without_a_second_pass_earlier_queries_are_not_finite(monkeypatch):
    monkeypatch.setattr(launch, "_passes", lambda c, q, options: [c])
    with pytest.raises(AssertionError):
        test_what_a_query_may_not_see_has_no_influence_on_it.__wrapped__("v", {"causal": True})


MISTAKES = [
    ("hidden", "met > 0 → met > 1"),
    ("hidden", "x = tl.where(finite, x, 0.0).to(x.dtype) → x = x"),
    ("hidden", "rows += tl.sum(rows - rows, 1)[:, None] → rows += 0"),
    ("hidden", "tl.sum(tl.sum(numbers - numbers, 1), 0) != 0 → tl.sum(tl.sum(numbers, 1), 0) > 0"),
    ("hidden", "tl.where(visible, weights, 0.0) → weights"),
    ("hidden", "finite = x - x == 0 → finite = x == x"),
    ("hidden", "tl.where(finite, 0.0, 1.0) → tl.where(finite, 1.0, 0.0)"),
    ("hidden", "(index.to(tl.int64) * n + rows) * D → rows * D"),
    ("backward_keys", "not has_nonfinite( → has_nonfinite("),
    ("launch", "q.shape[3] if atomic else 1 → 1"),
    ("launch", "None if c.nan_safe else total → total"),
    ("launch", "kind(options) is NONE → kind(options).value != 1"),
    ("visible", "batch.to(tl.int64) * 2 * → batch.to(tl.int64) *"),
    ("visible", "(first <= keys) & (keys < end) → (keys < end)"),
]  # fmt: skip


SMALL = INTERPRETED._replace(rows=16, keys=16)  # the second pass has blocks of other sizes
# Of queries and keys; where NaN stands; which backward pass; the blocks of the first.
CASES = [
    (N_Q, N_Q, "v", 41, False, {"causal": True}, None),
    (N_Q, N_Q, "grad_out", 41, True, {"causal": True}, None),
    # Seen by no query, but in the block of some.
    (20, N_K, "k", 40, True, {"causal": True, "window": 20}, None),
    (N_Q, N_K, "v", 41, False, {"rule": DOCUMENTS}, SMALL),
    (N_Q, N_K, "k", 41, True, {"rule": DOCUMENTS}, SMALL),
]


@np.errstate(invalid="ignore")
def is_right(launch):
    """Whether NaN and infinity in two features end where they should."""
    for n_q, n_k, name, at, atomic, seen, blocks in CASES:
        n_batch = 3 if "rule" in seen else 1
        x = drawn((n_batch, 1, n_q, 16), (n_batch, 1, n_k, 16), count=4)
        x = dict(zip(NAMES, x, strict=True))
        x[name][-1, :, at, 5:7] = KINDS[:2]
        q, k, v, grad_out = x.values()
        options = resolve(q, k, Options(**seen))
        out, lse = launch.forward(q, k, v, options, blocks)
        if not same(out, definition(q, k, v, **seen)[0]):
            return False
        both = blocks and (blocks, blocks)
        grads = launch.backward(grad_out, q, k, v, out, lse, options, None, atomic, both)
        if not all(map(same, grads, by_hand(x, **seen))):
            return False
    return True


def same(ours, right):
    pair = (np.where(np.isfinite(x), x, np.nan) for x in (ours.numpy(), right))
    return np.allclose(*pair, rtol=0, atol=1e-4, equal_nan=True)


def test_a_copy_without_a_mistake_is_right(folder):  # noqa: F811
    assert is_right(copied(folder, "kernels_copy"))


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_a_mistake_shows(folder, number):  # noqa: F811
    assert not is_right(copied(folder, f"kernels_copy_{number}", *MISTAKES[number]))
