"""The figures of cost show what the counting functions count."""

import pytest
from figures import CALLS, ROOFS, figure_of
from matplotlib.patches import FancyArrowPatch

from attnbook import measure, plots
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
