"""The diagrams of machine code: which unit does a line, and who owns which gradient."""

from attnbook.colours import BLUE, FAINT, GREEN, GREY, MUTED, ORANGE
from attnbook.plots.primitives import arrow, box, frame, heading, matrix, sheet, text
from attnbook.plots.style import drawn

COLUMNS = {"in the kernel": 0.95, "instruction": 2.85, "unit, and what it does a clock": 5.3}
ROWS = (  # a line, its instruction, its unit, what all such units of a multiprocessor do in a clock
    ("tl.dot", "HGMMA", "tensor cores", "4096 operations", GREEN),
    ("tl.exp2", "MUFU.EX2", "special units", "16 threads", ORANGE),
    ("s * c, a + b", "FMUL, FFMA, FADD", "float lanes", "128 threads", BLUE),
    ("tl.max, tl.where", "FMNMX, FSEL", "integer lanes", "64 threads", BLUE),
    ("tl.load", "LDGSTS, UTMALDG", "shared memory", "128 bytes", GREY),
    ("every line", "each of them", "schedulers", "4 instructions", GREY),
)


@drawn
def units_diagram():
    """Draw which line of a kernel becomes which instruction, and which unit is busy with it."""
    ax = sheet(0.55 + 0.47 * len(ROWS))
    for name, x in COLUMNS.items():
        heading(ax, x, 0.2, name)
    for n, (line, instruction, unit, rate, color) in enumerate(ROWS):
        y = 0.62 + 0.47 * n
        box(ax, 0.95, y, 1.5, 0.36, line)
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
