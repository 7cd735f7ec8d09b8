"""Positions as hands of clocks, and the three ways in which a position enters a score."""

import numpy as np
from matplotlib.patches import Circle

from attnbook.colours import MUTED, ORANGE, PAPER, SERIES
from attnbook.plots.arguments import names_of, real_array
from attnbook.plots.primitives import arrow, box, heading, line, sheet, text, tint
from attnbook.plots.style import WIDTH, drawn

LABELS, HEAD, ROW = 1.25, 0.55, 0.8  # inches
WORDS = "black", "cats", "sleep"
PANEL, STEP = 2.233, 0.68  # inches: a panel, and a position in it


@drawn
def clock_hands(angles, rows, columns):
    """Draw a clock for each angle of an array (rows, columns), in radians, with its hand there.

    Angle 0 points to the right, and angles grow against the clock's own sense, as in mathematics.
    The face of a clock whose hand has wrapped around at least once is coloured.

    Raises
    ------
    ValueError
        If a shape, a dtype or the number of some names does not fit.
    """
    angles = real_array("angles", angles, ("rows", "columns"))
    rows = names_of("rows", rows, len(angles))
    columns = names_of("columns", columns, angles.shape[1])
    step = (WIDTH - LABELS) / len(columns)
    ax = sheet(HEAD + ROW * len(rows) + 0.05)
    for j, column in enumerate(columns):
        text(ax, LABELS + step * (j + 0.5), 0.3, column, color=MUTED)
    for i, row in enumerate(rows):
        y = HEAD + ROW * (i + 0.5)
        text(ax, LABELS - 0.08, y, row, ha="right")
        for j, angle in enumerate(angles[i]):
            face = ORANGE if abs(angle) >= 2 * np.pi else PAPER
            _clock(ax, LABELS + step * (j + 0.5), y, min(step, ROW) * 0.42, [angle], face)
    return ax.figure


def _clock(ax, x, y, radius, angles, face=PAPER, colors=SERIES):
    """A face with a hand for each angle."""
    look = {"facecolor": face, "edgecolor": MUTED, "linewidth": 1, "clip_on": False}
    ax.add_patch(Circle((x, y), radius, **look))
    for angle, color in zip(angles, colors, strict=False):
        end = x + radius * np.cos(angle), y - radius * np.sin(angle)
        arrow(ax, (x, y), end, 1.8, color)


@drawn
def two_hands(queries, keys, titles):
    """Draw a query and a key as hands of one clock, one clock for each pair of angles, in radians.

    Each clock stands below its title and shows the angle from the key to the query in degrees.

    Raises
    ------
    ValueError
        If a shape, a dtype or the number of titles does not fit.
    """
    queries = real_array("queries", queries, ("n",))
    keys = real_array("keys", keys, queries.shape)
    titles = names_of("titles", titles, len(queries))
    ax, step, radius = sheet(2.45), WIDTH / len(queries), 0.75
    for n, (query, key, title) in enumerate(zip(queries, keys, titles, strict=True)):
        x, y = step * (n + 0.5), 1.4
        heading(ax, x, 0.2, title)
        _clock(ax, x, y, radius, [query, key])
        for name, angle, color in zip("qk", (query, key), SERIES, strict=False):
            where = x + 1.2 * radius * np.cos(angle), y - 1.2 * radius * np.sin(angle)
            text(ax, *where, f"${name}$", size=15, color=color)
        _angle(ax, x, y, radius, key, query)
    return ax.figure


def _angle(ax, x, y, radius, start, end):
    """An arc between two hands, and how many degrees it has."""
    turn = np.linspace(start, end, 30)
    line(ax, x + 0.35 * radius * np.cos(turn), y - 0.35 * radius * np.sin(turn), 1.4)
    middle = (start + end) / 2
    where = x + 0.62 * radius * np.cos(middle), y - 0.62 * radius * np.sin(middle)
    text(ax, *where, f"{np.degrees(end - start):.0f}°", color=MUTED)


@drawn
def positions_diagram():
    """Draw three words and the three ways of a position: added, rotated by, or a penalty."""
    ax = sheet(3.0)
    panels = ("add to the word", _added), ("rotate query and key", _rotated)
    for n, (title, panel) in enumerate((*panels, ("subtract a penalty", _penalty))):
        middle = PANEL * (n + 0.5)
        heading(ax, middle, 0.2, title)
        for position in range(3):
            x = middle + STEP * (position - 1)
            text(ax, x, 2.8, f"{position}", color=MUTED)
            panel(ax, x, position)
        if n:
            line(ax, [PANEL * n] * 2, [0.15, 2.9], 1)
    return ax.figure


def _added(ax, x, position):
    box(ax, x, 0.85, 0.62, 0.34, WORDS[position])
    text(ax, x, 1.3, "+", size=16)
    for m, theta in enumerate((1.0, 0.3)):
        for n, wave in enumerate((np.sin, np.cos)):
            amount = (1 + wave(theta * position)) / 2
            box(ax, x, 1.65 + 0.25 * (2 * m + n), 0.25, 0.25, color=tint("oranges", amount))


def _rotated(ax, x, position):
    """The key of each position, and at the last the query."""
    angle = np.pi / 2 * position
    _clock(ax, x, 1.85, 0.28, [angle], colors=SERIES[1:])
    text(ax, x, 2.35, f"$k_{position}$", size=15, color=SERIES[1])
    if position == 2:
        _clock(ax, x, 0.95, 0.28, [angle])
        text(ax, x - 0.45, 0.95, f"$q_{position}$", size=15, color=SERIES[0])


def _penalty(ax, x, position):
    """What is subtracted from the score, from the position of the query, 2, back."""
    high, far = 0.55, 2 - position
    line(ax, [x - 0.25, x + 0.25], [0.85, 0.85], 1)
    if far:
        look = {"color": SERIES[1], "solid_capstyle": "butt"}
        line(ax, [x, x], [0.85, 0.85 + high * far], 14, **look)
    text(ax, x, 1.05 + high * far, ["0", "$-c$", "$-2c$"][far], size=14)
