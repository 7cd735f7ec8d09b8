"""The diagrams of machine code say what the model says."""

import re
from itertools import pairwise

import pytest
from figures import figure_of
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text

from attnbook import plots
from attnbook.kernels.machine_code import CHIPS, Instruction
from attnbook.plots.machine import LIFE, ROWS, schedules

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


def test_each_instruction_of_a_weight_has_an_arrow_to_the_unit_that_the_model_gives_it():
    units = {"float": "float units", "exponentials": "special units"}
    for name, _, unit in LIFE:
        kind = Instruction(name.removeprefix("@!P "), "").kind
        assert units.get(kind, "integer units") == unit, name
    assert len(figure_of(plots.weight_diagram).findobj(FancyArrowPatch)) == len(LIFE)


@pytest.mark.parametrize("clocks", [(512, 528), (1024, 528)], ids=["width 64", "width 128"])
@pytest.mark.parametrize("name", ["all at once", "in turns", "behind the barrier"])
def test_no_unit_does_two_things_at_once_and_no_group_multiplies_what_it_has_not_made(name, clocks):
    iteration, schedule = schedules(*clocks)[name]
    assert iteration <= max(end for work in schedule.values() for *_, end in work)
    for work in schedule.values():
        assert all(end <= start for (_, _, end), (_, start, _) in pairwise(work))
    busy = {u: {w: set() for w in "AB"} for u in schedule}
    for unit, work in schedule.items():
        for who, start, end in work:
            for group in who.split(", "):
                busy[unit][group] |= set(range(start, end))
    for group in "AB":
        assert not busy["tensor cores"][group] & busy["special units"][group]


def test_behind_the_barrier_no_scores_begin_before_the_last_exponential():
    iteration, schedule = schedules(512, 528)["behind the barrier"]
    assert iteration == 256 + 2 * 528
    done = max(end for _, _, end in schedule["special units"] if end <= iteration)
    again = min(start for _, start, _ in schedule["tensor cores"] if start >= iteration)
    assert done == again == iteration


def test_a_schedule_says_how_long_an_iteration_takes():
    figure = figure_of(lambda: plots.schedules_diagram(512, 528))
    found = {t.get_text() for t in figure.findobj(Text)}
    assert {f"{clocks} clocks an iteration" for clocks in (2080, 1056, 1312)} <= found
