"""The diagrams of programs are readable, and show the numbers that their chapter computes."""

import pytest
from matplotlib.text import Text
from test_diagrams import PHONE
from test_plots import figure_of
from test_plots_svg import faults
from test_transformer_diagram import texts_are_apart

from attnbook import plots
from attnbook.plots import programs

CALLS = [plots.gpu_diagram, plots.programs_diagram, plots.race_diagram, plots.warps_diagram]


@pytest.mark.parametrize("draw", CALLS, ids=lambda f: f.__name__)
def test_a_figure_is_short_whole_and_readable(draw):
    assert faults(draw().svg) == []
    figure = figure_of(draw)
    smallest = min(t.get_fontsize() for t in figure.findobj(Text) if t.get_text())
    assert smallest / 72 * PHONE / figure.get_figwidth() >= 9
    assert all(texts_are_apart(ax) for ax in figure.axes)


def words(draw):
    return [t.get_text() for t in figure_of(draw).findobj(Text)]


def test_every_memory_and_every_array_is_named():
    assert {"main memory", "shared memory", "registers", "the chip"} <= {*words(CALLS[0])}
    assert {"$Q$", "$K$", "$V$", "$O$", "$L$", "$q$", "$k$", "$v$", "$m$"} <= {*words(CALLS[0])}


def test_the_lane_without_a_number_is_masked():
    assert words(CALLS[1]).count("yes") == 3 and words(CALLS[1]).count("no") == 1


def test_a_race_loses_what_was_stored_between():
    assert [cell for _, _, cell in programs.turns("0011")][-1] == sum(programs.ADDED)
    assert [does for _, does, _ in programs.turns("0101")] == [
        "load 0",
        "load 0",
        "store 4",
        "store 8",
    ]
    assert {"store 12", "store 8"} <= {*words(CALLS[2])}


def test_another_order_is_seen(monkeypatch):
    monkeypatch.setattr(programs, "ORDERS", {"a": "0011", "b": "1100"})
    assert "store 8" in words(CALLS[2]) and words(CALLS[2]).count("store 12") == 2


def test_a_thread_holds_its_share(monkeypatch):
    assert "128 numbers,\n128 registers" in words(CALLS[3]) and "32 threads" in words(CALLS[3])
    monkeypatch.setattr(programs, "BLOCK", 64)
    assert "32 numbers,\n32 registers" in words(CALLS[3])
