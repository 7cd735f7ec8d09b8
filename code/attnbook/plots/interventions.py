"""Three places at which a map can be questioned: its weights, a state, a letter."""

from attnbook.colours import BLUE, GREEN, ORANGE, SERIES
from attnbook.plots.primitives import box, frame, line, sheet, text
from attnbook.plots.style import drawn

TEXT, WRITTEN, WEIGHTS = "7 mars", "3", (0.02, 0.03, 0.05, 0.1, 0.6, 0.2)
TOUCHED = 4  # the letter with the largest weight
STEP, CELL = 0.42, 0.3  # inches
LEFT, SYMBOL, STATES, LETTERS = 0.3, 0.4, 1.6, 2.35
QUESTIONS = (
    (SYMBOL + 0.35, "other weights", "Does the symbol stay the same?"),
    (STATES, "one state less", "How far does its probability move?"),
    (LETTERS, "one letter less", "And if it had never been read?"),
)


@drawn
def interventions_diagram():
    """Draw letters, their states, the weights of one symbol, and a question at each level."""
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
    for y, name, question in QUESTIONS:
        text(ax, 3.3, y - 0.15, name, weight="semibold", ha="left")
        text(ax, 3.3, y + 0.15, question, ha="left")
    return ax.figure
