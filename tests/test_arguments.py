"""What goes into each function of NumPy, what comes out, and how it refuses the rest."""

import inspect
import re
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from draw import BATCHES, D_K, D_V, N_K, N_Q, mask, matrices, queries_keys_values, scores

from attnbook import gradients, linear, masks, online, positions, reference, tiled
from attnbook.arguments import describe

MODULES = reference, gradients, linear, online, positions, tiled

# The arrays that each function of `reference` takes, for any batch axes and dtype.
ARRAYS = {
    "logsumexp": lambda batch, dtype: [scores(batch, dtype)],
    "softmax": lambda batch, dtype: [scores(batch, dtype)],
    "masked_softmax": lambda batch, dtype: [scores((1, *batch), dtype)],
    "gaussian_scores": lambda batch, dtype: queries_keys_values(batch, dtype)[:2],
    "dot_product_scores": lambda batch, dtype: queries_keys_values(batch, dtype)[:2],
    "softcap": lambda batch, dtype: [scores(batch, dtype)],
    "weighted_sum": lambda batch, dtype: [
        scores(batch, dtype),
        queries_keys_values(batch, dtype)[2],
    ],
    "scaled_dot_product_attention": queries_keys_values,
    "bilinear_scores": lambda batch, dtype: [
        *queries_keys_values(batch, dtype)[:2],
        *matrices(dtype, (D_K, D_K)),
    ],
    "additive_scores": lambda batch, dtype: [
        *queries_keys_values(batch, dtype)[:2],
        *matrices(dtype, (D_K, 7), (D_K, 7), (7,)),
    ],
    "additive_attention": lambda batch, dtype: [
        *queries_keys_values(batch, dtype),
        *matrices(dtype, (D_K, 7), (D_K, 7), (7,)),
    ],
    "split_heads": lambda batch, dtype: queries_keys_values(batch, dtype)[2:],
    "merge_heads": lambda batch, dtype: queries_keys_values((*batch, 2), dtype)[2:],
    "repeat_heads": lambda batch, dtype: queries_keys_values((*batch, 2), dtype)[2:],
    "multi_head_attention": lambda batch, dtype: [
        *queries_keys_values(batch, dtype),
        *matrices(dtype, (D_K, 8), (D_K, 8), (D_V, 8), (8, 7)),
    ],
}
OTHER_ARGUMENTS = {
    "softcap": {"cap": 5},
    "split_heads": {"n_heads": 2},
    "repeat_heads": {"times": 3},
    "multi_head_attention": {"n_heads": 2},
}
SHAPES = {
    "logsumexp": lambda batch: (*batch, N_Q),
    "masked_softmax": lambda batch: (1, *batch, N_Q, N_K),
    "weighted_sum": lambda batch: (*batch, N_Q, D_V),
    "scaled_dot_product_attention": lambda batch: (*batch, N_Q, D_V),
    "additive_attention": lambda batch: (*batch, N_Q, D_V),
    "split_heads": lambda batch: (*batch, 2, N_K, D_V // 2),
    "merge_heads": lambda batch: (*batch, N_K, 2 * D_V),
    "repeat_heads": lambda batch: (*batch, 6, N_K, D_V),
    "multi_head_attention": lambda batch: (*batch, N_Q, 7),
}
PLACES, THETA = np.arange(N_K), positions.frequencies(D_K)
Q, K, V = queries_keys_values((2,))
WEIGHTS = reference.softmax(scores((2,)))
GRAD = np.random.default_rng(9).standard_normal((2, N_Q, D_V))
HIDDEN = matrices(np.float64, (D_K, 7), (D_K, 7), (7,))
SHARED = matrices(np.float64, (D_K, 8), (D_K, 4), (D_V, 4), (8, D_V))
STATE = np.random.default_rng(8).standard_normal((2, D_K, D_V))
SEEN = online.attention_with_lse(Q, K, V)
TILED = GRAD, Q, K, V, *SEEN

# The arrays of real numbers that every operation takes, and its other arguments.
CALLS = {
    name: (arrays((2,), np.float64), OTHER_ARGUMENTS.get(name, {}))
    for name, arrays in ARRAYS.items()
} | {
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
ONES = "shape (3, 5), where any axis may be 1"
every_operation = pytest.mark.parametrize("name", CALLS)


def operation(name):
    return next(getattr(module, name) for module in MODULES if hasattr(module, name))


def results(name, arrays, function=None, **more):
    """What an operation returns, as a tuple of arrays."""
    out = (function or operation(name))(*arrays, **CALLS[name][1] | more)
    return out if isinstance(out, tuple) else (out,)


def assert_same(found, expected, dtype):
    assert [x.shape for x in found] == [x.shape for x in expected]
    for ours, right in zip(found, expected, strict=True):
        assert ours.dtype == dtype and np.array_equal(ours, right.astype(dtype))


def refusal(function, *arguments, error=TypeError, **more):
    """The sentence with which a function refuses: one line."""
    with pytest.raises(error) as caught:
        function(*arguments, **more)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_every_operation_is_in_the_table():
    public = {
        name
        for module in MODULES
        for name, function in vars(module).items()
        if "Real[" in str(getattr(function, "__annotations__", ""))
    }
    assert public == set(CALLS)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("batch", BATCHES)
def test_any_number_of_batch_axes_stays_in_front(name, batch):
    (out,) = results(name, ARRAYS[name](batch, np.float64))
    assert out.shape == SHAPES.get(name, lambda batch: (*batch, N_Q, N_K))(batch)


def computes_float16_in_float32(name, function=None):
    half = [x.astype(np.float16) for x in CALLS[name][0]]
    exact = results(name, [x.astype(np.float32) for x in half])
    assert {x.dtype for x in exact} == {np.dtype(np.float32)}
    assert_same(results(name, half, function), exact, np.float16)


def computes_integers_in_float64(name, function=None, kind=np.uint8):
    whole = [np.abs(2 * x).astype(kind) for x in CALLS[name][0]]
    exact = results(name, [x.astype(np.float64) for x in whole])
    assert {x.dtype for x in exact} == {np.dtype(np.float64)}
    assert_same(results(name, whole, function), exact, np.float64)


@every_operation
def test_float16_is_computed_in_float32_and_rounded_once(name):
    computes_float16_in_float32(name)


@every_operation
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_integers_are_taken_as_float64(name, kind):
    computes_integers_in_float64(name, kind=kind)


EXACT = {"masked_softmax", "dot_product_scores"}  # by `softmax`, or by NumPy, whatever comes


@pytest.mark.parametrize("name", [name for name in CALLS if name not in EXACT])
def test_a_function_that_takes_its_arguments_as_they_come_is_rejected(name):
    """The same function without its decorator fails one claim at least."""
    failures = 0
    for claim in (computes_float16_in_float32, computes_integers_in_float64):
        with np.errstate(all="ignore"):
            try:
                claim(name, operation(name).__wrapped__)
            except (AssertionError, TypeError, OverflowError):
                failures += 1
    assert failures


def test_mixed_dtypes_meet_in_the_wider_one():
    q, k, v = queries_keys_values()
    attend = reference.scaled_dot_product_attention
    half, single = np.float16, np.float32
    assert attend(q.astype(half), k.astype(single), v.astype(half)).dtype == single
    assert attend(q.astype(single), k.astype(single), v).dtype == np.float64
    narrow = [x.astype(single) for x in (q, k, v)]
    assert attend(*narrow, bias=scores()).dtype == single
    exact = attend(*(x.astype(np.float64) for x in narrow), bias=scores())
    assert (attend(*narrow, bias=scores()) == exact.astype(single)).all()


@pytest.mark.parametrize(
    "name", [name for name in CALLS if "scale" in inspect.signature(operation(name)).parameters]
)
@pytest.mark.parametrize("scale", [Fraction(3, 7), np.float64(3 / 7)], ids=str)
def test_a_scale_is_any_number_and_widens_nothing(name, scale):
    arrays = [x.astype(np.float32) for x in CALLS[name][0]]
    expected = results(name, arrays, scale=3 / 7)
    assert_same(results(name, arrays, scale=scale), expected, np.float32)


def first_parameter(name):
    return next(iter(inspect.signature(operation(name)).parameters))


@every_operation
@pytest.mark.parametrize("kind", [complex, object, str, bool, np.longdouble, ml_dtypes.bfloat16])
def test_other_dtypes_are_refused_by_name(name, kind):
    wrong, *others = CALLS[name][0]
    wrong = wrong.astype(kind)
    sentence = refusal(results, name, [wrong, *others])
    start = f"{name}: {first_parameter(name)} is {wrong.dtype} array of shape {wrong.shape}"
    assert sentence.startswith(start)
    assert re.search(r"; expected real array of shape \(.+\)$", sentence)


@every_operation
def test_lists_are_refused(name):
    wrong, *others = CALLS[name][0]
    sentence = refusal(results, name, [wrong.tolist(), *others])
    assert f"{name}: " in sentence and " is list [[" in sentence


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
    assert refusal(operation(name), *given).startswith(f"{name}: {first_parameter(name)} is ")


@pytest.mark.parametrize("kind", [np.ma.MaskedArray, np.matrix])
def test_an_array_of_another_kind_is_refused_wherever_it_comes_in(kind):
    x = np.ones((3, 4))
    for call in (
        lambda q: reference.gaussian_scores(q, x),
        lambda q: reference.scaled_dot_product_attention(x, x, v=q),
        lambda q: tiled.attention_tiled(q, x, x),
        lambda q: linear.recurrent(q, x, x),
        lambda q: reference.split_heads(q, 2),
        lambda q: masks.document_mask(np.arange(3), q[0].astype(int)),
    ):
        call(x)
        sentence = refusal(call, x.view(kind))
        assert re.search(rf" is a {kind.__name__} of shape .*; expected a plain array", sentence)


def test_a_file_in_memory_is_an_array_as_any_other(tmp_path):
    x = np.memmap(tmp_path / "x", mode="w+", shape=(3, 4))
    assert reference.gaussian_scores(x, x).shape == (3, 3)


def test_a_long_value_is_cut_and_an_empty_one_has_no_entries():
    assert describe("x" * 200) == "str '" + "x" * 77 + " …"
    assert describe("word " * 200) == "str '" + "word " * 15 + "…"
    sentence = refusal(reference.dot_product_scores, np.ones((3, 4)), np.ones(0))
    assert "k is float64 array of shape (0,); expected" in sentence


def test_a_shape_is_written_for_a_reader():
    sentence = refusal(reference.softmax, np.ones((2, 3)), np.ones((2, 3)))
    assert sentence.endswith("expected bool array of shape (2, 3), where any axis may be 1")


@pytest.mark.parametrize(
    "call",
    [
        lambda q, v, scale: gradients.dot_product_scores_backward(np.ones((3, 3)), q, q, scale),
        lambda q, v, scale: linear.recurrent(q, q, v, scale=scale),
        lambda q, v, scale: linear.parallel(q, q, v, scale=scale),
        lambda q, v, scale: linear.chunked(q, q, v, scale=scale),
        lambda q, v, scale: linear.bidirectional(q, q, v, scale=scale),
    ],
)
def test_without_width_there_is_no_scale_unless_one_is_given(call):
    """Of the functions that compute it themselves; the others ask `dot_product_scores`."""
    q, v = np.ones((3, 0)), np.ones((3, 2))
    call(q, v, 1.0)
    said = refusal(call, q, v, None, error=ValueError)
    assert "q has width d_k = 0; expected 1 or more" in said


@pytest.mark.parametrize(
    ("argument", "wrong", "said"),
    [
        (
            "q",
            np.ones(4),
            "float64 array of shape (4,) [1.0, 1.0, 1.0, 1.0]; expected shape (..., n_q, d_k)",
        ),
        ("k", np.ones((N_K, 9)), "float64 array of shape (5, 9); expected shape (n_k, 4)"),
        ("v", np.ones((9, D_V)), "float64 array of shape (9, 6); expected shape (5, d_v)"),
        ("k", np.ones((2, N_K, 4)), "float64 array of shape (2, 5, 4); expected shape (n_k, 4)"),
        (
            "mask",
            np.ones((N_Q, N_K)),
            f"float64 array of shape (3, 5); expected bool array of {ONES}",
        ),
        (
            "bias",
            np.ones((N_Q, N_K), bool),
            f"bool array of shape (3, 5); expected real array of {ONES}",
        ),
        ("bias", np.ones((2, N_Q, N_K)), f"float64 array of shape (2, 3, 5); expected {ONES}"),
        ("scale", "0.5", "str '0.5'; expected a number"),
        ("scale", np.ones(1), "float64 array of shape (1,) [1.0]; expected a number"),
        ("scale", 1j, "complex 1j; expected a number"),
    ],
)
def test_a_wrong_argument_of_attention_is_named_with_what_it_was(argument, wrong, said):
    arguments = dict(zip("qkv", queries_keys_values(), strict=True)) | {argument: wrong}
    sentence = refusal(reference.scaled_dot_product_attention, **arguments)
    assert sentence == f"scaled_dot_product_attention: {argument} is {said}"


@pytest.mark.parametrize("shape", [(N_K, N_Q), (2, N_Q, N_K), (N_K,), (N_Q, 2)], ids=str)
def test_a_mask_that_fits_nowhere_is_refused_by_the_shapes_that_would_fit(shape):
    sentence = refusal(
        reference.scaled_dot_product_attention, *queries_keys_values(), np.ones(shape, bool)
    )
    assert sentence == (
        f"scaled_dot_product_attention: mask is bool array of shape {shape}; "
        "expected shape (3, 5), where any axis may be 1"
    )


@pytest.mark.parametrize(
    ("lens", "error", "said"),
    [
        (np.array([-1, 3]), ValueError, "valid_lens has -1; expected 0 to n_k = 5"),
        (np.array([2, 6]), ValueError, "valid_lens has 6; expected 0 to n_k = 5"),
        (np.array([[1, 2, 7], [1, 2, 3]]), ValueError, "valid_lens has 7"),
        (np.array([2.0, 3.5]), TypeError, "valid_lens is float64 array of shape (2,) [2.0, 3.5]"),
        (np.array([1, 2, 3]), TypeError, "valid_lens is int64 array of shape (3,) [1, 2, 3]"),
        (np.array([[1, 2]]), TypeError, "valid_lens is int64 array of shape (1, 2) [[1, 2]]"),
        (np.array([[1], [2]]), TypeError, "valid_lens is int64 array of shape (2, 1) [[1], [2]]"),
        (np.array([True, False]), TypeError, "valid_lens is bool array of shape (2,)"),
        (np.array(2), TypeError, "valid_lens is int64 array of shape () 2"),
        (2, TypeError, "valid_lens is int 2"),
        ([2, 3], TypeError, "valid_lens is list [2, 3]"),
    ],
)
def test_masked_softmax_refuses_wrong_lengths_by_their_value(lens, error, said):
    sentence = refusal(reference.masked_softmax, scores((2,)), lens, error=error)
    assert said in sentence and "expected" in sentence


def test_masked_softmax_refuses_scores_without_a_batch_axis():
    sentence = refusal(reference.masked_softmax, scores())
    assert sentence.startswith("masked_softmax: scores is float64 array of shape (3, 5); expected")


@pytest.mark.parametrize("lens", [[0, 5], [5, 5], [0, 0]])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_masked_softmax_takes_every_length_from_none_to_all(lens, dtype):
    weights = reference.masked_softmax(scores((2,)), np.array(lens, dtype))
    assert ((weights > 0).sum(axis=-1) == np.array(lens)[:, None]).all()


@pytest.mark.parametrize("width", [0, -1, np.nan, -np.inf])
def test_a_kernel_width_that_is_not_positive_is_refused(width):
    q, k, _ = queries_keys_values()
    sentence = refusal(reference.gaussian_scores, q, k, width, error=ValueError)
    assert sentence == f"gaussian_scores: width is {width}; expected a number above 0"


@pytest.mark.parametrize("cap", [0, -1.5, np.nan, np.inf])
def test_a_cap_that_is_not_positive_and_finite_is_refused(cap):
    sentence = refusal(reference.softcap, scores(), cap, error=ValueError)
    assert sentence == f"softcap: cap is {cap}; expected a finite number above 0"


@every_operation
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_arguments_may_be_read_only_and_hold_any_number_without_a_warning(name, special):
    """The first one holds no other: whole rows of it, and of what is computed from them."""
    first, *others = (x.copy() for x in CALLS[name][0])
    first[:] = special
    for x in (first, *others):
        x.flat[0] = special
        x.setflags(write=False)
    results(name, [first, *others])


def test_neither_masked_scores_nor_their_mask_are_changed():
    s, m = scores(), mask()
    for x in (s, m):
        x.setflags(write=False)
    reference.softmax(s, m)
    reference.logsumexp(s, m)
    reference.masked_softmax(s[None], np.array([2]))
