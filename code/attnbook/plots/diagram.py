"""The diagram of attention: one query, its scores against the keys, weights, values, output."""

from matplotlib import colormaps
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from attnbook.plots.style import MUTED, PAPER, WIDTH, drawn, new_figure, text_color

# The example of chapters 1 to 4. The shades of the query and the keys stand for any vectors.
QUERY = [0.9, 0.3, 0.6]
KEYS = [[0.2, 0.7, 0.1], [0.9, 0.2, 0.7], [0.5, 0.6, 0.2]]
SCORES = ["0", "ln 3", "ln 4"]
WEIGHTS = [1 / 8, 3 / 8, 4 / 8]
VALUES = [0, 4, 8]
OUTPUT = 5.5

HEIGHT = 3.55
ROWS = [0.95, 1.85, 2.75]  # inches from the top, as all positions here
MIDDLE = ROWS[1]
CELL = 0.23
NAMES = ["query", "keys", "scores", "weights", "values", "output"]
FORMULAS = [
    r"$s_j = \mathrm{score}(q, k_j)$",
    r"$A = \mathrm{softmax}(s)$",
    r"$o = \Sigma_j\,A_j v_j$",
]


@drawn
def attention_diagram():
    """Draw how one query is scored against three keys, and how the weights average the values."""
    ax = new_figure(HEIGHT, None).add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(HEIGHT, 0.1))
    ax.axis("off")
    _vector(ax, 0.4, MIDDLE, QUERY, "Blues", "$q$")
    for j, y in enumerate(ROWS):
        _arrow(ax, (0.8, MIDDLE), (1.15, y))
        _vector(ax, 1.55, y, KEYS[j], "Greens", f"$k_{j}$")
        _arrow(ax, (1.95, y), (2.25, y))
        _number(ax, 2.57, y, SCORES[j], PAPER)
        _arrow(ax, (2.87, y), (3.1, y))
        _arrow(ax, (3.46, y), (3.69, y))
        _number(ax, 4.0, y, f"{8 * WEIGHTS[j]:g}/8", colormaps["Blues"](WEIGHTS[j]))
        ax.text(4.43, y, "×", ha="center", va="center", color=MUTED)
        _value(ax, 4.9, y, VALUES[j], f"$v_{j}$")
        ax.plot([5.18, 5.68], [y, MIDDLE], color=MUTED, linewidth=1 + 8 * WEIGHTS[j], zorder=0)
    _box(ax, 3.28, MIDDLE, 0.36, ROWS[-1] - ROWS[0] + 0.42, "#eef4fb")
    ax.text(3.28, MIDDLE, "softmax", rotation=90, ha="center", va="center")
    ax.plot(5.68, MIDDLE, "o", markersize=19, color=PAPER, markeredgecolor=MUTED)
    ax.text(5.68, MIDDLE, "+", ha="center", va="center_baseline", size=15)
    _arrow(ax, (5.81, MIDDLE), (6.06, MIDDLE))
    _value(ax, 6.34, MIDDLE, OUTPUT, "$o$")
    _name_columns(ax)
    return ax.figure


def _vector(ax, x, y, shades, colors, name):
    for n, shade in enumerate(shades):
        _box(ax, x + (n - 1) * CELL, y, CELL, CELL, colormaps[colors](0.1 + 0.7 * shade))
    ax.text(x, y - 0.19, name, ha="center", va="bottom", size=14)


def _value(ax, x, y, value, name):
    _number(ax, x, y, f"{value:g}", colormaps["Oranges"](0.1 + 0.05 * value))
    ax.text(x, y - 0.26, name, ha="center", va="bottom", size=14)


def _number(ax, x, y, text, color):
    _box(ax, x, y, 0.56, 0.4, color)
    ax.text(x, y, text, ha="center", va="center", color=text_color(color))


def _box(ax, x, y, width, height, color):
    corner = (x - width / 2, y - height / 2)
    look = {"facecolor": color, "edgecolor": MUTED, "linewidth": 1}
    ax.add_patch(FancyBboxPatch(corner, width, height, "round,pad=0,rounding_size=0.04", **look))


def _arrow(ax, start, end):
    look = {"color": MUTED, "linewidth": 1.4, "mutation_scale": 14, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>,head_width=0.22", **look))


def _name_columns(ax):
    for x, name in zip([0.4, 1.55, 2.57, 4.0, 4.9, 6.34], NAMES, strict=True):
        ax.text(x, 0.3, name, ha="center", va="center", weight="semibold")
    for x, formula in zip([2.3, 4.0, 5.85], FORMULAS, strict=True):
        ax.text(x, 3.38, formula, ha="center", va="baseline")
