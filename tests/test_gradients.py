"""The gradients derived by hand are those of automatic differentiation and of differences."""

import numpy as np
import pytest
import torch
from draw import BATCHES, D_K, D_V, N_K, N_Q, mask, matrices, queries_keys_values, scores

from attnbook import gradients, positions, pytorch, reference

D_HIDDEN, D_MODEL, D_OUT, N_HEADS = 7, 8, 3, 2
PLACES, THETA = np.arange(2, 2 + N_K), positions.frequencies(D_K)
SHAPES = {
    "scaled_dot_product_attention": (),
    "additive_attention": ((D_K, D_HIDDEN), (D_K, D_HIDDEN), (D_HIDDEN,)),
    "multi_head_attention": (*((d, D_MODEL) for d in (D_K, D_K, D_V)), (D_MODEL, D_OUT)),
}
NAMES = tuple(SHAPES)
DOT, ADDITIVE, HEADS = NAMES
# Sums of at most a few dozen products of numbers near 1, in another order.
CLOSE = {"rtol": 1e-13, "atol": 1e-13}
every_form = pytest.mark.parametrize("name", NAMES)


def arguments(name, batch=()):
    return [*queries_keys_values(batch), *matrices(np.float64, *SHAPES[name])]


def grad_out(name, batch=()):
    width = D_OUT if name == HEADS else D_V
    return np.random.default_rng(9).standard_normal((*batch, N_Q, width))


def settings(name, options):
    return options | ({"n_heads": N_HEADS} if name == HEADS else {})


def by_autograd(name, grad, arrays, **options):
    options = {
        n: torch.from_numpy(x) if isinstance(x, np.ndarray) else x
        for n, x in settings(name, options).items()
    }
    return slopes_of(lambda *leaves: getattr(pytorch, name)(*leaves, **options), grad, arrays)


def slopes_of(function, grad, arrays):
    """What automatic differentiation makes of a function of tensors."""
    leaves = [torch.tensor(x, requires_grad=True) for x in arrays]
    found = torch.autograd.grad(function(*leaves), leaves, torch.from_numpy(grad))
    return [x.numpy() for x in found]


def by_hand(name, grad, arrays, **options):
    return getattr(gradients, f"{name}_backward")(grad, *arrays, **settings(name, options))


def assert_equal(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, **CLOSE)


def assert_gradients(name, batch, **options):
    arrays, grad = arguments(name, batch), grad_out(name, batch)
    assert_equal(by_hand(name, grad, arrays, **options), by_autograd(name, grad, arrays, **options))


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("masked", [False, True])
@every_form
def test_they_are_those_of_autograd(name, masked, batch):
    assert_gradients(name, batch, mask=mask(batch) if masked else None)


def test_bias_and_scale_have_their_part():
    assert_gradients(DOT, (2,), bias=scores((2,)), scale=0.3, mask=mask((2,)))


STEPS = {
    "softmax": lambda batch: [scores(batch)],
    "weighted_sum": lambda batch: [reference.softmax(scores(batch)), queries_keys_values(batch)[2]],
    "dot_product_scores": lambda batch: queries_keys_values(batch)[:2],
}


@pytest.mark.parametrize("batch", BATCHES)
def test_each_step_is_that_of_autograd(batch):
    for name, arrays in STEPS.items():
        arrays = arrays(batch)
        function = getattr(pytorch, name)
        shape = getattr(reference, name)(*arrays).shape
        grad = np.random.default_rng(9).standard_normal(shape)
        given = [reference.softmax(*arrays)] if name == "softmax" else arrays
        found = by_hand(name, grad, given)
        found = [found] if name == "softmax" else found
        assert_equal(found, slopes_of(function, grad, arrays))


@pytest.mark.parametrize("masked", [False, True])
def test_as_many_queries_as_keys_are_not_taken_for_each_other(masked):
    """A square matrix of weights has the shape of its transpose."""
    k, v = queries_keys_values()[1:]
    q, grad = k[::-1] + 0.5, np.random.default_rng(9).standard_normal(v.shape)
    options = {"mask": np.tri(N_K, dtype=bool)} if masked else {}
    assert_equal(
        by_hand(DOT, grad, [q, k, v], **options), by_autograd(DOT, grad, [q, k, v], **options)
    )


@pytest.mark.parametrize("batch", BATCHES)
def test_a_matrix_is_shared_by_the_batch(batch):
    x, (w,) = queries_keys_values(batch)[0], matrices(np.float64, (D_K, D_OUT))
    grad = grad_out(HEADS, batch)
    assert_equal(by_hand("linear", grad, [x, w]), slopes_of(torch.matmul, grad, [x, w]))


def test_each_step_by_itself_keeps_out_what_is_hidden():
    (q, k, v), shown = queries_keys_values(), mask()
    weights, grad, grad_scores = reference.softmax(scores(), shown), grad_out(DOT), scores(())
    shown[:, 1], weights[:, 1] = False, 0
    clean = (
        gradients.weighted_sum_backward(grad, weights, v, shown),
        gradients.dot_product_scores_backward(grad_scores, q, k, mask=shown),
    )
    k[1] = v[1] = grad_scores[:, 1] = grad[0] = np.nan
    dirty = (
        gradients.weighted_sum_backward(grad, weights, v, shown),
        gradients.dot_product_scores_backward(grad_scores, q, k, mask=shown),
    )
    for a, b in zip(clean, dirty, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    assert not np.any(clean[0][0][~shown])
    hidden = gradients.softmax_backward(grad_scores, weights, shown)
    assert np.all(np.isfinite(hidden)) and not np.any(hidden[~shown])


@pytest.mark.parametrize("shape", [(1, N_K), (N_Q, 1), (1, 1), (1, N_Q, N_K), (2, 1, N_K)])
@every_form
def test_an_axis_of_a_mask_may_be_1(name, shape):
    shown = np.random.default_rng(4).random(shape) < 2 / 3
    assert_gradients(name, (2,), mask=shown)


def test_the_dot_product_is_that_of_pytorchs_own_function():
    arrays, grad, shown = queries_keys_values((2, 3)), grad_out(DOT, (2, 3)), mask((2, 3))
    shown[..., 0, 2] = True  # no row is empty
    options = {"attn_mask": torch.from_numpy(shown)}
    theirs = torch.nn.functional.scaled_dot_product_attention
    expected = slopes_of(lambda *x: theirs(*x, **options), grad, arrays)
    assert_equal(by_hand(DOT, grad, arrays, mask=shown), expected)


@every_form
def test_they_are_the_slopes_of_the_loss(name):
    """Differences err by h² f'''/6 and eps f/h: for h = 1e-5 and numbers near 1 by about 1e-10."""
    arrays, grad, shown = arguments(name), grad_out(name), mask(())

    def loss():
        return np.sum(grad * getattr(reference, name)(*arrays, **settings(name, {"mask": shown})))

    for x, found in zip(arrays, by_hand(name, grad, arrays, mask=shown), strict=True):
        slopes = np.empty_like(x)
        for at in np.ndindex(x.shape):
            kept, ends = x[at], []
            for step in (1e-5, -1e-5):
                x[at] = kept + step
                ends.append(loss())
            x[at] = kept
            slopes[at] = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose(found, slopes, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("junk", [np.nan, np.inf, 3e38, 1e300])
@every_form
def test_what_is_hidden_is_in_no_gradient(name, junk):
    arrays, grad, shown = arguments(name), grad_out(name), mask(())
    shown[:, 1] = False
    clean = by_hand(name, grad, arrays, mask=shown)
    arrays[1][1] = arrays[2][1] = junk
    dirty = by_hand(name, grad, arrays, mask=shown)
    for a, b in zip(clean, dirty, strict=True):
        assert np.array_equal(a, b)
    assert not np.any(dirty[1][1]) and not np.any(dirty[2][1])


@pytest.mark.parametrize("junk", [0, np.nan, np.inf])
@every_form
def test_an_empty_row_has_gradient_0(name, junk):
    """Query 1 sees nothing; what it holds has no part in the gradient of a parameter either."""
    arrays, shown = arguments(name), np.ones((N_Q, N_K), bool)
    shown[1] = False
    clean = by_hand(name, grad_out(name), arrays, mask=shown)
    arrays[0][1] = junk
    found = by_hand(name, grad_out(name), arrays, mask=shown)
    assert not np.any(found[0][1]) and np.any(found[0][0])
    assert all(np.array_equal(a, b) for a, b in zip(clean, found, strict=True))


@pytest.mark.parametrize("name", [DOT, ADDITIVE])
def test_what_arrives_at_an_empty_row_is_in_no_gradient(name):
    arrays, grad, shown = arguments(name), grad_out(name), np.ones((N_Q, N_K), bool)
    shown[1] = False
    clean = by_hand(name, grad, arrays, mask=shown)
    grad[1] = np.nan
    found = by_hand(name, grad, arrays, mask=shown)
    assert all(np.array_equal(a, b) for a, b in zip(clean, found, strict=True))


@every_form
def test_where_nothing_is_visible_nothing_learns(name):
    shown = np.zeros((N_Q, N_K), bool)
    assert not any(map(np.any, by_hand(name, grad_out(name), arguments(name), mask=shown)))


def test_a_parameter_is_summed_over_the_batch():
    for name in (ADDITIVE, HEADS):
        arrays, grad = arguments(name, (2,)), grad_out(name, (2,))
        parts = [by_hand(name, grad[b], [*(x[b] for x in arrays[:3]), *arrays[3:]]) for b in (0, 1)]
        summed = [a + b for a, b in zip(*parts, strict=True)][3:]
        assert_equal(by_hand(name, grad, arrays)[3:], summed)


@every_form
def test_no_argument_is_changed(name):
    arrays, grad, shown = arguments(name), grad_out(name), mask(())
    for x in (*arrays, grad, shown):
        x.setflags(write=False)
    by_hand(name, grad, arrays, mask=shown)


def mask_of_heads(batch=()):
    """A mask for each head; the first of them hides key 1 from all."""
    shown = mask((*batch, N_HEADS))
    shown[..., 0, :, 1] = False
    return shown


@pytest.mark.parametrize("batch", BATCHES)
def test_each_head_may_have_a_mask_of_its_own(batch):
    assert_gradients(HEADS, batch, mask=mask_of_heads(batch))


def grouped(batch=(), n_kv_heads=2):
    """Four heads of queries that share heads of keys and values."""
    shapes = (D_K, D_MODEL), (D_K, 2 * n_kv_heads), (D_V, 2 * n_kv_heads), (D_MODEL, D_OUT)
    return [*queries_keys_values(batch), *matrices(np.float64, *shapes)]


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_shared_heads_of_keys_collect_from_all_that_read_them(n_kv_heads, batch):
    arrays, grad, shown = grouped(batch, n_kv_heads), grad_out(HEADS, batch), mask((*batch, 4))
    settings = {"n_heads": 4, "n_kv_heads": n_kv_heads}
    found = gradients.multi_head_attention_backward(grad, *arrays, mask=shown, **settings)
    settings["mask"] = torch.from_numpy(shown)
    theirs = pytorch.multi_head_attention
    assert_equal(found, slopes_of(lambda *x: theirs(*x, **settings), grad, arrays))


@pytest.mark.parametrize("batch", BATCHES)
def test_the_gradient_of_a_repeated_head_is_the_sum_over_its_copies(batch):
    x = np.random.default_rng(7).standard_normal((*batch, 2, N_K, D_K))
    grad = np.random.default_rng(8).standard_normal((*batch, 6, N_K, D_K))
    found = gradients.repeat_heads_backward(grad, 3)
    assert_equal([found], slopes_of(lambda x: x.repeat_interleave(3, dim=-3), grad, [x]))


def test_heads_are_those_of_pytorchs_own_layer():
    """`nn.MultiheadAttention`, with our matrices, knows nothing of our functions."""
    q, k, v = queries_keys_values((2,))
    wide = [np.random.default_rng(5).standard_normal((*q.shape[:-1], D_MODEL)), k, v]
    shapes = (D_MODEL, D_MODEL), (D_K, D_MODEL), (D_V, D_MODEL), (D_MODEL, D_MODEL)
    weights = matrices(np.float64, *shapes)
    shown = mask()[1:2] | np.eye(N_Q, N_K, dtype=bool)  # no row is empty: theirs would be NaN
    hidden = torch.from_numpy(~shown)
    layer = torch.nn.MultiheadAttention(
        D_MODEL, N_HEADS, bias=False, kdim=D_K, vdim=D_V, batch_first=True, dtype=torch.float64
    )
    names = "q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"

    def theirs(q, k, v, *weights):
        state = {name: w.T for name, w in zip(names, weights, strict=True)}
        call = {"attn_mask": hidden, "need_weights": False}
        return torch.func.functional_call(layer, state, (q, k, v), call)[0]

    grad = np.random.default_rng(9).standard_normal((2, N_Q, D_MODEL))
    found = gradients.multi_head_attention_backward(grad, *wide, *weights, N_HEADS, shown)
    assert_equal(found, slopes_of(theirs, grad, [*wide, *weights]))


def turned(x, places=PLACES):
    """RoPE in complex numbers, in PyTorch: pair (a, b) as a + ib, times e^(iφ)."""
    angles = torch.from_numpy(places[..., None] * THETA)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_rope_is_turned_back(batch, dtype):
    _, x, _ = queries_keys_values(batch)
    grad = np.random.default_rng(9).standard_normal(x.shape)
    found = gradients.rope_backward(grad, PLACES.astype(dtype), THETA)
    assert_equal([found], slopes_of(turned, grad, [x]))


def test_rope_in_halves_leaves_the_other_features():
    """Two pairs of six features: with one pair, halves would be neighbours."""
    _, _, x = queries_keys_values()
    grad = np.random.default_rng(9).standard_normal(x.shape)
    found = gradients.rope_backward(grad, PLACES, THETA, "halves")
    there = positions.rope(found, PLACES, THETA, "halves")
    assert_equal([there, found[:, 4:]], [grad, grad[:, 4:]])
    # The gradient of <grad, R x> is Rᵀ grad: both have the same product with any x.
    turned = positions.rope(x, PLACES, THETA, "halves")
    assert np.isclose(np.sum(found * x), np.sum(grad * turned))


def test_wrong_shapes_are_named():
    arrays = arguments(HEADS)
    with pytest.raises(TypeError, match="multi_head_attention_backward: q is "):
        by_hand(HEADS, grad_out(HEADS)[:2], arrays)
    with pytest.raises(
        ValueError, match="multi_head_attention_backward: n_heads is 3; expected a divisor"
    ):
        gradients.multi_head_attention_backward(grad_out(HEADS), *arrays, 3)
    name = "^multi_head_attention_backward: "
    with pytest.raises(ValueError, match=name + "n_kv_heads is 3; expected a divisor of n_heads"):
        gradients.multi_head_attention_backward(grad_out(HEADS), *grouped(), 4, n_kv_heads=3)
    with pytest.raises(ValueError, match=name + "w_k and w_v have 4 columns; expected n_kv_heads"):
        gradients.multi_head_attention_backward(grad_out(HEADS), *grouped(), 4, n_kv_heads=4)
    for times in (2, 0, -1):
        with pytest.raises(
            ValueError, match=f"times is {times}; expected a divisor of n_heads = 3"
        ):
            gradients.repeat_heads_backward(np.ones((3, 2, 1)), times)
    with pytest.raises(TypeError, match="rope_backward: positions is "):
        gradients.rope_backward(arrays[1], PLACES + 0.5, THETA)
