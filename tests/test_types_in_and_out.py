"""What goes into the operations of Part I's later modules, and what comes out: dtypes and shapes.

The same claims as `test_arguments` makes of `attnbook.reference`.
"""

import inspect
from fractions import Fraction

import numpy as np
import pytest
from draw import D_K, D_V, N_K, N_Q, matrices, queries_keys_values, scores
from test_arguments import refusal

from attnbook import gradients, linear, online, positions, reference

MODULES = gradients, linear, online, positions
PLACES, THETA = np.arange(N_K), positions.frequencies(D_K)
Q, K, V = queries_keys_values((2,))
WEIGHTS = reference.softmax(scores((2,)))
GRAD = np.random.default_rng(9).standard_normal((2, N_Q, D_V))
HIDDEN = matrices(np.float64, (D_K, 7), (D_K, 7), (7,))
SHARED = matrices(np.float64, (D_K, 8), (D_K, 4), (D_V, 4), (8, D_V))
STATE = np.random.default_rng(8).standard_normal((2, D_K, D_V))
SEEN = online.attention_with_lse(Q, K, V)
TILED = GRAD, Q, K, V, *SEEN

# The arrays of real numbers that each operation takes, and its other arguments.
CALLS = {
    "linear_backward": ((GRAD, Q, matrices(np.float64, (D_K, D_V))[0]), {}),
    "softmax_backward": ((scores((2,)), WEIGHTS), {}),
    "weighted_sum_backward": ((GRAD, WEIGHTS, V), {}),
    "dot_product_scores_backward": ((scores((2,)), Q, K), {"scale": 0.3}),
    "scaled_dot_product_attention_backward": ((GRAD, Q, K, V), {}),
    "additive_attention_backward": ((GRAD, Q, K, V, *HIDDEN), {}),
    "repeat_heads_backward": ((np.stack([GRAD, -2 * GRAD, GRAD / 3, GRAD], axis=1),), {"times": 2}),
    "multi_head_attention_backward": ((GRAD, Q, K, V, *SHARED), {"n_heads": 4, "n_kv_heads": 2}),
    "rope_backward": ((K,), {"positions": PLACES, "frequencies": THETA}),
    "attention_with_lse": ((Q, K, V), {}),
    "merge": ((*SEEN, SEEN[0][::-1], SEEN[1][::-1]), {}),
    "attention_blockwise": ((Q, K, V), {"block": 2}),
    "attention_blockwise_backward": (TILED, {"block": 2}),
    "attention_tiled": ((Q, K, V), {}),
    "causal_attention_tiled": ((Q, K, V), {}),
    "sliding_window_attention_tiled": ((Q, K, V), {"left": 2}),
    "padded_attention_tiled": ((Q, K, V), {"valid_lens": np.array([3, 5])}),
    "attention_tiled_backward": (TILED, {}),
    "read": ((Q[:, 0], STATE), {}),
    "update": ((STATE, K[:, 0], V[:, 0], -np.abs(K[:, 1])), {}),
    "recurrent": ((K, K[::-1], V, -np.abs(K)), {"scale": None}),
    "parallel": ((K, K[::-1], V, -np.abs(K)), {"scale": None}),
    "chunked": ((K, K[::-1], V, -np.abs(K)), {"scale": None, "chunk": 2}),
    "bidirectional": ((Q, K, V), {"scale": None}),
    "elu_plus_one": ((K,), {}),
    "normalised": ((K, K[::-1], V), {"chunk": 2}),
    "normalised_bidirectional": ((Q, K, V), {}),
    "rope": ((K,), {"positions": PLACES, "frequencies": THETA}),
    "rotate": ((K, np.cos(K[..., :2]), np.sin(K[..., :2])), {}),
    "halves_from_neighbours": ((K,), {}),
    "neighbours_from_halves": ((K,), {}),
}
every_operation = pytest.mark.parametrize("name", CALLS)


def operation(name):
    return next(getattr(module, name) for module in MODULES if hasattr(module, name))


def called(function, arrays, more):
    out = function(*arrays, **more)
    return out if isinstance(out, tuple) else (out,)


def assert_same(found, expected, dtype):
    assert [x.shape for x in found] == [x.shape for x in expected]
    for ours, right in zip(found, expected, strict=True):
        assert ours.dtype == dtype and np.array_equal(ours, right.astype(dtype))


def float16_is_rounded_once(function, name):
    arrays, more = CALLS[name]
    half = [x.astype(np.float16) for x in arrays]
    exact = called(operation(name), [x.astype(np.float32) for x in half], more)
    assert {x.dtype for x in exact} == {np.dtype(np.float32)}
    assert_same(called(function, half, more), exact, np.float16)


def integers_are_float64(function, name):
    arrays, more = CALLS[name]
    whole = [np.abs(2 * x).astype(np.uint8) for x in arrays]
    exact = called(operation(name), [x.astype(np.float64) for x in whole], more)
    assert_same(called(function, whole, more), exact, np.float64)


def test_every_operation_is_in_the_table():
    public = {
        name
        for module in MODULES
        for name, function in vars(module).items()
        if "Real[" in str(getattr(function, "__annotations__", ""))
    }
    assert public - set(reference.__dict__) == set(CALLS)


@every_operation
def test_float16_is_computed_in_float32_and_rounded_once(name):
    float16_is_rounded_once(operation(name), name)


@every_operation
def test_integers_are_taken_as_float64(name):
    integers_are_float64(operation(name), name)


@every_operation
def test_arguments_may_be_read_only_and_warnings_are_none(name):
    arrays, more = CALLS[name]
    arrays = [x.copy() for x in arrays]
    for x in arrays:
        x.flat[0] = np.inf
        x.setflags(write=False)
    called(operation(name), arrays, more)


@every_operation
def test_other_dtypes_are_refused_by_name(name):
    arrays, more = CALLS[name]
    sentence = refusal(operation(name), arrays[0].astype(complex), *arrays[1:], **more)
    assert sentence.startswith(f"{name}: ") and "is complex128 array" in sentence


@pytest.mark.parametrize(
    "name", [name for name in CALLS if "scale" in inspect.signature(operation(name)).parameters]
)
@pytest.mark.parametrize("scale", [Fraction(3, 7), np.float64(3 / 7)], ids=str)
def test_a_scale_is_any_number_and_widens_nothing(name, scale):
    arrays, more = CALLS[name]
    arrays = [x.astype(np.float32) for x in arrays]
    expected = called(operation(name), arrays, more | {"scale": 3 / 7})
    assert_same(called(operation(name), arrays, more | {"scale": scale}), expected, np.float32)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("frequencies", (4.0,)),
        ("stretched", (THETA.tolist(), 2, "ntk")),
        ("sinusoidal", (PLACES + 0.5, 4)),
        ("alibi_bias", (2.0, 3, 3)),
        ("visible_blocks", (np.ones((2, 2)), 1, 1)),
    ],
)
def test_a_wrong_type_is_refused_by_name(name, given):
    first = next(iter(inspect.signature(operation(name)).parameters))
    assert refusal(operation(name), *given).startswith(f"{name}: {first} is ")


@every_operation
def test_a_function_that_takes_its_arguments_as_they_come_is_rejected(name):
    """The same function without its decorator fails one claim at least."""
    failures = 0
    for claim in (float16_is_rounded_once, integers_are_float64):
        with np.errstate(all="ignore"):
            try:
                claim(operation(name).__wrapped__, name)
            except (AssertionError, TypeError, OverflowError):
                failures += 1
    assert failures
