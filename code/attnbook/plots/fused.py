"""Diagrams of programs for attention: two behind one call, and four that are asked in turn."""

from attnbook.colours import BLUE, FAINT, INK, MUTED, ORANGE, SEEN
from attnbook.plots.primitives import FRAME, arrow, box, heading, matrix, sheet, text
from attnbook.plots.style import drawn

PROGRAMS = {  # what each refuses, and whether it writes all scores to memory
    "kernels": ("calls on a CPU, float64", False),
    "SDPA": ("a soft-cap", False),
    "FlexAttention": ("gradients on a CPU", False),
    "readable": ("nothing", True),
}
INSIDE = {"FLASH": False, "EFFICIENT": False, "CUDNN": False, "MATH": True}  # of SDPA
RUNS = FRAME | {"edgecolor": INK}  # orange would speak of memory here
STEP, TOP, LEFT, HELD = 0.78, 0.75, 0.95, 3.35


@drawn
def one_call_diagram():
    """Draw one call of SDPA, two programs that may run, what each holds, and the same output.

    Blue: one block of the scores at a time. Orange: all of them at once. Below stands their number.
    """
    ax = sheet(2.45)
    for x, words in ((0.9, "one call"), (2.85, "what may run"), (4.4, "in memory at once")):
        heading(ax, x, 0.2, words)
    box(ax, 0.9, 1.28, 1.5, 0.5, "SDPA(q, k, v)")
    box(ax, 6.1, 1.28, 0.8, 0.5, "output")
    for y, name, whole in ((0.8, "FLASH", False), (1.75, "MATH", True)):
        arrow(ax, (1.7, 1.28), (2.25, y))
        box(ax, 2.85, y, 1.1, 0.4, name, ORANGE if whole else BLUE)
        arrow(ax, (3.45, y), (3.85, y))
        held = _scores(ax, 4.4, y, whole)
        text(ax, 4.4, y + 0.42, f"{held} scores", color=MUTED)
        arrow(ax, (4.95, y), (5.65, 1.28))
    return ax.figure


@drawn
def fused_diagram(choices=()):
    """Draw four programs that are asked in turn, what each keeps in memory, and what it refuses.

    Blue: one block of the scores at a time. Orange: all of them at once. `choices`, as
    `attnbook.fused.explain` gives them for a call, put a thick frame around the program that runs,
    and around the one through which SDPA runs.
    """
    running = {c.backend for c in choices if c.status == "runs"}
    running |= {c.reason.removeprefix("through ") for c in choices if c.status == "runs"}
    ax = sheet(TOP + STEP * 3 + 1.05)
    for x, words in ((LEFT, "asked in turn"), (HELD, "in memory at once"), (5.5, "refuses")):
        heading(ax, x, 0.2, words)
    for n, (name, (refused, whole)) in enumerate(PROGRAMS.items()):
        y = TOP + STEP * n
        look = RUNS if name in running else {}
        box(ax, LEFT, y, 1.6, 0.4, name, ORANGE if whole else BLUE, **look)
        text(ax, 5.5, y, refused, color=MUTED)
        if n + 1 < len(PROGRAMS):
            arrow(ax, (LEFT, y + 0.22), (LEFT, y + STEP - 0.22))
        arrow(ax, (1.85, y), (2.2, y))
        if name == "SDPA":
            for k, (inner, all_at_once) in enumerate(INSIDE.items()):
                place = HELD - 0.54 + 1.08 * (k % 2), y - 0.17 + 0.34 * (k // 2)
                look = RUNS if inner in running else {}
                box(ax, *place, 1.04, 0.3, inner, ORANGE if all_at_once else BLUE, **look)
        else:
            _scores(ax, HELD, y, whole)
    text(ax, 3.35, TOP + STEP * 3 + 0.75, "the first that does not refuse computes it", color=MUTED)
    return ax.figure


def _scores(ax, x, y, whole):
    """A small matrix of scores, of which one block is there, or all: returns how many."""
    colors = [[ORANGE if whole else FAINT] * 6 for _ in range(4)]
    if not whole:
        for i, j in ((2, 2), (2, 3), (3, 2), (3, 3)):
            colors[i][j] = SEEN
    matrix(ax, x, y, colors, 0.15)
    return sum(color != FAINT for row in colors for color in row)
