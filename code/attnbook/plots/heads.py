"""The diagrams of the chapter on heads: what heads read, reach, are cut from, keep and share."""

import numpy as np

from attnbook.colours import BLUE, FAINT, GREEN, GREY, INK, MUTED, ORANGE, SERIES
from attnbook.plots.arguments import dictionary, real_array
from attnbook.plots.primitives import FRAME, arrow, box, heading, line, sheet, text
from attnbook.plots.style import drawn

WORDS = {"2": 2, "−": 0, "10": 10}
HEADS = {  # the weights that the minus gives to the three words, in sixths
    "head 0": ((4, 1, 1), BLUE, SERIES[0]),
    "head 1": ((1, 1, 4), GREEN, SERIES[2]),
}
SHARING = {"multi-head": 4, "grouped-query": 2, "multi-query": 1}
N_HEADS = 4
CUTS = {  # for the two halves of each of four words: the head that gets it, and in which row
    "transpose": [[(half, word) for half in range(2)] for word in range(4)],
    "view": [[divmod(2 * word + half, 4) for half in range(2)] for word in range(4)],
}
TEXT = {"the": 0.1, "black": 0.2, "cats": 0.4, "sleep": 0.3}  # word → weight for the last query


@drawn
def one_and_two_heads():
    """Draw how a minus reads its two numbers: with one head, and with two that are then mixed."""
    ax = sheet(3.5)
    _read(ax, 1.25, "one head", ["head 0"])
    _read(ax, 4.75, "two heads", list(HEADS))
    line(ax, [2.55, 2.55], [0.2, 3.3], 1)
    return ax.figure


def _read(ax, x, title, heads):
    heading(ax, x, 0.22, title)
    apart = 0.75 if len(heads) == 1 else 1.3
    words = dict(zip(WORDS, (x - apart, x, x + apart), strict=True))
    found = dict(zip(heads, [x] if len(heads) == 1 else [x - 0.8, x + 0.8], strict=True))
    for word, place in words.items():
        box(ax, place, 0.75, 0.5, 0.36, word, GREY)
    for head, place in found.items():
        sixths, color, ink = HEADS[head]
        for share, start in zip(sixths, words.values(), strict=True):
            line(ax, [start, place], [0.95, 1.87], 1.4 * share, ink, zorder=0, alpha=0.75)
        box(ax, place, 2.05, 0.95, 0.36, "average", color)
        text(ax, place, 2.45, head, color=MUTED)
    if len(heads) == 1:
        text(ax, x, 2.95, "an average lies\nbetween 0 and 10", color=MUTED)
        return
    for place in found.values():
        arrow(ax, (place, 2.6), (x + (0.42 if place > x else -0.42), 3.05))
    text(ax, x, 2.75, "subtract,\nenlarge", color=MUTED)
    box(ax, x, 3.22, 2.0, 0.36, f"2 − 10 = −{WORDS['10'] - WORDS['2']}", ORANGE)


@drawn
def reach_diagram(reached, wanted):
    """Draw the pairs (a, b) that one head finds on `1 − 0` and on `0 − 1`.

    `reached` is an array (n, 2) of such pairs; the two shaded quarters hold all of them. `wanted`,
    name → pair, are marked and named.

    Raises
    ------
    ValueError
        If a shape or a dtype does not fit.
    """
    reached = real_array("reached", reached, ("n", 2))
    wanted = dictionary("wanted", wanted, 4)
    ax, x, y, unit = sheet(4.1), 3.35, 2.08, 0.85
    for side in (1, -1):
        box(ax, x + side * unit, y - side * unit, 2 * unit, 2 * unit, color=BLUE, linewidth=0)
    arrow(ax, (x - 2.15 * unit, y), (x + 2.25 * unit, y))
    arrow(ax, (x, y + 2.15 * unit), (x, y - 2.2 * unit))
    text(ax, x + 2.4 * unit, y, "$a$", size=16)
    text(ax, x + 0.2, y - 2.12 * unit, "$b$", size=16)
    ax.plot(x + unit * reached[:, 0], y - unit * reached[:, 1], ".", color=SERIES[0], markersize=4)
    for name, (a, b) in wanted.items():
        ax.plot(x + unit * a, y - unit * b, "D", color=SERIES[1], markersize=8)
        said = f"{name}: ({a:g}, {b:g})".replace("-", "−")
        text(ax, x + unit * a + 0.13, y - unit * b + 0.19, said, ha="left", color=INK)
    return ax.figure


@drawn
def sharing_diagram():
    """Draw which key-value heads four query heads read, in three ways."""
    ax = sheet(2.3)
    for n, (name, n_kv) in enumerate(SHARING.items()):
        x, group = 1.4 + 2.15 * n, N_HEADS // n_kv
        heading(ax, x, 0.22, name)
        for head in range(N_HEADS):
            place = x + 0.45 * (head - 1.5)
            box(ax, place, 0.85, 0.36, 0.36, f"{head}", BLUE)
            line(ax, [place, _shared(x, head // group, n_kv)], [1.05, 1.65], zorder=0)
        for head in range(n_kv):
            box(ax, _shared(x, head, n_kv), 1.85, 0.36, 0.36, f"{head}", ORANGE)
    text(ax, 0.12, 0.85, "q", ha="left", color=MUTED)
    text(ax, 0.12, 1.85, "k, v", ha="left", color=MUTED)
    return ax.figure


def _shared(x, head, n_kv):
    """The place of a key-value head: in the middle of those that read it."""
    group = N_HEADS // n_kv
    return x + 0.45 * (group * head + (group - 1) / 2 - 1.5)


@drawn
def cut_grids():
    """Draw which head gets which half of each word: with the transpose, and by a view."""
    ax = sheet(2.7)
    for n, (name, halves) in enumerate(CUTS.items()):
        x = 1.95 + 3.4 * n
        heading(ax, x, 0.22, name)
        for half, features in enumerate(("features 0, 1", "features 2, 3")):
            text(ax, x + 1.25 * (half - 0.5), 0.6, features, color=MUTED)
        for word, row in enumerate(halves):
            y = 0.95 + 0.45 * word
            text(ax, x - 1.37, y, f"word {word}", ha="right", color=MUTED)
            for half, (head, place) in enumerate(row):
                said, color = f"head {head}, row {place}", (BLUE, GREEN)[head]
                box(ax, x + 1.25 * (half - 0.5), y, 1.2, 0.38, said, color)
    return ax.figure


@drawn
def decoding_diagram():
    """Draw one step of writing: what the KV cache keeps, what is new, what is read."""
    ax, new = sheet(3.5), len(TEXT) - 1
    places = [1.6 + 1.2 * n for n in range(len(TEXT))]
    rows = {"words": 0.3, "query": 0.95, "keys": 1.85, "values": 2.35, "output": 3.2}
    box(ax, np.mean(places[:new]), 2.1, 1.2 * new - 0.15, 1.05, color=FAINT, linewidth=0, zorder=-1)
    heading(ax, places[0] - 0.03, 1.32, "KV cache")
    for name, y in rows.items():
        text(ax, 0.12, y, name, ha="left", color=MUTED)
    box(ax, places[new], rows["query"], 0.56, 0.36, f"$q_{new}$", BLUE)
    for n, (x, (word, weight)) in enumerate(zip(places, TEXT.items(), strict=True)):
        box(ax, x, rows["words"], 0.85, 0.36, word, GREY)
        look = FRAME if n == new else {}
        box(ax, x, rows["keys"], 0.56, 0.36, f"$k_{n}$", GREEN, **look)
        box(ax, x, rows["values"], 0.56, 0.36, f"$v_{n}$", ORANGE, **look)
        thick = {"width": 1 + 8 * weight, "color": SERIES[0], "zorder": 0}
        line(ax, [places[new], x], [1.14, 1.66], **thick)
        line(ax, [x, places[new]], [2.54, 3.0], **thick)
    box(ax, places[new], rows["output"], 0.56, 0.36, f"$o_{new}$", ORANGE)
    arrow(ax, (places[new] + 0.3, rows["output"]), (places[new] + 0.62, rows["output"]))
    text(ax, places[new] + 1.03, rows["output"], "to $W_o$", color=MUTED)
    text(ax, places[new] + 0.4, rows["keys"] + 0.25, "added now", ha="left", color=MUTED)
    return ax.figure
