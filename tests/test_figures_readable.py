"""Everybody can read every figure: on a phone, in a page of text, and as a picture of any size."""

from io import StringIO

import matplotlib
import pytest
from figures import CALLS, LARGEST, faults, figure_of, unreadable
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attnbook import plots
from attnbook.plots import primitives

ABOVE = {"bars and a limit": ["'budget' leaves its panel"]}  # it stands above it


def check(name, draw):
    before = dict(matplotlib.rcParams)
    drawing = draw()
    assert dict(matplotlib.rcParams) == before, "it leaves matplotlib's settings alone"
    FigureCanvasAgg(drawing.figure).draw()
    assert unreadable(drawing.figure) == ABOVE.get(name, [])
    assert drawing.figure.get_figwidth() == 6.7
    assert faults(drawing.svg) == []


@pytest.mark.parametrize("name", CALLS)
def test_a_figure_is_short_whole_and_readable(name):
    check(name, CALLS[name])


def test_a_figure_that_takes_arguments_and_is_given_none_is_found():
    with pytest.raises(TypeError):
        check("heatmap", plots.heatmap)


def test_a_figure_that_changes_matplotlibs_settings_is_found(monkeypatch):
    def draw():
        monkeypatch.setitem(matplotlib.rcParams, "font.size", 20)
        return plots.number_line()

    with pytest.raises(AssertionError, match="leaves matplotlib's settings alone"):
        check("number_line", draw)


LEAVES = ["'too many' leaves its panel", "something leaves the figure"]


@pytest.mark.parametrize(
    ("look", "found"),
    [
        ({"size": 11}, ["letters of 8.2 pixels on a phone"]),
        ({"y": 0.25}, ["'two hidden units' and 'too many' meet"]),
        ({"x": 6.6}, LEAVES),
        ({"x": 0.1}, LEAVES),
    ],
)
def test_what_cannot_be_read_is_found(look, found):
    figure = figure_of(plots.additive_network)
    text = {"x": 3.1, "y": 1.5, "words": "too many", "size": 12.5}
    primitives.text(figure.axes[0], **text)
    assert unreadable(figure) == []
    primitives.text(figure.axes[0], **text | {"y": 2.4} | look)
    assert unreadable(figure) == found


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("<g", "<style>* {fill: red}</style><g"),
        ("<g", '<g id="idle"/><g'),
        ("<g", '<g transform="scale(1.23456)"/><g'),
        ("<g", "<!--" + " " * LARGEST + "--><g"),
    ],
)
def test_a_fault_is_found(right, wrong):
    assert faults(plots.attention_diagram().svg.replace(right, wrong, 1))


def test_matplotlibs_own_text_is_refused():
    written = StringIO()
    plots.bars(["a"], [1], "n").figure.savefig(written, format="svg")
    assert faults(written.getvalue()) == [
        "an id is missing or idle",
        "a rule is for all of the page",
        "a number is long",
        "a text is of outlines",
        "it was not put right",
    ]
