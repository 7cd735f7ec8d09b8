"""Three places at which a map can be questioned: its weights, a state, a letter."""

from attnbook.colours import BLUE, GREEN, ORANGE, SERIES
from attnbook.plots.primitives import box, frame, line, sheet, text
from attnbook.plots.style import drawn

TEXT, WRITTEN, WEIGHTS = "14 July", "7", (0.01, 0.01, 0.01, 0.11, 0.01, 0.84, 0.01)
TOUCHED = 5  # the letter with the largest weight
STEP, CELL = 0.42, 0.3  # inches
LEFT, SYMBOL, STATES, LETTERS = 0.12, 0.4, 1.6, 2.35
CHANGES = (
    (SYMBOL + 0.35, "other weights", "The states stay as they are."),
    (STATES, "one state less", "But its letter has been read."),
    (LETTERS, "one letter less", "Then any state may change."),
)


@drawn
def interventions_diagram():
    """Draw letters, their states, the weights of one symbol, and what is changed at each level."""
    ax = sheet(2.75)
    places = [LEFT + STEP * (n + 0.5) for n in range(len(TEXT))]
    middle = sum(places) / len(places)
    for x, weight in zip(places, WEIGHTS, strict=True):
        ends = [STATES - CELL / 2, SYMBOL + CELL / 2]
        line(ax, [x, middle], ends, 0.6 + 6 * weight, SERIES[1], zorder=0.5)
    box(ax, middle, SYMBOL, CELL, CELL, WRITTEN, GREEN)
    line(ax, [places[0], places[-1]], [STATES, STATES], 1, zorder=0.5)
    for x, letter in zip(places, TEXT, strict=True):
        line(ax, [x, x], [STATES, LETTERS], 1, zorder=0.5)
        box(ax, x, STATES, CELL, CELL, color=ORANGE)
        box(ax, x, LETTERS, CELL, CELL, letter if letter != " " else "·", BLUE)
    for y in (STATES, LETTERS):
        frame(ax, places[TOUCHED], y, CELL + 0.1, CELL + 0.1)
    for y, name, meaning in CHANGES:
        text(ax, 3.3, y - 0.15, name, weight="semibold", ha="left")
        text(ax, 3.3, y + 0.15, meaning, ha="left")
    return ax.figure
