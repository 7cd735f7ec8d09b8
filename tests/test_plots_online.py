"""The figures of online softmax show the numbers of the algorithm."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from figures import CALLS, EVERY, SOME, TILES, figure_of, painted

from attnbook import plots, reference
from attnbook.exercises.chapters.online.step import step
from attnbook.plots import online


def number(text):
    if text.startswith("ln "):
        return np.log(float(text[3:]))
    return -np.inf if text == "−∞" else float(Fraction(text))


def test_the_film_is_the_algorithm():
    scores = np.full((2, online.KEYS), -np.inf)
    scores[:, :3] = np.log(online.EXPONENTIALS)
    v = np.zeros((online.KEYS, 1))
    v[:3, 0] = online.VALUES
    state = np.full(2, -np.inf), np.zeros(2), np.zeros((2, 1))
    frames = list(zip(online.STATES.values(), online.QUOTIENTS, strict=True))
    for k, (shown, quotients) in enumerate(frames):
        c, m, total, o = ([number(word) for word in pair if word] for pair in shown)
        if k:
            keys = slice(online.BLOCK * (k - 1), online.BLOCK * k)
            before, state = state, step(*state, scores[:, keys], v[keys])
            np.testing.assert_allclose(c, np.exp(before[0] - state[0]))
            np.testing.assert_allclose([number(q) for q in quotients], state[2][:, 0] / state[1])
        for said, computed in zip((m, total, o), state, strict=True):
            np.testing.assert_allclose(said, computed.reshape(2))
    whole = reference.softmax(scores) @ v
    assert [number(q) for q in online.QUOTIENTS[-1]] == whole[:, 0].tolist() == [5.5, 3]


@pytest.mark.parametrize("changed", [("0", "1"), ("3/4", "1/4"), ("11", "12")])
def test_a_wrong_number_in_the_film_is_found(monkeypatch, changed):
    old, new = changed
    states = {
        name: tuple(tuple(new if word == old else word for word in pair) for pair in state)
        for name, state in online.STATES.items()
    }
    monkeypatch.setattr(online, "STATES", states)
    with pytest.raises(AssertionError):
        test_the_film_is_the_algorithm()


def test_each_picture_of_the_film_can_be_lit_by_the_page():
    svg = plots.block_frames().svg
    assert [svg.count(f'<g class="step-{step}">') for step in range(5)] == [1, 1, 1, 1, 0]


def drawn(order):
    """The tiles that are made before tile (1, 2), and the blocks of outputs that are written."""
    draw = partial(plots.flash_diagram, order, (1, 2))
    return tuple(sum(painted(draw, color)) for color in (online.FAINT, online.BLUE))


def test_the_two_loops_are_drawn_in_their_order():
    assert drawn(TILES) == (7, 1)
    assert drawn(sorted(TILES, key=lambda tile: tile[::-1])) == (11, 0)


@pytest.mark.parametrize(
    ("order", "tile", "message"),
    [
        (TILES[1:], (1, 2), "order holds 24 tiles; expected each of 5 by 5 once"),
        (TILES, (5, 0), r"tile is \(5, 0\); expected one of order"),
    ],
)
def test_tiles_that_are_missing_are_told(order, tile, message):
    with pytest.raises(ValueError, match=message):
        plots.flash_diagram(order, tile)


def test_a_block_that_is_cut_has_an_m_and_an_empty_one_is_hatched():
    ax = figure_of(CALLS["block_grids"]).axes[0]
    words = [text.get_text() for text in ax.texts]
    assert words.count("M") == 3 * 5
    hatched = [p for p in ax.patches if p.get_hatch()]
    assert [len(p.get_path().vertices) // 5 for p in hatched] == [10] * 3


@pytest.mark.parametrize(
    ("some", "every", "message"),
    [
        ([SOME], [EVERY[:2]], r"every\[0\] is bool array of shape \(2, 5\)"),
        ([SOME], [], "every has 0 entries; expected 1"),
        ([EVERY], [SOME], r"every\[0\] is True where some\[0\] is False"),
        ([1.0 * SOME], [EVERY], r"some\[0\] is float64"),
    ],
)
def test_a_bad_argument_is_named(some, every, message):
    with pytest.raises(ValueError, match=message):
        plots.block_grids(some, every, ["a"])
