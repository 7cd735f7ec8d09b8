"""The diagrams of linear attention show its two bracketings, its chunks and a correction."""

import numpy as np
import pytest
from figures import figure_of
from matplotlib.colors import to_hex

from attnbook import linear, plots
from attnbook.colours import BLUE, GREEN, HIDDEN, ORANGE
from attnbook.plots import states


def sizes(figure, color):
    """Width and height of each box of a colour, rounded."""
    boxes = [patch for patch in figure.axes[0].patches if to_hex(patch.get_facecolor()) == color]
    return [(round(box.get_width(), 2), round(box.get_height(), 2)) for box in boxes]


def test_each_product_has_the_outer_sizes_of_the_two_arrays_below_which_it_stands():
    figure = figure_of(plots.bracketings_diagram)
    for color, (first, side, *_) in zip((ORANGE, GREEN), states.SIDES.values(), strict=True):
        (_, height, _), (_, _, width) = (states.ARRAYS[i] for i in first)
        assert sizes(figure, color) == [(width, height)] == [(side, side)]
    assert sizes(figure, BLUE) == 2 * [(width, height) for _, height, width in states.ARRAYS]


def test_a_chunk_shows_its_own_past_and_the_state_all_before_it():
    colors = np.array([[states._color(i, j) for j in range(9)] for i in range(9)], object)
    counts = {color: np.sum(colors == color) for color in (ORANGE, GREEN, None)}
    assert counts == {ORANGE: 3 * 6, GREEN: 9 + 18, None: 36}
    assert colors[3, 2] == GREEN and colors[3, 3] == ORANGE and colors[3, 4] is None
    shown = {to_hex(p.get_facecolor()) for p in figure_of(plots.chunks_diagram).axes[0].patches}
    assert shown == {ORANGE, GREEN, HIDDEN}


def test_another_chunk_is_seen(monkeypatch):
    monkeypatch.setattr(states, "CHUNK", 4)
    with pytest.raises(AssertionError):
        test_a_chunk_shows_its_own_past_and_the_state_all_before_it()


def points(figure):
    """The places of the dots, as numbers of the state."""
    (left, bottom), unit = states.ORIGIN, states.UNIT
    lines = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in lines]
    return {(round((x - left) / unit, 6), round((bottom - y) / unit, 6)) for x, y in places}


def test_the_correction_ends_where_the_package_does():
    state, key, told = (np.array(x) for x in (states.BEFORE, states.KEY, [states.TOLD]))
    betas = [np.array(0.0), np.array(0.5), np.array(1.0), None]  # None: the plain sum
    moved = [linear.update(state[:, None], key, told, beta=beta)[:, 0] for beta in betas]
    figure = figure_of(plots.correction_diagram)
    assert points(figure) == {tuple(np.round(end, 6)) for end in moved}
    reads = {f"the key reads {key @ moved[i]:g}" for i in (0, 2, 3)}
    assert reads <= {text.get_text() for text in figure.axes[0].texts}


def test_another_correction_is_seen(monkeypatch):
    monkeypatch.setattr(states, "_moved", lambda step: (2.0 + step, 6.0))
    with pytest.raises(AssertionError):
        test_the_correction_ends_where_the_package_does()
