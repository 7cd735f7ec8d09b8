"""Diagrams with words and arrows: sentences, arrows of vectors, boxes of shapes."""

import numpy as np

from attnbook.colours import BLUE, GREEN, MUTED, ORANGE, PAPER, SERIES
from attnbook.plots.arguments import real_array
from attnbook.plots.primitives import arrow, box, heading, line, sheet, text
from attnbook.plots.style import WIDTH, drawn

INCHES = {"b": 0.13, "h": 0.13, "n_q": 0.85, "n_k": 1.3, "d_k": 0.5, "d_v": 0.65, "d_model": 0.9}
SIGN, MARGIN = 0.35, 0.45  # what a sign needs, and an array beside its box, in inches
SMALLEST = 0.65  # of the sizes above; in smaller boxes the words would meet
WRITTEN = {"d_model": r"d_{\mathrm{model}}"}


@drawn
def sentences(source, target, weights, *, names=("asks", "answers")):
    """Draw two sentences and from each word that asks lines to the words that answer.

    `source` asks and stands above, `target` answers; `weights` has shape (source, target), and the
    more it is, the thicker is the line. Weights below 0.05 are left out.

    Raises
    ------
    ValueError
        If the shape does not fit the sentences.
    """
    weights = real_array("weights", weights, (len(source), len(target)))
    ax = sheet(2.6)
    places = [
        _row(ax, y, words, color)
        for y, words, color in ((0.55, source, BLUE), (2.05, target, GREEN))
    ]
    for y, name in zip((0.55, 2.05), names, strict=True):
        text(ax, 0.1, y, name, ha="left", color=MUTED)
    for i, j in np.argwhere(weights >= 0.05):
        look = {"width": 0.6 + 6 * weights[i, j], "color": SERIES[0], "zorder": 0}
        line(ax, [places[0][i], places[1][j]], [0.74, 1.86], **look)
    return ax.figure


def _row(ax, y, words, color):
    left = 1.0
    step = (WIDTH - left - 0.1) / len(words)
    places = [left + step * (n + 0.5) for n in range(len(words))]
    for x, word in zip(places, words, strict=True):
        box(ax, x, y, min(step - 0.12, 0.3 + 0.1 * len(word)), 0.36, word, color)
    return places


@drawn
def arrows(query, keys, orders):
    """Draw one query and some keys as arrows in the plane, and beside them the keys in order.

    `query` has shape (2,) and `keys` (n, 2); `orders`, name → the numbers of keys, says which comes
    first.

    Raises
    ------
    ValueError
        If a shape does not fit, or an order does not hold each key once.
    """
    query, keys = real_array("query", query, (2,)), real_array("keys", keys, ("n", 2))
    for name, order in orders.items():
        if sorted(order) != list(range(len(keys))):
            raise ValueError(f"orders[{name!r}] is {order}; expected each of {len(keys)} keys once")
    ax = sheet(3.6)
    _fan(ax, [query, *keys])
    for n, (name, order) in enumerate(orders.items()):
        _order(ax, 0.6 + 1.45 * n, name, order)
    text(ax, 5.35, 3.35, "the first gets the largest weight", color=MUTED)
    return ax.figure


def _fan(ax, ends):
    """Arrows from one point, at one scale; the first is the query."""
    low, high = np.min([*ends, [0, 0]], 0), np.max([*ends, [0, 0]], 0)
    scale = min(3.4 / (high[0] - low[0]), 2.9 / (high[1] - low[1]))
    middle = (low + high) / 2
    for n, end in enumerate(ends):
        name, width, color = (f"$k_{n - 1}$", 1.8, MUTED) if n else ("$q$", 2.4, SERIES[0])
        tip = _place(end - middle, scale)
        arrow(ax, _place(-middle, scale), tip, width, color)
        away = end / np.linalg.norm(end) * 0.2
        text(ax, tip[0] + away[0], tip[1] - away[1], name, size=15, color=color)


def _place(vector, scale):
    return 2.15 + scale * vector[0], 1.8 - scale * vector[1]


def _order(ax, y, name, order):
    """The keys in a row, the first of them in colour."""
    heading(ax, 5.55, y, name)
    for place, key in enumerate(order):
        x = 5.55 + 0.55 * (place - (len(order) - 1) / 2)
        box(ax, x, y + 0.45, 0.45, 0.4, f"$k_{key}$", PAPER if place else ORANGE)


@drawn
def shape_diagram(parts):
    """Draw arrays as boxes with their axes, and signs between them.

    `parts` holds pairs (name, axes) and signs: [("$Q$", "b n_q d_k"), "·", …]. Of three axes the
    first is the depth of a stack; a name in dollars is a formula. Above a sign stands the word that
    follows it, which has room for eight letters: "→ softmax".

    Raises
    ------
    ValueError
        If an axis has a name that has no size here, or the parts do not fit the page's width.
    """
    sizes = _fitting([None if isinstance(part, str) else _axes(part[1]) for part in parts])
    wide = [size[-1] + MARGIN if size else SIGN for size in sizes]
    tall = max(size[-2] for size in sizes if size)
    ax, x = sheet(tall + 1.5), (WIDTH - sum(wide)) / 2
    y = 0.65 + tall / 2
    for part, size, width in zip(parts, sizes, wide, strict=True):
        if size:
            _array(ax, x + width / 2 + 0.08, y, size, *part)
        else:
            sign, _, word = part.partition(" ")
            text(ax, x + width / 2, y, sign, size=17)
            text(ax, x + width / 2, y - 0.34, word, color=MUTED)
        x += width
    return ax.figure


def _fitting(sizes):
    """The sizes, all shrunk by one factor if they are too wide for the page together."""
    room = WIDTH - sum(MARGIN if size else SIGN for size in sizes)
    wanted = sum(size[-1] for size in sizes if size)
    if room < SMALLEST * wanted:
        raise ValueError(f"parts holds {len(sizes)} parts; expected fewer, they do not fit a page")
    shrink = min(1, room / wanted)
    return [size and [shrink * axis for axis in size] for size in sizes]


def _axes(axes):
    if unknown := [name for name in axes.split() if name not in INCHES]:
        raise ValueError(f"parts has an axis {unknown[0]!r}; expected one of {', '.join(INCHES)}")
    return [INCHES[name] for name in axes.split()]


def _array(ax, x, y, size, name, axes):
    *_, height, width = size
    depth = 3 if len(size) > 2 else 1
    for layer in reversed(range(depth)):
        shift = 0.07 * layer
        box(ax, x + shift, y - shift, width, height, color=BLUE)
    text(ax, x, y, name, size=15)
    shown = [f"${WRITTEN.get(axis, axis)}$" for axis in axes.split()]
    text(ax, x - width / 2 - 0.18, y, shown[-2], size=14, color=MUTED)
    text(ax, x, y + height / 2 + 0.17, shown[-1], size=14, color=MUTED)
    if depth > 1:
        text(
            ax,
            x + width / 2 + 0.12,
            y - height / 2 - 0.28,
            ", ".join(shown[:-2]),
            size=14,
            color=MUTED,
        )
    text(ax, x, y + height / 2 + 0.52, f"({', '.join(shown)})", size=13)
