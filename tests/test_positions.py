"""Where something stands: the encodings are their equations, and a score sees distances only.

Each test runs on the functions of NumPy and on their twins in PyTorch.
"""

from fractions import Fraction

import numpy as np
import pytest
from both_positions import BOTH
from draw import BATCHES, assert_close
from onnx.backend.test.case.node import _NodeTestCases as collected
from onnx.backend.test.case.node import rotaryembedding as _cases  # noqa: F401  (fills it)
from onnx.helper import get_attribute_value

from attnbook.masks import causal_mask
from attnbook.positions import METHODS, PAIRINGS
from attnbook.reference import scaled_dot_product_attention, softmax

N, WIDTH = 5, 8
PLACES = np.arange(N)
THETA = 10000.0 ** (-np.arange(0, WIDTH, 2) / WIDTH)
EPS = np.finfo(np.float64).eps
CASES = {
    case.name: case
    for case in collected
    if case.name.startswith("test_rotary_embedding") and "_expanded" not in case.name
}
both = pytest.mark.parametrize("library", BOTH.values(), ids=BOTH)


def rows(batch=(), seed=0):
    return np.random.default_rng(seed).standard_normal((*batch, N, WIDTH))


def turned_as_complex_numbers(x, places, theta):
    """Pair (a, b) as a + ib, times e^(iφ)."""
    pairs = x[..., 0::2] + 1j * x[..., 1::2]
    turned = pairs * np.exp(1j * places[..., None] * theta)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def rotary_embedding(library, inputs, attributes):
    """The operator of ONNX, said in `rotate`."""
    x, cos, sin, *ids = inputs
    x = x if x.ndim == 4 else x.reshape(*x.shape[:2], attributes["num_heads"], -1).swapaxes(1, 2)
    cos, sin = (part[ids[0]] if ids else part for part in (cos, sin))
    pairing = "neighbours" if attributes.get("interleaved") else "halves"
    out = library.rotate(x, cos[:, None], sin[:, None], pairing)
    return out if inputs[0].ndim == 4 else out.swapaxes(1, 2).reshape(inputs[0].shape)


def test_there_are_8_cases():
    assert len(CASES) == 8


@both
@pytest.mark.parametrize("name", CASES)
def test_rotate_is_rotary_embedding_of_onnx(library, name):
    case = CASES[name]
    node = case.model.graph.node[0]
    attributes = {a.name: get_attribute_value(a) for a in node.attribute}
    inputs, outputs = case.data_sets[0]
    assert_close(rotary_embedding(library, inputs, attributes), outputs[0], outputs[0].dtype)


@both
def test_frequencies_are_the_equation_in_loops(library):
    for base in (10000, 500.0, 0.5):
        expected = [float(base) ** (-2 * m / WIDTH) for m in range(WIDTH // 2)]
        assert_close(library.frequencies(WIDTH, base), np.array(expected))
    assert np.array_equal(library.frequencies(2), [1])


@both
@pytest.mark.parametrize("batch", BATCHES)
def test_rope_multiplies_pairs_as_complex_numbers(library, batch):
    x = rows(batch)
    assert_close(library.rope(x, PLACES, THETA), turned_as_complex_numbers(x, PLACES, THETA))


@both
def test_each_sequence_may_have_positions_of_its_own(library):
    x, places = rows((2, 3)), np.array([PLACES, PLACES - 9])
    expected = turned_as_complex_numbers(x, places[:, None], THETA)
    assert_close(library.rope(x, places[:, None], THETA), expected)


def scores(library, x, y, places, pairing="neighbours"):
    q, k = (library.rope(z, places, THETA, pairing) for z in (x, y))
    return q @ k.T


@both
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_a_score_depends_on_the_distance_alone(library, pairing):
    x, y = rows(seed=1), rows(seed=2)
    here, there = (scores(library, x, y, PLACES + start, pairing) for start in (0, 1000))
    # An angle of up to 1004 is a float that may be wrong by eps/2 · 1004, and so is the score.
    np.testing.assert_allclose(here, there, atol=1004 * EPS * np.abs(x @ y.T).max() * WIDTH)
    assert not np.allclose(scores(library, x, y, PLACES), scores(library, x, y, 2 * PLACES))


@both
def test_the_two_pairings_are_one_up_to_the_order_of_features(library):
    x = rows((2,))
    there = library.rope(library.halves_from_neighbours(x), PLACES, THETA, "halves")
    here = library.rope(x, PLACES, THETA, "neighbours")
    assert np.array_equal(there, library.halves_from_neighbours(here))
    assert np.array_equal(library.neighbours_from_halves(there), here)
    assert not np.allclose(here, library.rope(x, PLACES, THETA, "halves"))


@both
def test_halves_turn_feature_m_with_the_one_that_lies_half_the_width_on(library):
    out = library.rope(rows(), PLACES, THETA, "halves")
    for m in range(WIDTH // 2):
        pair = [m, m + WIDTH // 2]
        alone = turned_as_complex_numbers(rows()[:, pair], PLACES, THETA[m : m + 1])
        assert_close(out[:, pair], alone)


@both
def test_rope_keeps_lengths_and_what_is_beyond_its_pairs(library):
    x = rows()
    out = library.rope(x, PLACES, THETA[:3])
    assert_close(np.linalg.norm(out, axis=-1), np.linalg.norm(x, axis=-1))
    assert np.array_equal(out[:, 6:], x[:, 6:]) and np.array_equal(out[0], x[0])


@both
def test_the_dtype_that_goes_in_comes_out_and_angles_keep_theirs(library):
    x, far = rows().astype(np.float32), PLACES + 100_000
    out = library.rope(x, far, THETA)
    assert out.dtype == np.float32
    exact = library.rope(x.astype(np.float64), far, THETA)
    # Rounded once, or as cosine, sine, two products and a sum: float32 angles are off by 0.004.
    np.testing.assert_allclose(out, exact, atol=5 * np.finfo(np.float32).eps * np.abs(x).max())


@both
def test_sinusoidal_is_the_equation_in_loops(library):
    for out, base in (
        (library.sinusoidal(PLACES, WIDTH), 10000),
        (library.sinusoidal(PLACES, WIDTH, 500), 500),
    ):
        for i, m in np.ndindex(N, WIDTH // 2):
            angle = i / base ** (2 * m / WIDTH)
            assert_close(out[i, 2 * m : 2 * m + 2], np.array([np.sin(angle), np.cos(angle)]))


@both
def test_a_step_turns_each_sinusoidal_vector_by_the_same_matrix(library):
    first, second = (library.sinusoidal(PLACES + step, WIDTH) for step in (0, 3))
    pairs = first[:, 0::2] * np.cos(3 * THETA) + first[:, 1::2] * np.sin(3 * THETA)
    assert_close(pairs, second[:, 0::2])


@both
def test_alibi_falls_by_a_slope_for_each_step_back(library):
    bias = library.alibi_bias(8, 2, 4)
    assert bias.shape == (8, 2, 4)
    assert np.array_equal(bias[0], [[-1, -0.5, 0, -0.5], [-1.5, -1, -0.5, 0]])
    assert np.array_equal(bias[7], bias[0] / 2**7)
    assert np.array_equal(library.alibi_bias(1, 1, 2), [[[-1 / 256, 0]]])
    assert library.alibi_bias(np.int8(127), 1, 2).shape == (127, 1, 2), "127 + 1 is no int8"
    assert_close(library.alibi_bias(3, 1, 2)[:, 0, 0], -(2.0 ** (-8 * np.array([1, 2, 3]) / 3)))


@both
def test_under_a_causal_mask_alibi_is_the_position_of_the_key_alone(library):
    slope, mask = 1 / 16, causal_mask(N, N)
    distances = softmax(library.alibi_bias(2, N, N)[0], mask)
    assert_close(distances, softmax(np.tile(slope * PLACES, (N, 1)), mask))


@both
def test_linear_interpolation_squeezes_positions(library):
    x, slow = rows(), library.stretched(THETA, 4, "linear")
    assert_close(library.rope(x, 4 * PLACES, slow), library.rope(x, PLACES, THETA))


@both
def test_ntk_keeps_the_first_pair_and_slows_the_last_by_the_factor(library):
    assert_close(THETA / library.stretched(THETA, 4, "ntk"), 4.0 ** (np.arange(4) / 3))


@both
def test_ntk_is_another_base(library):
    base = 10000 * 4 ** (WIDTH / (WIDTH - 2))
    assert_close(library.stretched(THETA, 4, "ntk"), library.frequencies(WIDTH, base))


@both
@pytest.mark.parametrize("method", METHODS)
def test_a_factor_of_1_changes_nothing(library, method):
    assert_close(library.stretched(THETA, 1, method), THETA)


@both
@pytest.mark.parametrize("kind", [np.float64, Fraction])
@pytest.mark.parametrize("method", METHODS)
def test_numbers_of_any_kind_widen_no_frequency(library, method, kind):
    """A float64 of NumPy, unlike one of Python, would make float64 of a float32 array."""
    narrow, factor = THETA.astype(np.float32), kind(4)
    whole = library.frequencies(WIDTH, kind(10000))
    assert whole.dtype == np.float64 and np.array_equal(whole, library.frequencies(WIDTH, 10000))
    out = library.stretched(narrow, factor, method)
    assert out.dtype == np.float32
    np.testing.assert_allclose(out, library.stretched(THETA, 4, method), rtol=1e-6)


def attend(library, x, places, q_places=None):
    """Queries, keys and values are x; queries and keys know their places."""
    k = library.rope(x, places, THETA)
    q = k if q_places is None else library.rope(x[-len(q_places) :], q_places, THETA)
    return scaled_dot_product_attention(q, k, x, causal_mask(len(q), len(k)))


def values_turned_too(library, x, places):
    turned = library.rope(x, places, THETA)
    return scaled_dot_product_attention(turned, turned, turned, causal_mask(N, N))


@both
def test_an_output_does_not_move_when_all_positions_do(library, attend=attend):
    here, there = (attend(library, rows(), PLACES + start) for start in (0, 64))
    np.testing.assert_allclose(here, there, atol=64 * 64 * EPS)  # 64 · eps/2 an angle, 8 products


@both
def test_a_text_that_goes_on_in_a_cache_keeps_counting(library, first=N - 1):
    whole = attend(library, rows(), PLACES)
    assert_close(attend(library, rows(), PLACES, q_places=np.array([first]))[0], whole[-1])


@both
def test_turned_values_and_a_position_that_restarts_at_0_are_seen(library):
    with pytest.raises(AssertionError):
        test_an_output_does_not_move_when_all_positions_do(library, values_turned_too)
    with pytest.raises(AssertionError):
        test_a_text_that_goes_on_in_a_cache_keeps_counting(library, first=0)


X = rows()
REFUSED = [
    ("frequencies", (3,), "frequencies: width is 3; expected an even number, 2 or more"),
    ("frequencies", (0,), "frequencies: width is 0; expected an even number, 2 or more"),
    ("frequencies", (4, 0), "frequencies: base is 0; expected a number above 0"),
    ("stretched", (THETA, 0.5, "ntk"), "stretched: factor is 0.5; expected 1 or more"),
    ("stretched", (THETA, 2, "cubic"), "stretched: method is 'cubic'; expected one of linear, ntk"),
    (
        "halves_from_neighbours",
        (X[:, :5],),
        "halves_from_neighbours: x has 5 features; expected an",
    ),
    (
        "neighbours_from_halves",
        (X[:, :5],),
        "neighbours_from_halves: x has 5 features; expected an",
    ),
    ("rope", (X, PLACES, THETA, "pairs"), "rope: pairing is 'pairs'; expected one of"),
    ("rope", (X[:, :4], PLACES, THETA), "rope: cos has 4 pairs; expected at most 2"),
    ("alibi_bias", (0, 2, 2), "alibi_bias: n_heads is 0; expected 1 or more"),
    ("alibi_bias", (2, -1, 2), "alibi_bias: n_q is -1; expected 0 or more"),
]


@both
@pytest.mark.parametrize(("name", "arguments", "said"), REFUSED)
def test_a_wrong_value_is_named(library, name, arguments, said):
    with pytest.raises(ValueError) as caught:
        getattr(library, name)(*arguments)
    assert str(caught.value).startswith(said)


@both
def test_positions_are_integers_one_for_each_row(library):
    for wrong in (PLACES + 0.5, np.arange(4)):
        with pytest.raises(TypeError, match="rope: positions is "):
            library.rope(X, wrong, THETA)
