"""The map of the book: which chapter needs which, and the ways through."""

import numpy as np

from attnbook.colours import MUTED, PAPER, SERIES
from attnbook.plots.primitives import line, sheet, text
from attnbook.plots.style import drawn

ROW, TOP, BEND, NAMES, FIRST, APART = 0.29, 0.75, 0.7, 1.1, 3.85, 0.8  # inches


@drawn
def ways_map(chapters, needs, ways):
    """Draw the chapters below each other, an arc to each one that a chapter needs, and the ways.

    `chapters` has their names, in their order, each with the address that it leads to; `needs` has,
    for each, the numbers (from 0) of those that it needs; `ways` has, for each heading, the
    chapters of a way and those that continue it: a filled and an open circle. Between the names and
    the ways a page has room for a word. Raises ValueError if a chapter needs one that comes later.
    """
    names = list(chapters)
    if wrong := [names[n] for n, before in enumerate(needs) if any(b >= n for b in before)]:
        raise ValueError(f"{wrong[0]} needs a chapter that does not stand before it")
    ax = sheet(TOP + ROW * len(names))
    heights = TOP + ROW * np.arange(len(names))
    for n, (name, address) in enumerate(chapters.items()):
        text(ax, NAMES, heights[n], f"{n + 1}", ha="right", color=MUTED)
        text(ax, NAMES + 0.2, heights[n], name, ha="left", url=address)
        for before in needs[n]:
            _arc(ax, heights[before], heights[n], n - before)
    for k, (heading, (chapters, more)) in enumerate(ways.items()):
        x, color = FIRST + APART * k, SERIES[k]
        text(ax, x, 0.3, heading, weight="semibold")
        reached = heights[[*chapters, *more]]
        line(ax, [x, x], [reached.min(), reached.max()], color=color)
        for all_of, fill in ((chapters, color), (more, PAPER)):
            ys = heights[list(all_of)]
            ax.plot([x] * len(ys), ys, "o", ms=8, mfc=fill, mec=color, mew=1.5, clip_on=False)
    return ax.figure


def _arc(ax, upper, lower, steps):
    """Half an ellipse at the left of the names, the wider the more chapters it spans."""
    turn, wide = np.linspace(0, np.pi, 25), BEND * min(1, 0.12 + 0.09 * steps)
    middle, half = (upper + lower) / 2, (lower - upper) / 2 - 0.04
    xs = NAMES - 0.27 - wide * np.sin(turn)
    line(ax, xs, middle - half * np.cos(turn), width=1)
