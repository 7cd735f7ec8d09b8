"""A date that is read and written again, through one vector and with attention."""

from attnbook.colours import BLUE, GREEN, MUTED, ORANGE, SERIES
from attnbook.plots.primitives import arrow, box, heading, line, sheet, text
from attnbook.plots.style import drawn

TEXT, WRITTEN = "7 mars 1988", "1988-03-07"
LOOKS = {9: {0: 1.0}, 6: {4: 0.7, 5: 0.3}, 2: {9: 1.0}}  # symbol → letter → weight
STEP, CELL, READ, WRITE = 0.29, 0.25, 0.75, 2.1  # inches


@drawn
def alignment_diagram():
    """Draw one date twice: handed over as one vector, and looked up letter by letter."""
    ax = sheet(2.95)
    for left, title in ((0.05, "one vector"), (3.4, "attention")):
        heading(ax, left + STEP * 5, 0.2, title)
        _row(ax, left, READ, TEXT, BLUE, up=-0.27)
        _row(ax, left, WRITE, WRITTEN, GREEN, up=0.27)
    last, first = 0.05 + STEP * (len(TEXT) - 0.5), 0.05 + STEP * 0.5
    middle = (READ + WRITE) / 2
    box(ax, (last + first) / 2, middle, 0.9, 0.3, "vector", ORANGE)
    for letter, side in ((last, 0.47), (first, -0.47)):
        arrow(ax, (letter, READ + 0.14), ((last + first) / 2 + side, middle - 0.05))
    arrow(ax, ((last + first) / 2 - 0.47, middle + 0.05), (first, WRITE - 0.14))
    for symbol, letters in LOOKS.items():
        for letter, weight in letters.items():
            ends = [3.4 + STEP * (n + 0.5) for n in (symbol, letter)]
            line(ax, ends, [WRITE - 0.14, READ + 0.14], 0.6 + 4 * weight, SERIES[1])
    text(ax, 3.35, 2.75, "above the letters that are read, below what is written", color=MUTED)
    return ax.figure


def _row(ax, left, y, words, color, up):
    """A state for each letter, joined to the next, and the letter beside it."""
    end = left + STEP * len(words)
    for n, letter in enumerate(words):
        box(ax, left + STEP * (n + 0.5), y, CELL - 0.06, CELL, color=color)
        text(ax, left + STEP * (n + 0.5), y + up, letter if letter != " " else "·")
    line(ax, [left + STEP / 2, end - STEP / 2], [y, y], 1, zorder=0.5)
