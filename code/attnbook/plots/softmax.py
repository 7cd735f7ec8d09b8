"""The diagrams of softmax: what becomes of a row of scores, and how a score moves the output."""

from attnbook.colours import BLUE, GREEN, GREY, INK, MUTED, ORANGE, PAPER, SERIES
from attnbook.plots.parts import arrow, box, heading, line, sheet, text
from attnbook.plots.style import drawn

ROW = {  # the book's example
    "scores": (["0", "ln 3", "ln 4"], PAPER),
    "minus the largest": (["−ln 4", "ln 3/4", "0"], PAPER),
    "exponentials": (["1/4", "3/4", "1"], GREY),
    "weights": (["1/8", "3/8", "4/8"], BLUE),
}
STEPS = ["− m", "exp", "÷ sum"]
LARGEST, TOTAL, LSE = "ln 4", "2", "ln 8"
VALUES, EIGHTHS, OUTPUT = (0, 4, 8), (1, 3, 4), 5.5


@drawn
def softmax_diagram():
    """Draw one row of scores on its way to weights, and what it leaves besides, its lse."""
    ax = sheet(3.1)
    places, rows, low = (0.7, 2.3, 4.05, 5.85), (0.85, 1.3, 1.75), 2.7
    for x, (name, (cells, color)) in zip(places, ROW.items(), strict=True):
        heading(ax, x, 0.35, name)
        for y, cell in zip(rows, cells, strict=True):
            box(ax, x, y, 0.75, 0.34, cell, color)
    for start, end, step in zip(places[:-1], places[1:], STEPS, strict=True):
        text(ax, (start + end) / 2, rows[1] - 0.2, step, color=MUTED)
        arrow(ax, (start + 0.45, rows[1]), (end - 0.45, rows[1]))
    for x, words in ((places[0], f"m = {LARGEST}"), (places[2], f"sum = {TOTAL}")):
        arrow(ax, (x, 2.0), (x, low - 0.22))
        box(ax, x, low, 0.95, 0.34, words, GREY)
    arrow(ax, (places[0] + 0.5, low), (1.47, low))
    arrow(ax, (places[2] - 0.5, low), (3.13, low))
    box(ax, places[1], low, 1.64, 0.34, f"L = m + ln sum = {LSE}", GREEN)
    return ax.figure


@drawn
def pull_diagram():
    """Draw how far each score pulls the output: its key's weight of the way to its value."""
    ax = sheet(2.75)
    low = 2.3

    def place(value):
        return 1.1 + 0.42 * value

    text(ax, place(OUTPUT), 0.2, f"output {OUTPUT}")
    line(ax, [place(OUTPUT)] * 2, [0.35, low], 1, linestyle=(0, (3, 2)))
    heading(ax, 5.7, 0.2, "derivative")
    for key, (value, eighths) in enumerate(zip(VALUES, EIGHTHS, strict=True)):
        y = 0.7 + 0.55 * key
        pull = eighths * (value - OUTPUT)
        text(ax, 0.4, y, f"key {key}")
        line(ax, [place(OUTPUT), place(value)], [y, y], 1, zorder=0)
        arrow(ax, (place(OUTPUT), y), (place(OUTPUT + pull / 8), y), 3, SERIES[0])
        box(ax, place(value), y, 0.34, 0.34, f"{value}", ORANGE)
        words = f"{eighths}/8 · ({value} − {OUTPUT}) = {pull:g}/8"
        text(ax, 5.7, y, words.replace("-", "−"), color=INK)
    line(ax, [place(0), place(8)], [low, low], 1)
    for value in range(0, 9, 2):
        line(ax, [place(value)] * 2, [low, low + 0.07], 1)
        text(ax, place(value), low + 0.24, f"{value}", color=MUTED)
    return ax.figure
