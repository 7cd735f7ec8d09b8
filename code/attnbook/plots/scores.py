"""How a key gets its score: by a kernel of some width, or by a network for two widths."""

import numpy as np

from attnbook.colours import BLUE, GREY, MUTED, SERIES
from attnbook.plots.primitives import arrow, box, heading, line, plus, sheet, text, vector
from attnbook.plots.style import drawn

KERNEL = {"keys": (1.0, 2.0, 3.0), "query": 2.5, "widths": {"narrow": 0.3, "medium": 1, "wide": 4}}


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
