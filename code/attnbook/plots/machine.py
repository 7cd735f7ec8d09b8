"""The diagrams of machine code: which unit does a line, who owns which gradient, who waits."""

import numpy as np

from attnbook.colours import BLUE, FAINT, GREEN, GREY, MUTED, ORANGE, PAPER, SERIES
from attnbook.plots.primitives import arrow, box, frame, heading, line, matrix, sheet, text
from attnbook.plots.style import drawn

COLUMNS = {"in the kernel": 0.95, "instruction": 2.85, "unit, and what it does a clock": 5.3}
ROWS = (  # a line, its instruction, its unit, what all such units of a multiprocessor do in a clock
    ("tl.dot", "HGMMA", "tensor cores", "4096 operations", GREEN),
    ("tl.exp2", "MUFU.EX2", "special units", "16 threads", ORANGE),
    ("s * c, a + b", "FMUL, FFMA, FADD", "float units", "128 threads", BLUE),
    ("tl.max", "FMNMX", "integer units", "64 threads", GREY),
    ("tl.load, tl.dot", "LDGSTS, HGMMA", "shared memory", "128 bytes", PAPER),
    ("every line", "each of them", "schedulers", "4 instructions", PAPER),
)
LIFE = (  # of a weight: an instruction of its listing, what it does, its unit
    ("FMNMX", "the row's maximum", "integer units"),
    ("FADD", "subtract the maximum", "float units"),
    ("FMUL", "multiply by 1.4427", "float units"),
    ("FSETP", "is it below −126?", "integer units"),
    ("@!P FMUL", "then halve it", "float units"),
    ("MUFU.EX2", "2 to this power", "special units"),
    ("@!P FMUL", "then square it", "float units"),
    ("F2FP", "pack two weights", "integer units"),
    ("FADD", "add the two", "float units"),
)
UNITS = {"float units": BLUE, "special units": ORANGE, "integer units": GREY}
ARROWS = dict(zip(UNITS, (SERIES[0], SERIES[1], MUTED), strict=True))


@drawn
def units_diagram():
    """Draw which line of a kernel becomes which instruction, and which unit is busy with it."""
    ax = sheet(0.55 + 0.47 * len(ROWS))
    for name, x in COLUMNS.items():
        heading(ax, x, 0.2, name)
    for n, (words, instruction, unit, rate, color) in enumerate(ROWS):
        y = 0.62 + 0.47 * n
        box(ax, 0.95, y, 1.5, 0.36, words)
        arrow(ax, (1.74, y), (1.98, y))
        box(ax, 2.85, y, 1.68, 0.36, instruction)
        arrow(ax, (3.73, y), (3.97, y))
        box(ax, 5.3, y, 2.6, 0.36, color=color)
        text(ax, 4.1, y, unit, ha="left")
        text(ax, 6.5, y, rate, ha="right")
    return ax.figure


@drawn
def owners_diagram():
    """Draw the tiles of scores, and which program has a row of them and which a column."""
    ax, y, cell, n = sheet(2.75), 1.35, 0.32, 5
    for x, name, own in ((1.55, "a program for each row", 1), (5.05, "one for each column", 3)):
        heading(ax, x, 0.2, name)
        row = name.endswith("row")
        colors = [[BLUE if (i if row else j) == own else FAINT for j in range(n)] for i in range(n)]
        matrix(ax, x, y, colors, cell)
        wide, high = (n, 1) if row else (1, n)
        place = (x, y + (own - 2) * cell) if row else (x + (own - 2) * cell, y)
        frame(ax, *place, wide * cell + 0.03, high * cell + 0.03)
    arrow(ax, (2.42, y - cell), (2.75, y - cell))
    box(ax, 3.03, y - cell, 0.5, 0.34, "$G_Q$", ORANGE)
    arrow(ax, (5.05 + cell, 2.2), (5.05 + cell, 2.33))
    box(ax, 5.05 + cell, 2.53, 0.9, 0.34, "$G_K, G_V$", ORANGE)
    text(ax, 0.35, y, "queries", color=MUTED, rotation=90)
    text(ax, 1.55, 2.35, "keys", color=MUTED)
    return ax.figure


@drawn
def weight_diagram():
    """Draw the instructions that make one weight, each with an arrow to the unit that does it."""
    step, top = 0.42, 0.62
    ax = sheet(top + step * len(LIFE))
    for x, name in ((0.85, "instruction"), (2.65, "what it does"), (5.65, "unit")):
        heading(ax, x, 0.2, name)
    heights = dict(zip(UNITS, top + step * np.array([1.5, 4.5, 7]), strict=True))
    for unit, y in heights.items():
        box(ax, 5.65, y, 1.5, 0.5, unit, UNITS[unit])
    units = [unit for *_, unit in LIFE]
    for n, (name, words, unit) in enumerate(LIFE):
        y = top + step * n
        box(ax, 0.85, y, 1.3, 0.33, name)
        text(ax, 1.65, y, words, ha="left")
        aside = units[:n].count(unit) - (units.count(unit) - 1) / 2  # of the unit's arrows
        arrow(ax, (3.45, y), (4.85, heights[unit] + 0.1 * aside), color=ARROWS[unit])
    return ax.figure


def schedules(products, exponentials):
    """Which group works when, for the clocks of one group: name → (an iteration's clocks, work).

    The work is a dict unit → (who, from, to). Behind a barrier no group begins its scores, which
    are half of its products, before both have all their exponentials; their outputs may run on.
    """
    turn, both = max(products, exponentials), 2 * (products + exponentials)
    scores = products // 2
    late = scores + max(products, exponentials)  # when B, whose scores come second, may begin
    at_once = {
        "tensor cores": [("A", 0, products), ("B", products, 2 * products)],
        "special units": [("A, B", 2 * products, both)],
    }
    in_turns = {
        "tensor cores": [("A", 0, products), ("B", turn, turn + products)],
        "special units": [("B", 0, exponentials), ("A", turn, turn + exponentials)],
    }
    behind = {
        "tensor cores": [
            ("A", 0, scores),
            ("B", scores, scores + products),  # the outputs of before, and scores
            ("A", late, late + scores),
        ],
        "special units": [
            ("A", scores, scores + exponentials),
            ("B", late, late + exponentials),
        ],
    }
    return {
        "all at once": (both, at_once),
        "in turns": (2 * turn, _twice(in_turns, 2 * turn)),
        "behind the barrier": (late + exponentials, _twice(behind, late + exponentials)),
    }


def _twice(units, clocks):
    return {
        unit: [(who, t + start, t + end) for t in (0, clocks) for who, start, end in work]
        for unit, work in units.items()
    }


@drawn
def schedules_diagram(products, exponentials):
    """Draw when two groups of warps multiply and take exponentials, in three schedules, to scale.

    Each group needs so many clocks for its products, and so many for its exponentials.
    """
    found = schedules(products, exponentials)
    latest = max(end for _, units in found.values() for work in units.values() for *_, end in work)
    ax, left, inch = sheet(3.62), 1.45, 5.0 / latest
    for k, (name, (clocks, units)) in enumerate(found.items()):
        y = 0.2 + 1.2 * k
        text(ax, left, y, name, ha="left", weight="semibold")
        text(ax, left + 5.0, y, f"{clocks:.0f} clocks an iteration", ha="right", color=MUTED)
        for n, (unit, work) in enumerate(units.items()):
            lane = y + 0.36 + 0.42 * n
            text(ax, left - 0.1, lane, unit, ha="right")
            for who, start, end in work:
                middle, wide = left + inch * (start + end) / 2, inch * (end - start) - 0.03
                box(ax, middle, lane, wide, 0.34, who, GREEN if unit == "tensor cores" else ORANGE)
        line(ax, [left + inch * clocks] * 2, [y + 0.17, y + 0.97], width=1)
    return ax.figure
