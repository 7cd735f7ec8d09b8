"""The diagrams of machine code say what the model says, and everybody can read them."""

import re

import pytest
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text
from test_diagrams import PHONE, unreadable
from test_plots import figure_of
from test_plots_svg import faults
from test_transformer_diagram import texts_are_apart

from attnbook import plots
from attnbook.kernels.machine_code import CHIPS, Instruction
from attnbook.plots.machine import ROWS

CALLS = {"units_diagram": plots.units_diagram, "owners_diagram": plots.owners_diagram}
KINDS = {  # of the instructions in the diagram, and the rate of their unit
    "HGMMA": ("matrix", "matrix"),
    "MUFU.EX2": ("exponentials", "special"),
    "FMUL": ("float", "float"),
    "FMNMX": ("compare", "integer"),
    "LDGSTS": ("copies", "shared"),
}


@pytest.mark.parametrize("draw", CALLS.values(), ids=CALLS)
def test_a_figure_is_short_whole_and_readable(draw):
    assert faults(draw().svg) == []
    figure = figure_of(draw)
    assert unreadable(figure) == []
    smallest = min(t.get_fontsize() for t in figure.findobj(Text) if t.get_text())
    assert smallest / 72 * PHONE / figure.get_figwidth() >= 9
    assert all(texts_are_apart(ax) for ax in figure.axes)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_rates_are_those_of_the_model(row):
    _, instructions, _, rate, _ = row
    number = int(re.match(r"\d+", rate)[0])
    name = instructions.partition(",")[0]
    if name not in KINDS:
        assert number == CHIPS["sm_90"].issue
        return
    kind, unit = KINDS[name]
    assert Instruction(name, "").kind == kind
    assert number == getattr(CHIPS["sm_90"], unit)


def test_each_gradient_has_one_arrow_that_leads_to_it():
    figure = figure_of(plots.owners_diagram)
    arrows = figure.findobj(FancyArrowPatch)
    names = [t.get_text() for t in figure.findobj(Text) if "G_" in t.get_text()]
    assert len(arrows) == len(names) == 2
