"""The diagrams of the NumPy chapters, each of which shows one idea at a glance."""

import numpy as np

from attnbook.colours import BLUE, GREEN, GREY, INK, MUTED, ORANGE, PAPER, SERIES
from attnbook.plots.numerals import on_axis
from attnbook.plots.parts import arrow, box, heading, line, plus, sheet, text, vector
from attnbook.plots.style import drawn

KERNEL = {"keys": (1.0, 2.0, 3.0), "query": 2.5, "widths": {"narrow": 0.3, "medium": 1, "wide": 4}}
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
def kernel_diagram():
    """Draw what a kernel's width does: a bump at the query, as high as a key's weight there.

    Three panels, narrow, medium and wide; bars are the kernel's values at three keys, and under
    each key stands its weight.
    """
    ax = sheet(2.95)
    for n, (name, width) in enumerate(KERNEL["widths"].items()):
        _bump(ax, 0.2 + 2.22 * n, name, width)
    text(ax, 3.35, 2.78, "under each key its weight", color=MUTED)
    return ax.figure


def _bump(ax, left, name, width):
    query, keys, floor, high, unit = KERNEL["query"], np.array(KERNEL["keys"]), 1.9, 1.1, 0.48
    x = np.linspace(0, 4, 90)
    at_keys = np.exp(-(((keys - query) / width) ** 2) / 2)
    weights = at_keys / at_keys.sum()
    heading(ax, left + 2 * unit, 0.2, f"{name}, width {width:g}")
    line(
        ax, left + unit * x, floor - high * np.exp(-(((x - query) / width) ** 2) / 2), 2, SERIES[0]
    )
    line(ax, [left, left + 4 * unit], [floor, floor], 1)
    line(ax, [left + unit * query] * 2, [floor, floor - high - 0.12], 1, linestyle=(0, (3, 2)))
    text(ax, left + unit * query, floor - high - 0.24, "$q$", size=14)
    for j, (key, value, weight) in enumerate(zip(keys, at_keys, weights, strict=True)):
        place = left + unit * key
        line(ax, [place, place], [floor, floor - high * value], 7, SERIES[1], solid_capstyle="butt")
        text(ax, place, floor + 0.19, f"$k_{j}$", size=14)
        text(ax, place, floor + 0.5, f"{weight:.2f}")


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
    text(ax, 4.62, 1.8, "shares\n1/2, 1/2", size=12.5)
    _pair(ax, 5.85, 1.8, *MERGED)
    heading(ax, 5.85, 1.1, "both")
    text(ax, 3.35, 3.5, "the share of a block is exp(its lse − lse of both)", color=MUTED)
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


@drawn
def additive_network():
    """Draw the additive score as a network: a query and a wider key, two hidden units, a score."""
    ax, rows = sheet(3.0), (0.95, 2.1)
    for x, name in [(0.95, "query, key"), (3.1, "two hidden units"), (5.75, "score")]:
        heading(ax, x, 0.25, name)
    inputs = [("$q$", "blues", (0.9, 0.3), "$W_q$"), ("$k$", "greens", (0.2, 0.8, 0.5), "$W_k$")]
    for y, out, (name, colors, shades, matrix) in zip(rows, (-1, 1), inputs, strict=True):
        left = 1.3 - 0.3 * len(shades)
        vector(ax, (left + 1.3) / 2, y, shades, colors, 0.3)
        text(ax, left - 0.17, y, name, size=16)
        text(ax, 1.85, y + 0.26 * out, matrix, size=16)
        for unit in rows:
            arrow(ax, (1.35, y), (2.42, unit + 0.09 * out))
    for unit, (y, out) in enumerate(zip(rows, (-1, 1), strict=True)):
        box(ax, 3.1, y, 1.3, 0.5, "tanh(sum)", GREY)
        arrow(ax, (3.78, y), (5.35, 1.525 + 0.1 * out))
        text(ax, 4.65, y - 0.07 * out, f"$w_{{v,{unit}}}$", size=16)
    plus(ax, 5.5, 1.525)
    arrow(ax, (5.64, 1.525), (5.95, 1.525))
    box(ax, 6.25, 1.525, 0.52, 0.4, "$s$", BLUE)
    text(ax, 3.35, 2.78, r"$s = \tanh(q\,W_q + k\,W_k) \cdot w_v$", size=16)
    return ax.figure
