"""The large diagrams: the book in one picture, the three ways of attention, several heads."""

from itertools import pairwise

import numpy as np

from attnbook.colours import BLUE, FAINT, GREEN, GREY, MUTED, ORANGE
from attnbook.plots.primitives import arrow, box, heading, line, matrix, sheet, text, tint, vector
from attnbook.plots.style import drawn

# What six stations of the book show, in small: scores, their softmax, and so on.
SCORES = 0, 3, 1
WEIGHTS = np.exp(SCORES) / np.exp(SCORES).sum()
STATIONS = {
    "scores": "how well query\nand key match",
    "softmax": "weights that\nsum to 1",
    "average": "of the values,\nby these weights",
    "heads": "several\nat once",
    "blocks": "a piece at a time,\nthen merged",
    "GPU": "where memory\nsets the pace",
}
ENGLISH, FRENCH = ("black", "cats", "sleep"), ("les", "chats", "noirs", "dorment")
WAYS = {  # who asks, who answers, and whether later words are hidden
    "bidirectional": (ENGLISH, ENGLISH, False),
    "causal": (ENGLISH, ENGLISH, True),
    "cross": (FRENCH, ENGLISH, False),
}
HEADS = (BLUE, GREEN, ORANGE)


@drawn
def book_in_one_picture():
    """Draw the way of the book: scores, softmax, average, heads, blocks, GPU."""
    ax = sheet(4.3)
    for n, (name, words) in enumerate(STATIONS.items()):
        x, y = 1.15 + 2.2 * (n % 3), 0.95 + 2.15 * (n // 3)
        heading(ax, x, y - 0.75, name)
        text(ax, x, y + 0.8, words, color=MUTED)
        PICTURES[name](ax, x, y)
        if n % 3 < 2:
            arrow(ax, (x + 0.9, y), (x + 1.25, y))
    return ax.figure


def _scores(ax, x, y):
    vector(ax, x - 0.62, y, (0.9, 0.3), "blues", 0.2)
    text(ax, x - 0.3, y, "·", size=17)
    for k, shades in enumerate([(0.2, 0.7), (0.9, 0.2), (0.5, 0.6)]):
        vector(ax, x + 0.05, y + 0.32 * (k - 1), shades, "greens", 0.2)
        arrow(ax, (x + 0.3, y + 0.32 * (k - 1)), (x + 0.5, y + 0.32 * (k - 1)))
        box(ax, x + 0.66, y + 0.32 * (k - 1), 0.26, 0.26, f"{SCORES[k]}")


def _softmax(ax, x, y):
    colors, words = [tint("blues", w) for w in WEIGHTS], [f"{w:.2f}" for w in WEIGHTS]
    matrix(ax, x, y, [colors], 0.5, [words])


def _average(ax, x, y):
    for k, weight in enumerate(WEIGHTS):
        here = y + 0.32 * (k - 1)
        box(ax, x - 0.5, here, 0.42, 0.24, color=tint("oranges", (0.1, 0.5, 1)[k]))
        line(ax, [x - 0.27, x + 0.36], [here, y], 0.8 + 7 * weight, zorder=0)
    box(ax, x + 0.57, y, 0.42, 0.24, color=tint("oranges", 0.55))


def _heads(ax, x, y):
    for k, colors in enumerate(("oranges", "greens", "blues")):
        shades = np.roll(np.eye(4) * 0.8 + 0.1, k, 1)[:3]
        colored = [[tint(colors, amount) for amount in row] for row in shades]
        matrix(ax, x + 0.16 * (1 - k), y - 0.14 * (1 - k), colored, 0.27)


def _blocks(ax, x, y):
    colored = [[BLUE if (i // 2 + j // 3) % 2 else GREY for j in range(6)] for i in range(4)]
    colored[0][:3] = colored[1][:3] = [ORANGE] * 3
    matrix(ax, x, y, colored, 0.23)


def _gpu(ax, x, y):
    for k in range(5):
        across = 0.2 * (k - 2)
        line(ax, [x + across] * 2, [y - 0.54, y + 0.54], 2, zorder=0)
        line(ax, [x - 0.54, x + 0.54], [y + across] * 2, 2, zorder=0)
    box(ax, x, y, 0.9, 0.9, color=GREY)
    matrix(ax, x, y, [[BLUE] * 4 for _ in range(4)], 0.18)


PICTURES = {
    "scores": _scores,
    "softmax": _softmax,
    "average": _average,
    "heads": _heads,
    "blocks": _blocks,
    "GPU": _gpu,
}


@drawn
def three_ways_diagram():
    """Draw the three ways side by side: who asks, who answers, and what a mask hides.

    Rows are the words that ask, columns the words that answer; hatched is hidden.
    """
    ax = sheet(3.2)
    for n, (name, (rows, columns, causal)) in enumerate(WAYS.items()):
        x, top, cell = 1.4 + 2.2 * n, 1.36, 0.45
        heading(ax, x - 0.2, 0.2, name)
        color = {ENGLISH: GREEN, FRENCH: BLUE}
        for k, (words, role) in enumerate([(rows, "asks"), (columns, "answers")]):
            text(ax, x - 0.96, 0.55 + 0.36 * k, role, ha="left", color=MUTED)
            name = "English" if words is ENGLISH else "French"
            box(ax, x + 0.3, 0.55 + 0.36 * k, 0.8, 0.3, name, color[words])
        shown = color[columns]
        seen = [
            [shown if j <= i or not causal else None for j in range(len(columns))]
            for i in range(len(rows))
        ]
        matrix(ax, x, top + len(rows) * cell / 2, seen, cell)
        left = x - len(columns) * cell / 2
        for j, word in enumerate(columns):
            text(ax, left + cell * (j + 0.5), top - 0.14, word)
        for i, word in enumerate(rows):
            text(ax, left - 0.08, top + cell * (i + 0.5), word, ha="right")
    return ax.figure


@drawn
def heads_diagram():
    """Draw multi-head attention: project, split, attend, merge, project, with their shapes."""
    ax, y = sheet(3.7), 1.6
    places = (0.56, 1.72, 2.85, 3.93, 5.02, 6.14)
    names = ("input", "project", "split", "attend", "merge", "project")
    ends = r"n, d_{\mathrm{model}}"
    shapes = (ends, r"n, h\,d_k", "h, n, d_k", "h, n, n", r"n, h\,d_v", ends)
    for x, name, shape in zip(places, names, shapes, strict=True):
        text(ax, x, 0.2, name, weight="semibold", size=15)
        text(ax, x, 3.1, f"$({shape})$", color=MUTED, size=15)
    text(ax, places[3], 3.42, "$(h, n, d_v)$", color=MUTED, size=15)
    for start, end in pairwise(places):
        arrow(ax, (start + 0.47, y), (end - 0.47, y))
    matrix(ax, places[0], y, [[FAINT] * 6] * 4, 0.14)
    matrix(ax, places[1], y, [[c for c in HEADS for _ in range(2)]] * 4, 0.14)
    for k, color in enumerate(HEADS):
        here = y + 0.75 * (k - 1)
        matrix(ax, places[2], here, [[color] * 2] * 4, 0.14)
        seen = [[tint(("blues", "greens", "oranges")[k], a) for a in row] for row in _weights(k)]
        matrix(ax, places[3], here, seen, 0.15)
    matrix(ax, places[4], y, [[c for c in HEADS for _ in range(2)]] * 4, 0.14)
    matrix(ax, places[5], y, [[FAINT] * 6] * 4, 0.14)
    return ax.figure


def _weights(k):
    """Any weights: one pattern for each head."""
    patterns = [np.eye(4), np.tri(4) / np.arange(1, 5)[:, None], np.full((4, 4), 0.25)]
    return patterns[k]
