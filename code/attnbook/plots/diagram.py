"""Attention as a diagram, from a query to its output, and the two averages it stands between."""

from attnbook.colours import GREEN, MUTED, shade
from attnbook.plots.primitives import arrow, box, heading, line, plus, sheet, text, tint, vector
from attnbook.plots.style import drawn

# The book's example. The shades of the query and the keys stand for any vectors.
QUERY = [0.9, 0.3, 0.6]
KEYS = [[0.2, 0.7, 0.1], [0.9, 0.2, 0.7], [0.5, 0.6, 0.2]]
SCORES = ["0", "ln 3", "ln 4"]
WEIGHTS = [1 / 8, 3 / 8, 4 / 8]
VALUES = [0, 4, 8]
OUTPUT = 5.5

ROWS = [0.85, 1.75, 2.65]
MIDDLE = ROWS[1]
PLACES = {
    "query": 0.4,
    "keys": 1.55,
    "scores": 2.57,
    "weights": 4.0,
    "values": 4.9,
    "output": 6.34,
}
FORMULAS = {
    r"$s_j = \mathrm{score}(q, k_j)$": 2.3,
    r"$A = \mathrm{softmax}(s)$": 4.0,
    r"$o = \Sigma_j\,A_j v_j$": 5.85,
}
AVERAGES = {  # what a weighted sum of the values can be: its weights and its output
    "a lookup": (["0", "0", "1"], "8"),
    "attention": (["?", "?", "?"], "?"),
    "the plain average": (["1/3", "1/3", "1/3"], "4"),
}


@drawn
def lookup_diagram():
    """Draw a lookup and the plain average as weighted sums, and between them what is sought."""
    ax = sheet(2.85)
    for n, (name, (weights, output)) in enumerate(AVERAGES.items()):
        left = 0.1 + 2.26 * n
        heading(ax, left + 1, 0.2, name)
        for y, weight, value in zip((0.85, 1.55, 2.25), weights, VALUES, strict=True):
            amount = {"?": 0.4, "1/3": 1 / 3}.get(weight) or float(weight)
            box(ax, left + 0.28, y, 0.5, 0.36, weight, tint("blues", amount))
            text(ax, left + 0.63, y, "×", color=MUTED)
            box(ax, left + 0.98, y, 0.5, 0.36, f"{value}", tint("oranges", value / 12))
            if amount:
                dash = {"linestyle": (0, (2, 1.5))} if weight == "?" else {}
                line(ax, [left + 1.23, left + 1.54], [y, 1.55], 1 + 5 * amount, zorder=0, **dash)
        box(ax, left + 1.78, 1.55, 0.5, 0.36, output, GREEN)
        for x, word in ((0.28, "weight"), (0.98, "value"), (1.78, "output")):
            text(ax, left + x, 2.66, word, color=MUTED)
    return ax.figure


@drawn
def attention_diagram():
    """Draw how one query is scored against three keys, and how the weights average the values."""
    ax = sheet(3.45)
    _vector(ax, 0.4, MIDDLE, QUERY, "blues", "$q$")
    for j, y in enumerate(ROWS):
        arrow(ax, (0.8, MIDDLE), (1.15, y))
        _vector(ax, 1.55, y, KEYS[j], "greens", f"$k_{j}$")
        arrow(ax, (1.95, y), (2.25, y))
        box(ax, 2.57, y, 0.56, 0.4, SCORES[j])
        arrow(ax, (2.87, y), (3.1, y))
        arrow(ax, (3.46, y), (3.69, y))
        box(ax, 4.0, y, 0.56, 0.4, f"{8 * WEIGHTS[j]:g}/8", tint("blues", WEIGHTS[j]))
        text(ax, 4.43, y, "×", color=MUTED)
        _value(ax, 4.9, y, VALUES[j], f"$v_{j}$")
        line(ax, [5.18, 5.68], [y, MIDDLE], 1 + 8 * WEIGHTS[j], zorder=0)
    box(ax, 3.28, MIDDLE, 0.36, ROWS[-1] - ROWS[0] + 0.42, color=shade("blues", 0))
    text(ax, 3.28, MIDDLE, "softmax", rotation=90)
    plus(ax, 5.68, MIDDLE)
    arrow(ax, (5.81, MIDDLE), (6.06, MIDDLE))
    _value(ax, 6.34, MIDDLE, OUTPUT, "$o$")
    for name, x in PLACES.items():
        heading(ax, x, 0.2, name)
    for formula, x in FORMULAS.items():
        text(ax, x, 3.22, formula, size=14)
    return ax.figure


def _vector(ax, x, y, shades, colors, name):
    vector(ax, x, y, shades, colors)
    text(ax, x, y - 0.29, name, size=16)


def _value(ax, x, y, value, name):
    box(ax, x, y, 0.56, 0.4, f"{value:g}", tint("oranges", value / 12))
    text(ax, x, y - 0.36, name, size=16)
