"""The diagrams of linear attention show its two bracketings and its chunks."""

import numpy as np
import pytest
from figures import figure_of
from matplotlib.colors import to_hex

from attnbook import plots
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
