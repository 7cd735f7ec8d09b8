"""The diagram of the chapter on training: what a model reads of a text, and what it should say."""

from attnbook.colours import BLUE, GREEN, GREY, MUTED
from attnbook.plots.primitives import arrow, heading, matrix, sheet, text
from attnbook.plots.style import drawn

CELL, LEFT = 0.4, 1.75
TEXT = "live=evil.__"
READ = TEXT[:-1]
ASKED = [None] * 4 + list("evil.") + [None] * 2  # for each that is read: the next, or nothing


@drawn
def targets_diagram():
    """Draw a text that is read, and below each token the one that should be said, where any."""
    ax = sheet(1.75)
    heading(ax, 0.85, 0.45, "reads")
    heading(ax, 0.85, 1.05, "should say")
    middle = LEFT + CELL * len(READ) / 2
    colors = [GREY if sign == "_" else BLUE for sign in READ]
    matrix(ax, middle, 0.45, [colors], CELL, [READ])
    matrix(ax, middle, 1.05, [[sign and GREEN for sign in ASKED]], CELL, [ASKED])
    for place, sign in enumerate(ASKED):
        if sign:
            x = LEFT + CELL * (place + 0.5)
            arrow(ax, (x, 0.67), (x, 0.83))
    text(ax, LEFT + 2 * CELL, 1.5, "the question", color=MUTED)
    text(ax, LEFT + 6.5 * CELL, 1.5, "the answer", color=MUTED)
    text(ax, LEFT + 10 * CELL, 1.5, "padding", color=MUTED)
    return ax.figure
