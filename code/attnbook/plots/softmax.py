"""The diagrams of softmax: a row, a masked row, two blocks, where exp overflows, and pulls."""

import numpy as np

from attnbook.colours import BLUE, GREEN, GREY, INK, MUTED, ORANGE, PAPER, SEEN, SERIES
from attnbook.plots.numerals import on_axis
from attnbook.plots.primitives import arrow, box, heading, line, matrix, sheet, text
from attnbook.plots.style import drawn

ROW = {  # the book's example
    "scores": (["0", "ln 3", "ln 4"], PAPER),
    "minus the largest": (["−ln 4", "ln 0.75", "0"], PAPER),
    "exponentials": (["1/4", "3/4", "1"], GREY),
    "weights": (["1/8", "3/8", "4/8"], BLUE),
}
STEPS = ["− m", "exp", "÷ sum"]
LARGEST, TOTAL, LSE = "ln 4", "2", "ln 8"
VISIBLE = (True, True, False)
MASKED_ROW = {  # the same with its last key hidden
    "scores": (["0", "ln 3", "ln 4"], PAPER),
    "replaced": (["0", "ln 3", "−∞"], PAPER),
    "exponentials": (["1", "3", "0"], GREY),
    "weights": (["1/4", "3/4", "0"], BLUE),
}
MASKED_TOTAL = "4"
VALUES, EIGHTHS, OUTPUT = (0, 4, 8), (1, 3, 4), 5.5
BLOCKS = {  # the book's example in two blocks: scores, weights, values, lse, output
    "block a": (["0", "ln 3"], ["1/4", "3/4"], [0, 4], "ln 4", 3),
    "block b": (["ln 4"], ["1"], [8], "ln 4", 8),
}
MERGED = ("ln 8", 5.5)
FORMATS = {  # smallest positive number, largest number, largest score whose exponential is finite
    "float16": (5.96e-8, 65504, 11.09),
    "bfloat16": (9.18e-41, 3.39e38, 88.72),
    "float32": (1.4e-45, 3.40e38, 88.72),
}


@drawn
def softmax_diagram():
    """Draw one row of scores on its way to weights, and what it leaves besides, its lse."""
    ax = sheet(3.1)
    places, rows, low = (0.7, 2.3, 4.05, 5.85), (0.85, 1.3, 1.75), 2.7
    _columns(ax, ROW, places, rows)
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


def _columns(ax, row, places, rows):
    for x, (name, (cells, color)) in zip(places, row.items(), strict=True):
        heading(ax, x, 0.35, name)
        for y, cell in zip(rows, cells, strict=True):
            box(ax, x, y, 0.75, 0.34, cell, color)


@drawn
def masked_softmax_diagram():
    """Draw one row of scores whose last key is hidden, on its way through a mask to weights."""
    ax = sheet(2.05)
    places, rows, mask = (0.6, 2.55, 4.25, 6.05), (0.85, 1.3, 1.75), 1.55
    _columns(ax, MASKED_ROW, places, rows)
    heading(ax, mask, 0.35, "mask")
    for y, seen in zip(rows, VISIBLE, strict=True):
        matrix(ax, mask, y, [[SEEN if seen else None]], 0.34)
        arrow(ax, (places[0] + 0.45, y), (mask - 0.24, y))
        if seen:
            arrow(ax, (mask + 0.24, y), (places[1] - 0.45, y))
    steps = ("exp", f"÷ {MASKED_TOTAL}")
    for start, end, step in zip(places[1:-1], places[2:], steps, strict=True):
        text(ax, (start + end) / 2, rows[0] - 0.2, step, color=MUTED)
        for y in rows:
            arrow(ax, (start + 0.45, y), (end - 0.45, y))
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


@drawn
def merge_diagram():
    """Draw two blocks of keys, each with its lse and its output, merged into one."""
    ax = sheet(3.7)
    for y, (name, (scores, weights, values, lse, output)) in zip(
        (0.75, 2.35), BLOCKS.items(), strict=True
    ):
        _block(ax, y, name, scores, weights, values)
        arrow(ax, (3.05, y + 0.25), (3.38, y + 0.25))
        _pair(ax, 3.95, y + 0.25, lse, output)
        arrow(ax, (4.55, y + 0.25), (5.15, 1.8 + (0.12 if y > 1.8 else -0.12)))
    text(ax, 4.58, 1.8, "fractions\n1/2, 1/2", size=12.5)
    _pair(ax, 5.85, 1.8, *MERGED)
    heading(ax, 5.85, 1.1, "both")
    text(ax, 3.35, 3.5, "the fraction of a block is exp(its lse − lse of both)", color=MUTED)
    return ax.figure


def _block(ax, y, name, scores, weights, values):
    box(ax, 1.62, y + 0.25, 2.8, 1.4, color=GREY, linewidth=0)
    heading(ax, 0.6, y - 0.27, name)
    for row, (label, cells, color) in enumerate(
        [("scores", scores, PAPER), ("weights", weights, BLUE), ("values", values, ORANGE)]
    ):
        text(ax, 0.98, y + 0.02 + 0.34 * row, label, ha="right", color=MUTED)
        for j, cell in enumerate(cells):
            box(ax, 1.45 + 0.75 * j, y + 0.02 + 0.34 * row, 0.62, 0.28, f"{cell}", color)


def _pair(ax, x, y, lse, output):
    box(ax, x, y - 0.2, 1.1, 0.34, f"lse = {lse}", GREEN)
    box(ax, x, y + 0.2, 1.1, 0.34, f"output {output:g}", ORANGE)


@drawn
def number_line():
    """Draw on one line, of powers of ten, which numbers three formats hold, and where exp ends."""
    ax = sheet(2.9)
    left, right, low, high = 1.05, 6.35, -46, 40

    def place(power):
        return left + (right - left) * (power - low) / (high - low)

    for row, (name, (least, most, score)) in enumerate(FORMATS.items()):
        y = 0.45 + 0.62 * row
        start, end = place(np.log10(least)), place(np.log10(most))
        text(ax, 0.9, y, name, ha="right")
        box(ax, (start + end) / 2, y, end - start, 0.24, color=BLUE)
        text(
            ax,
            (end + 0.08) if row == 0 else end,
            y - (0 if row == 0 else 0.26),
            f"exp overflows above {score:.2f}",
            ha="left" if row == 0 else "right",
            color=INK,
        )
    line(ax, [left, right], [2.2, 2.2], 1)
    for power in range(-40, 41, 10):
        line(ax, [place(power)] * 2, [2.2, 2.27], 1)
        text(ax, place(power), 2.43, on_axis([10.0**power, 1e9])[0] if power else "1")
    line(ax, [place(0)] * 2, [0.15, 2.2], 1, linestyle=(0, (3, 2)), zorder=3)
    text(ax, (left + right) / 2, 2.74, "positive numbers that the format holds", color=MUTED)
    return ax.figure
