"""The figures of cost show what the counting functions count."""

import pytest
from figures import CALLS, ROOFS, figure_of
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from attnbook import measure, plots
from attnbook.colours import BLUE, GREEN, ORANGE, PAPER, SEEN
from attnbook.plots import costs


def arrows(passes):
    """MiB that each pass of the diagram reads and writes."""
    return {
        name: tuple(sum(mib for _, mib in arrays) for arrays in moved)
        for name, (*moved, _) in passes.items()
    }


def test_the_arrows_are_as_many_mebibytes_as_are_counted():
    head, shown = measure.Sizes(4096, 4096, 128), arrows(costs.PASSES)
    counted = measure.whole_cost(head) | {"all in one": measure.fused_cost(head)}
    for name, cost in counted.items():
        small = 2**14 if name == "all in one" else 0  # the log-sum-exp, too little for the figure
        assert sum(shown[name]) * 2**20 + small == cost.bytes


@pytest.mark.parametrize("name", costs.PASSES)
def test_a_wrong_arrow_is_found(name, monkeypatch):
    read, (_, unit) = ((("$Q$", 3),),), ((), "products")
    monkeypatch.setitem(costs.PASSES, name, (*read, (("$O$", 2),), unit))
    with pytest.raises(AssertionError):
        test_the_arrows_are_as_many_mebibytes_as_are_counted()


def test_a_roof_turns_flat_at_its_ridge():
    (ax,) = figure_of(CALLS["roofline"]).axes
    core = ax.lines[0]
    xs, ys = core.get_xdata(), core.get_ydata()
    assert (xs[1], ys[1]) == (10, 1e11) and ys[2] == 1e11
    assert ys[0] == pytest.approx(xs[0] * 1e10)


def test_what_was_measured_is_hollow_and_stands_where_it_was_measured():
    points = {"core": {"filled": (2, 2e10)}}
    given = ROOFS, points, {"core": {"hollow": (2, 1e10)}}
    (ax,) = figure_of(lambda: plots.roofline(*given)).axes
    drawn = {
        tuple(float(at[0]) for at in line.get_data()): line.get_markerfacecolor()
        for line in ax.lines
        if line.get_marker() not in ("None", "")
    }
    assert set(drawn) == {(2, 2e10), (2, 1e10)}
    assert drawn[2, 1e10] == PAPER != drawn[2, 2e10]
    with pytest.raises(ValueError, match=r"measured\['core'\]\['x'\] is .*; expected real numbers"):
        plots.roofline(ROOFS, points, {"core": {"x": (1, 2, 3)}})


@pytest.mark.parametrize(
    ("roofs", "points", "said"),
    [
        ({"core": (1e11,)}, {}, r"roofs\['core'\] is .*; expected real numbers of shape \(2,\)"),
        (
            ROOFS,
            {"core": {"x": (1, 2, 3)}},
            r"points\['core'\]\['x'\] is .*; expected real numbers",
        ),
        ([1], {}, "roofs is .*; expected a dict"),
    ],
)
def test_what_is_no_roof_is_refused(roofs, points, said):
    with pytest.raises(ValueError, match=said):
        plots.roofline(roofs, points)


def heads(figure):
    """How many points the head of each arrow is broader than its tail."""
    styles = [p.get_arrowstyle() for p in figure.findobj(FancyArrowPatch)]
    return [style.head_width - style.tail_width for style in styles]


def test_the_head_of_every_arrow_stands_out_however_broad_the_arrow():
    assert len(found := heads(figure_of(plots.passes_diagram))) == 8
    assert min(found) > 6


def areas(figure):
    """The cells of each grid of the picture of areas and edges, by its colour."""
    cells = {}
    for patch in figure.axes[0].patches:
        color = to_hex(patch.get_facecolor())
        cells[color] = [*cells.get(color, []), len(patch.get_path().vertices) // 5]
    return cells


def test_the_area_is_queries_times_keys_and_the_edges_are_both():
    found = areas(figure_of(plots.edges_diagram))
    assert found == {GREEN: [8, 8], ORANGE: [8, 8], BLUE: [8, 1], SEEN: [64, 8]}


def test_an_area_that_does_not_fit_its_edges_is_found(monkeypatch):
    monkeypatch.setitem(costs.WORDS, "writing", 2)
    with pytest.raises(AssertionError):
        test_the_area_is_queries_times_keys_and_the_edges_are_both()


def ends_of(terms):
    """Where the bars of each row begin and end, in its own unit, and the times that are printed."""
    (ax,) = figure_of(lambda: plots.terms_diagram(terms, "ms")).axes
    inch = costs.LONGEST / sum(terms.values())
    bars = [patch.get_bbox() for patch in ax.patches]
    said = [text.get_text() for text in ax.texts if text.get_text().endswith(" ms")]
    return [[round((x - costs.BEGIN) / inch, 6) for x in (b.x0, b.x1)] for b in bars], said


def test_at_once_the_longest_bar_decides_and_in_turn_their_sum():
    found, said = ends_of({"operations": 25.0, "bytes": 5.5})
    assert found == [[0, 25], [0, 5.5], [0, 25], [25, 30.5]]
    assert said == ["25 ms", "30.5 ms"]


def test_what_is_no_time_is_refused():
    with pytest.raises(ValueError, match=r"terms\['bytes'\] is .*; expected real numbers"):
        plots.terms_diagram({"bytes": [1, 2]}, "ms")
