"""Grids and bars show what they are given, and say which way is which."""

import numpy as np
import pytest
from figures import CALLS, CAUSAL, WEIGHTS, figure_of, words

from attnbook import plots


def test_the_cells_that_differ_have_a_frame():
    figure = figure_of(lambda: plots.right_and_wrong(WEIGHTS, WEIGHTS + 0.1 * np.eye(3)))
    (frame,) = [p for p in figure.axes[0].patches if p.get_facecolor() == (0, 0, 0, 0)]
    assert len(frame.get_path().vertices) == 3 * 5
    assert len(figure_of(lambda: plots.right_and_wrong(WEIGHTS, WEIGHTS)).axes[0].patches) == 2


def test_a_mask_hides_where_it_is_false():
    shown, hidden = figure_of(lambda: plots.mask_grids([CAUSAL], ["one"])).axes[0].patches
    assert [len(patch.get_path().vertices) // 5 for patch in (shown, hidden)] == [6, 3]
    assert (shown.get_hatch(), hidden.get_hatch()) == (None, "//")


@pytest.mark.parametrize(
    ("draw", "rows", "columns"),
    [
        (lambda: plots.mask_grids([CAUSAL] * 6, list("abcdef")), "queries i", "keys j"),
        (lambda: plots.right_and_wrong(WEIGHTS, WEIGHTS), "queries i", "keys j"),
        (CALLS["influence_grids"], "outputs i", "words t"),
    ],
)
def test_grids_name_their_rows_at_the_left_and_their_columns_above(draw, rows, columns):
    texts = figure_of(draw).axes[0].texts
    places = {
        name: [text.get_position() for text in texts if text.get_text() == name]
        for name in (rows, columns, "0")
    }
    left, top = np.min(places["0"], axis=0)
    assert len(places[columns]) == len(places["0"]) / 2, "above each grid"
    assert min(y for _, y in places[columns]) < top
    assert {x < left for x, _ in places[rows]} == {True}


def test_each_grid_of_what_is_caught_names_its_tests_and_is_blue_where_one_catches():
    (ax,) = figure_of(CALLS["caught_grids"]).axes
    assert [text.get_text() for text in ax.texts].count("zeros") == 2
    numbers = [len(p.get_path().vertices) // 5 for p in ax.patches if not p.get_hatch()]
    assert numbers == [(~CAUSAL).sum(), CAUSAL.sum()]


def test_a_right_cell_that_is_hidden_has_no_number_and_no_say_in_the_decimals():
    shown = words(lambda: plots.right_and_wrong([[0.5, 1 / 3]], [[1, 0]], mask=[[True, False]]))
    assert [word for word in shown if "." in word] == ["0.5"]


@pytest.mark.parametrize(("n", "rows"), [(3, 1), (4, 1), (6, 2)])
def test_four_grids_stand_in_one_row_and_more_in_two(n, rows):
    titles = [*"abcdef"[:n]]
    texts = figure_of(lambda: plots.mask_grids([CAUSAL] * n, titles)).axes[0].texts
    assert len({text.get_position()[1] for text in texts if text.get_text() in titles}) == rows


def test_a_weight_above_0_is_blue_one_below_red_and_nan_is_as_nan():
    a = [[0.5, -0.5, np.nan]]
    shown = figure_of(lambda: plots.right_and_wrong(a, a)).axes[0].patches
    bluer = [color[2] > color[0] for color in (patch.get_facecolor() for patch in shown)]
    assert bluer == [True, False, False] * 2, "and there is no frame"


def test_each_number_stands_above_its_bar():
    ax = figure_of(CALLS["distributions"]).axes[0]
    heights = [text.get_position()[1] for text in ax.texts if "." in text.get_text()]
    assert all(y < bar.get_bbox().ymin for y, bar in zip(heights, ax.patches, strict=True))
