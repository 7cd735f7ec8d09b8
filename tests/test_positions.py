"""Where something stands: the encodings are their equations, and a score sees distances only."""

import numpy as np
import pytest
from draw import BATCHES, assert_close
from onnx.backend.test.case.node import _NodeTestCases as collected
from onnx.backend.test.case.node import rotaryembedding as _cases  # noqa: F401  (fills it)
from onnx.helper import get_attribute_value

from attnbook import positions
from attnbook.masks import causal_mask
from attnbook.reference import softmax

N, WIDTH = 5, 8
PLACES = np.arange(N)
THETA = positions.frequencies(WIDTH)
EPS = np.finfo(np.float64).eps
CASES = {
    case.name: case
    for case in collected
    if case.name.startswith("test_rotary_embedding") and "_expanded" not in case.name
}


def rows(batch=(), seed=0):
    return np.random.default_rng(seed).standard_normal((*batch, N, WIDTH))


def turned_as_complex_numbers(x, places, theta):
    """Pair (a, b) as a + ib, times e^(iφ)."""
    pairs = x[..., 0::2] + 1j * x[..., 1::2]
    turned = pairs * np.exp(1j * places[..., None] * theta)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def rotary_embedding(inputs, attributes):
    """The operator of ONNX, said in `rotate`."""
    x, cos, sin, *ids = inputs
    x = x if x.ndim == 4 else x.reshape(*x.shape[:2], attributes["num_heads"], -1).swapaxes(1, 2)
    cos, sin = (part[ids[0]] if ids else part for part in (cos, sin))
    pairing = "neighbours" if attributes.get("interleaved") else "halves"
    out = positions.rotate(x, cos[:, None], sin[:, None], pairing)
    return out if inputs[0].ndim == 4 else out.swapaxes(1, 2).reshape(inputs[0].shape)


def test_there_are_8_cases():
    assert len(CASES) == 8


@pytest.mark.parametrize("name", CASES)
def test_rotate_is_rotary_embedding_of_onnx(name):
    case = CASES[name]
    node = case.model.graph.node[0]
    attributes = {a.name: get_attribute_value(a) for a in node.attribute}
    inputs, outputs = case.data_sets[0]
    assert_close(rotary_embedding(inputs, attributes), outputs[0])


@pytest.mark.parametrize("batch", BATCHES)
def test_rope_multiplies_pairs_as_complex_numbers(batch):
    x = rows(batch)
    assert_close(positions.rope(x, PLACES, THETA), turned_as_complex_numbers(x, PLACES, THETA))


def scores(x, y, places, pairing="neighbours"):
    q, k = (positions.rope(z, places, THETA, pairing) for z in (x, y))
    return q @ k.T


@pytest.mark.parametrize("pairing", positions.PAIRINGS)
def test_a_score_depends_on_the_distance_alone(pairing):
    x, y = rows(seed=1), rows(seed=2)
    here, there = (scores(x, y, PLACES + start, pairing) for start in (0, 1000))
    # An angle of up to 1004 is a float that may be wrong by eps/2 · 1004, and so is the score.
    np.testing.assert_allclose(here, there, atol=1004 * EPS * np.abs(x @ y.T).max() * WIDTH)
    assert not np.allclose(scores(x, y, PLACES), scores(x, y, 2 * PLACES))


def test_the_two_pairings_are_one_up_to_the_order_of_features():
    x = rows((2,))
    there = positions.rope(positions.halves_from_neighbours(x), PLACES, THETA, "halves")
    here = positions.rope(x, PLACES, THETA, "neighbours")
    assert np.array_equal(there, positions.halves_from_neighbours(here))
    assert not np.allclose(here, positions.rope(x, PLACES, THETA, "halves"))


def test_rope_keeps_lengths_and_what_is_beyond_its_pairs():
    x = rows()
    out = positions.rope(x, PLACES, THETA[:3])
    assert_close(np.linalg.norm(out, axis=-1), np.linalg.norm(x, axis=-1))
    assert np.array_equal(out[:, 6:], x[:, 6:]) and np.array_equal(out[0], x[0])


def test_the_dtype_that_goes_in_comes_out():
    x = rows().astype(np.float32)
    assert positions.rope(x, PLACES, THETA).dtype == np.float32


def test_sinusoidal_is_the_equation_in_loops():
    out = positions.sinusoidal(PLACES, WIDTH)
    for i in PLACES:
        for m in range(WIDTH // 2):
            angle = i / 10000 ** (2 * m / WIDTH)
            assert_close(out[i, 2 * m : 2 * m + 2], np.array([np.sin(angle), np.cos(angle)]))


def test_a_step_turns_each_sinusoidal_vector_by_the_same_matrix():
    first, second = (positions.sinusoidal(PLACES + step, WIDTH) for step in (0, 3))
    pairs = first[:, 0::2] * np.cos(3 * THETA) + first[:, 1::2] * np.sin(3 * THETA)
    assert_close(pairs, second[:, 0::2])


def test_alibi_falls_by_a_slope_for_each_step_back():
    bias = positions.alibi_bias(8, 2, 4)
    assert bias.shape == (8, 2, 4)
    assert np.array_equal(bias[0], [[-1, -0.5, 0, -0.5], [-1.5, -1, -0.5, 0]])
    assert np.array_equal(bias[7], bias[0] / 2**7)


def test_under_a_causal_mask_alibi_is_the_position_of_the_key_alone():
    slope, mask = 1 / 16, causal_mask(N, N)
    distances = softmax(positions.alibi_bias(2, N, N)[0], mask)
    assert_close(distances, softmax(np.tile(slope * PLACES, (N, 1)), mask))


def test_linear_interpolation_squeezes_positions():
    x, slow = rows(), positions.stretched(THETA, 4, "linear")
    assert_close(positions.rope(x, 4 * PLACES, slow), positions.rope(x, PLACES, THETA))


def test_ntk_keeps_the_first_pair_and_slows_the_last_by_the_factor():
    assert_close(THETA / positions.stretched(THETA, 4, "ntk"), 4.0 ** (np.arange(4) / 3))


def test_ntk_is_another_base():
    base = 10000 * 4 ** (WIDTH / (WIDTH - 2))
    assert_close(positions.stretched(THETA, 4, "ntk"), positions.frequencies(WIDTH, base))


def test_yarn_keeps_what_turned_often_and_slows_what_turned_less_than_once():
    many = positions.frequencies(128)
    ratio = many / positions.stretched(many, 4, "yarn", 2048)
    turns = 2048 * many / (2 * np.pi)
    assert np.all(ratio[turns >= 32] == 1)
    np.testing.assert_allclose(ratio[turns <= 1], 4)
    between = ratio[(turns > 1) & (turns < 32)]
    assert len(between) > 10 and np.all(np.diff(between) > 0)


@pytest.mark.parametrize("method", positions.METHODS)
def test_a_factor_of_1_changes_nothing(method):
    assert_close(positions.stretched(THETA, 1, method, 2048), THETA)


X = rows()
REFUSED = [
    (positions.frequencies, (3,), "frequencies: width is 3; expected an even number, 2 or more"),
    (positions.frequencies, (4, 0), "frequencies: base is 0; expected a number above 0"),
    (positions.stretched, (THETA, 0.5, "ntk"), "stretched: factor is 0.5; expected a number of"),
    (positions.stretched, (THETA, 2, "cubic"), "method is 'cubic'; expected one of linear, ntk"),
    (positions.stretched, (THETA, 2, "yarn"), "stretched: trained_length is None; expected a"),
    (positions.rope, (X, PLACES, THETA, "pairs"), "pairing is 'pairs'; expected one of"),
    (positions.rope, (X[:, :4], PLACES, THETA), "rotate: cos has 4 pairs; expected at most 2"),
    (positions.alibi_bias, (0, 2, 2), "alibi_bias: n_heads is 0; expected 1 or more"),
    (positions.alibi_bias, (2, -1, 2), "n_q is -1; expected 0 or more"),
]


@pytest.mark.parametrize(("function", "arguments", "said"), REFUSED)
def test_a_wrong_value_is_named(function, arguments, said):
    with pytest.raises(ValueError) as caught:
        function(*arguments)
    assert str(caught.value).startswith(said)


def test_positions_are_integers_one_for_each_row():
    for wrong in (PLACES + 0.5, np.arange(4)):
        with pytest.raises(TypeError, match="rope: positions is "):
            positions.rope(X, wrong, THETA)
