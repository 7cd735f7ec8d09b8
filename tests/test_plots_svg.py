"""A drawing's text: short, the same on each run, and readable where the book's type is missing."""

import os
import re
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from figures import elements, figure_of
from matplotlib.colors import to_hex
from nbclient import NotebookClient

from attnbook import plots
from attnbook.colours import HIDDEN, PAPER
from attnbook.plots.style import drawn, new_figure
from attnbook.plots.svg import DECIMAL, _rounded


@pytest.mark.parametrize(("n", "images"), [(3, 0), (64, 1)])
def test_a_small_heat_map_and_its_bar_are_shapes_of_named_colours(n, images):
    svg = plots.heatmap(np.linspace(-1, 1, n * n).reshape(n, n)).svg
    assert svg.count("<image") == images
    assert len(set(re.findall("fill-(?:blues|reds)-[0-9]+", svg))) == 33


def test_a_colour_that_has_no_name_is_refused():
    @drawn
    def figure():
        figure = new_figure(1, None)
        figure.text(0.5, 0.5, "pale", color="#123456")
        return figure

    with pytest.raises(ValueError, match="color is #123456; expected one that"):
        figure()


def test_a_number_that_differs_in_its_last_bits_changes_nothing():
    def draw(x):
        return plots.curves(x, {"y": x**2}, "x", "y").svg

    x = np.linspace(0.1, 1, 40)
    assert draw(x) == draw(np.nextafter(x, 2))
    assert draw(x) != draw(x + 0.01)


def test_numbers_are_written_with_two_decimals_at_most_and_0_without_a_sign():
    written = DECIMAL.sub(_rounded, "M0.5 -0.256L10.0 100.40 -0.004 -1.5e-05 -20.01Z")
    assert written == "M.5 -.26L10 100.4 0 0 -20.01Z"


def test_another_process_writes_the_same():
    call = "from attnbook import plots; print(plots.heatmap([[0.1, 0.9]]).svg)"
    environ = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", call], env=environ, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == (plots.heatmap([[0.1, 0.9]]).svg, "")


@drawn
def written(*texts):
    figure = new_figure(1, None)
    for n, text in enumerate(texts):
        figure.text(0.1 + 0.4 * n, 0.5, text)
    return figure


def test_a_long_text_says_how_long_it_is():
    long, short = [e for e in elements(written("a long text", "short").svg) if e.text]
    assert 50 < float(long.get("textLength")) < 80
    assert short.get("textLength") is None


def test_a_formula_is_text_in_the_type_of_the_books_formulas():
    spans = [e for e in elements(written(r"$K^\top / \sqrt{d_k}$").svg) if e.text]
    assert sorted(span.text for span in spans) == sorted("K⊤/√dk")
    assert all(span.get("font-family").startswith("KaTeX_Ma") for span in spans)


def test_in_a_notebook_a_cell_shows_its_drawing_and_nothing_else():
    cells = "from attnbook import plots", "plots.heatmap([[0.1, 0.9]])", "plots.attention_diagram()"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3").execute()
    imports, *figures = [cell.outputs for cell in notebook.cells]
    assert imports == []
    for (output,) in figures:
        assert output.data["image/svg+xml"].startswith("<svg")
        assert output.data["text/plain"] == "<figure>"
    assert figures[1][0].data["image/svg+xml"] == plots.attention_diagram().svg


def test_up_to_twelve_positions_are_marked():
    for n, marker in {12: "o", 13: "None"}.items():
        (line,) = plots.curves(range(n), {"y": range(n)}, "x", "y").figure.axes[0].lines
        assert line.get_marker() == marker


@pytest.mark.parametrize(("n", "step"), [(6, 1), (7, 2), (12, 2)])
def test_a_logarithmic_axis_names_its_positions_or_every_second(n, step):
    x = 2.0 ** np.arange(n)
    (ax,) = plots.curves(x, {"y": x}, "x", "y", xscale="log").figure.axes
    assert list(ax.get_xticks()) == list(x[::step])
    assert list(ax.get_xticks(minor=True)) == []


def test_two_curves_have_a_legend_and_one_has_its_axis():
    for n in (1, 2):
        figure = plots.curves(range(2), dict.fromkeys("ab"[:n], range(2)), "x", "y").figure
        assert len(figure.legends) == n - 1


def test_a_hidden_nan_is_hidden_and_not_crossed():
    (ax, *_) = plots.heatmap([[np.nan, 1]], mask=np.array([[False, True]])).figure.axes
    assert [patch.get_hatch() for patch in ax.patches] == ["//"]


def test_what_is_written_on_a_pattern_has_a_ground_of_its_own():
    (ax, *_) = plots.heatmap([[np.nan, -np.inf, 1]]).figure.axes
    grounds = [text.get_bbox_patch() for text in ax.texts]
    assert [ground and to_hex(ground.get_facecolor()) for ground in grounds] == [
        PAPER,
        HIDDEN,
        None,
    ]


def test_none_and_no_other_label_leaves_the_colour_bar_out():
    axes = {label: plots.heatmap([[1]], label=label).figure.axes for label in (None, "")}
    assert [len(each) for each in axes.values()] == [1, 2]


@pytest.mark.parametrize(
    ("n", "name", "turned"), [(1, "a", 0), (1, 11 * "a", 40), (2, 11 * "a", 90)]
)
def test_names_of_keys_that_are_wider_than_their_cells_are_turned(n, name, turned):
    ax = figure_of(lambda: plots.heatmaps(np.ones((n, 3, 3)), key_names=3 * [name])).axes[0]
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {turned}


def test_numbers_that_are_wider_than_their_cells_are_left_out():
    for n, written in {1: 64, 2: 0}.items():
        axes = plots.heatmaps(np.full((n, 8, 8), 12345)).figure.axes
        assert len(axes[0].texts) == written


def test_rows_are_named_at_the_left_of_the_first_panel_alone():
    first, second, _ = plots.heatmaps(np.ones((2, 3, 3))).figure.axes
    assert (first.get_ylabel(), second.get_ylabel()) == ("queries i", "")
    assert list(second.get_yticks()) == []
