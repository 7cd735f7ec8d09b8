"""The diagrams of machine code say what the model says."""

import re

import pytest
from figures import figure_of
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text

from attnbook import plots
from attnbook.kernels.machine_code import CHIPS, Instruction
from attnbook.plots.machine import ROWS

KINDS = {  # of the instructions in the diagram, and the rate of their unit
    "HGMMA": ("matrix", "matrix"),
    "MUFU.EX2": ("exponentials", "special"),
    "FMUL": ("float", "float"),
    "FMNMX": ("compare", "integer"),
    "LDGSTS": ("copies", "shared"),
}


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
