"""Heat maps, curves and bars show what they are given."""

import numpy as np
import pytest
from figures import CALLS, SQUARE, X, figure_of

from attnbook import plots
from attnbook.colours import SERIES
from attnbook.plots.cells import colored
from attnbook.plots.diagram import OUTPUT, SCORES, VALUES, WEIGHTS
from attnbook.plots.style import DASHES, MARKERS, contrast

WIDE = np.arange(12.0).reshape(3, 4)


def panels(figure):
    return [ax for ax in figure.axes if ax.get_xlabel() and ax.get_label() != "<colorbar>"]


def printed(ax):
    """The numbers in the cells of a heat map, by the row and the column where they stand."""
    n_q, n_k = colored(ax).get_array().shape
    texts = np.full((n_q, n_k), "", object)
    for text in ax.texts:
        j, i = text.get_position()
        texts[int(i), int(j)] = text.get_text()
    return texts


def hatched(ax):
    """The cells, by row and column, that each pattern covers."""
    corners = {patch.get_hatch(): patch.get_path().vertices[::5] for patch in ax.patches}
    return {pattern: [(int(i), int(j)) for j, i in cells] for pattern, cells in corners.items()}


def rows_are_queries(draw, matrix):
    (ax,) = panels(figure_of(draw))
    np.testing.assert_array_equal(colored(ax).get_array(), matrix)
    np.testing.assert_allclose(printed(ax).astype(float), matrix, atol=0.005)
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("queries i", "keys j")
    assert ax.transData.transform((0, 0))[1] > ax.transData.transform((0, 1))[1], "0 is on top"


@pytest.mark.parametrize("matrix", [SQUARE, WIDE])
def test_rows_are_queries_and_the_numbers_printed_are_the_matrix(matrix):
    rows_are_queries(lambda: plots.heatmap(matrix), matrix)


@pytest.mark.parametrize("wrong", [SQUARE.T, SQUARE[::-1], SQUARE + 0.01])
def test_a_wrong_heat_map_is_rejected(wrong):
    with pytest.raises(AssertionError):
        rows_are_queries(lambda: plots.heatmap(wrong), SQUARE)


def test_names_stand_at_their_rows_and_columns():
    (ax,) = panels(figure_of(lambda: plots.heatmap(WIDE, list("abc"), list("defg"))))
    assert [t.get_text() for t in ax.get_yticklabels()] == list("abc")
    assert [t.get_text() for t in ax.get_xticklabels()] == list("defg")


def test_each_matrix_of_several_is_drawn_with_one_scale():
    matrices = np.stack([SQUARE, 5 * SQUARE.T])
    axes = panels(figure_of(lambda: plots.heatmaps(matrices, ["one", "two"])))
    assert [ax.get_title(loc="left") for ax in axes] == ["one", "two"]
    assert {colored(ax).get_clim() for ax in axes} == {(0, 5)}
    for ax, matrix in zip(axes, matrices, strict=True):
        np.testing.assert_allclose(printed(ax).astype(float), matrix, atol=0.005)


@pytest.mark.parametrize(
    ("matrix", "limits"),
    [(SQUARE, (0, 1)), (WIDE, (0, 11)), (WIDE - 1, (-10, 10)), ([[-np.inf, np.nan]], (0, 1))],
)
def test_the_scale_fits_weights_counts_and_scores(matrix, limits):
    (ax,) = panels(figure_of(lambda: plots.heatmap(matrix)))
    assert colored(ax).get_clim() == limits


def test_numbers_are_printed_up_to_eight_rows_and_columns():
    for shape, text in {(8, 8): "0.12", (9, 8): "", (8, 9): ""}.items():
        (ax,) = panels(figure_of(lambda shape=shape: plots.heatmap(np.full(shape, 0.1234))))
        assert (printed(ax) == text).all()


def test_a_hidden_cell_has_no_number_and_a_pattern():
    weights, mask = np.zeros((2, 2)), np.array([[True, False], [True, True]])
    (ax,) = panels(figure_of(lambda: plots.heatmap(weights, mask=mask)))
    assert printed(ax).tolist() == [["0", ""], ["0", "0"]]
    assert hatched(ax) == {"//": [(0, 1)]}
    matrix, mask = np.zeros((10, 10)), np.ones((10, 10), bool)  # too many to print
    matrix[0, 1], matrix[0, 2], mask[0, 3] = np.nan, -np.inf, False
    (ax,) = panels(figure_of(lambda: plots.heatmap(matrix, mask=mask)))
    assert hatched(ax) == {"//": [(0, 2), (0, 3)], "xx": [(0, 1)]}


def test_one_mask_serves_for_all_matrices_or_each_has_its_own():
    first, second = np.tri(3, dtype=bool), np.eye(3, dtype=bool)
    for mask, per_panel in [(first, [first, first]), (np.stack([first, second]), [first, second])]:
        axes = panels(figure_of(lambda mask=mask: plots.heatmaps([SQUARE, SQUARE], mask=mask)))
        for ax, visible in zip(axes, per_panel, strict=True):
            np.testing.assert_array_equal(printed(ax) != "", visible)


def test_what_is_not_finite_is_written():
    (ax,) = panels(figure_of(lambda: plots.heatmap([[np.nan, -np.inf], [np.inf, -2]])))
    assert printed(ax).tolist() == [["NaN", "−∞"], ["∞", "−2"]]
    assert colored(ax).get_array()[1, 0] == 2, "infinity has the colour of the largest number"


def test_each_panel_has_its_own_decimals_and_what_is_hidden_none():
    mask = np.array([[[True, False]], [[True, True]]])
    axes = panels(figure_of(lambda: plots.heatmaps([[[0.5, 1 / 3]], [[0.25, 0.5]]], mask=mask)))
    assert [printed(ax).tolist() for ax in axes] == [[["0.5", ""]], [["0.25", "0.50"]]]


def test_curves_are_drawn_over_x_and_points_without_a_line():
    points = {"data": ([1, 2], [3, 4])}
    lines = {"a": X**2, "b": -X}
    (ax,) = figure_of(lambda: plots.curves(X, lines, "time", "size", points=points)).axes
    a, b, data = ax.lines
    np.testing.assert_array_equal(a.get_xydata(), np.stack([X, X**2], 1))
    np.testing.assert_array_equal(b.get_xydata(), np.stack([X, -X], 1))
    np.testing.assert_array_equal(data.get_xydata(), [[1, 3], [2, 4]])
    assert data.get_linestyle() == "None"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time", "size")
    assert [t.get_text() for t in ax.figure.legends[0].texts] == ["a", "b", "data"]


def test_scales_are_set_and_a_short_logarithmic_axis_names_its_positions():
    call = {"xlabel": "d", "ylabel": "variance", "xscale": "log", "yscale": "symlog"}
    (ax,) = figure_of(lambda: plots.curves([4, 64, 4096], {"v": X[:3]}, **call)).axes
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "symlog")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["4", "64", "4096"]


def test_bars_are_as_long_as_their_numbers_and_in_order():
    series = {"s": [1, -2, np.inf], "t": [3, 4, np.nan]}
    (ax,) = figure_of(lambda: plots.bars(list("abc"), series, "size")).axes
    assert [bar.get_width() for bar in ax.patches] == [1, -2, 0, 3, 4, 0]
    assert [t.get_text() for t in ax.texts] == ["1", "−2", "∞", "3", "4", "NaN"]
    tops = [ax.transData.transform((0, bar.get_y()))[1] for bar in ax.patches]
    assert tops[0] > tops[3] > tops[1] > tops[4] > tops[2] > tops[5]


def test_a_limit_stands_at_its_number_and_says_its_name():
    (ax,) = figure_of(CALLS["bars and a limit"]).axes
    assert [list(line.get_xdata()) for line in ax.lines] == [[1, 1], [0, 0]]
    assert "budget" in [text.get_text() for text in ax.texts]


def test_the_diagram_is_true():
    exp = [{"0": 1, "ln 3": 3, "ln 4": 4}[score] for score in SCORES]
    np.testing.assert_allclose(np.array(exp) / sum(exp), WEIGHTS)
    np.testing.assert_allclose(np.array(WEIGHTS) @ VALUES, OUTPUT)
    shown = {text.get_text() for text in figure_of(plots.attention_diagram).axes[0].texts}
    assert shown >= {*SCORES, "1/8", "3/8", "4/8", "0", "4", "8", "5.5"}


def test_curves_differ_in_colour_dash_and_marker():
    assert len(set(SERIES)) == len(set(map(str, DASHES))) == len(set(MARKERS)) == 5


def test_contrast_is_that_of_the_guidelines():
    assert contrast("black", "white") == pytest.approx(21)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.heatmap(X), r"matrix is .* of shape \(5,\); expected .* \(n_q, n_k\)"),
        (lambda: plots.heatmap([[1], [2, 3]]), "matrix is list"),
        (lambda: plots.heatmap(np.zeros((0, 3))), r"matrix is float64 array of shape \(0, 3\)"),
        (lambda: plots.heatmap(SQUARE * 1j), "matrix is complex128"),
        (lambda: plots.heatmap([["a"]]), "matrix is list"),
        (lambda: plots.heatmap(SQUARE, ["a"]), "query_names has 1 entries; expected 3"),
        (lambda: plots.heatmap(WIDE, None, ["a"]), "key_names has 1 entries; expected 4"),
        (lambda: plots.heatmap(SQUARE, mask=SQUARE), "mask is float64 .* expected booleans"),
        (lambda: plots.heatmap(SQUARE, mask=SQUARE[0] > 0), r"mask .* expected .* \(3, 3\)"),
        (lambda: plots.heatmap(SQUARE, vmin=1), "vmin is 1 and vmax is 1"),
        (lambda: plots.heatmaps(SQUARE), r"matrices is .* expected .* \(n, n_q, n_k\)"),
        (lambda: plots.heatmaps([SQUARE], ["a", "b"]), "titles has 2 entries; expected 1"),
        (lambda: plots.heatmaps([SQUARE, WIDE]), "matrices is list"),
        (lambda: plots.curves(SQUARE, {}, "", ""), r"x is .* expected .* of shape \(n,\)"),
        (lambda: plots.curves(X, X, "", ""), "lines is int64 array .* expected a dict"),
        (lambda: plots.curves(X, {"a": X[1:]}, "", ""), r"lines\['a'\] is .* shape \(5,\)"),
        (lambda: plots.curves(X, dict.fromkeys("abcdef", X), "", ""), "dict of at most 5"),
        (lambda: plots.curves(X, {}, "", "", points={"p": X}), r"points\['p'\] .* \(2, n\)"),
        (lambda: plots.bars(["a"], [1, 2], "n"), r"values is list \[1, 2\]; .* shape \(1,\)"),
        (lambda: plots.bars(["a"], {"s": [[1]]}, "n"), r"values\['s'\] is list"),
    ],
)
def test_a_bad_argument_is_named(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_arguments_are_not_changed():
    matrix, mask = SQUARE.copy(), np.tri(3, dtype=bool)
    matrix.flags.writeable = mask.flags.writeable = False
    plots.heatmap(matrix, mask=mask)
    plots.heatmaps(np.broadcast_to(matrix, (2, 3, 3)), mask=mask)
