"""The one style of all figures, and the empty figure that each of them starts from."""

from math import ceil

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

# Chosen here and now: chosen first inside a style, Jupyter's backend would be undone with it, and
# only the first figure of a notebook would be shown.
plt.switch_backend(plt.get_backend())

PAPER = "#fffefb"
INK = "#22252a"
MUTED = "#565d68"
FAINT = "#dcd9d1"

# The colours of Okabe and Ito's palette that have a contrast of at least 3 : 1 with PAPER.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"]
DASHES = ["-", (0, (4, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)), (0, (9, 2))]
MARKERS = ["o", "s", "^", "D", "v"]

# On a phone 390 pixels wide, text of 12.5 points in a figure of 6.7 inches is 9 pixels high;
# 200 dots per inch make the figure twice as wide as the page's column, for sharp screens.
WIDTH = 6.7
CHARACTER = 0.105  # inches, about the mean width of a character of 12.5 points
STYLE = {
    "figure.dpi": 200,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "font.family": "DejaVu Sans",
    "font.size": 12.5,
    "axes.titlesize": 12.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelsize": 12.5,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.labelsize": 12.5,
    "ytick.labelsize": 12.5,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "image.interpolation": "nearest",
    "lines.linewidth": 2.2,
    "lines.markersize": 6.5,
    "legend.fontsize": 12.5,
    "legend.frameon": False,
    "legend.handlelength": 3,
}


def new_figure(height, layout):
    """An empty figure as wide as the page's column.

    Notebooks trim figures to what is drawn, and the page would then enlarge narrow ones; the
    invisible line keeps one width, and so one size of text, for all.
    """
    figure = plt.figure(figsize=(WIDTH, height), layout=layout)
    figure.add_artist(Line2D([0, 1], [0.5, 0.5], alpha=0))
    return figure


def add_legend(ax):
    """Names below the figure, where they hide nothing; one name alone is the axis's label."""
    names = ax.get_legend_handles_labels()[1]
    if len(names) > 1:
        widest = CHARACTER * max(map(len, names)) + 0.9
        rows = ceil(len(names) / max(int(WIDTH / widest), 1))
        ax.figure.legend(loc="outside lower center", ncols=ceil(len(names) / rows))


def text_color(ground):
    """Black or white, whichever is easier to read on a colour."""
    return max("black", "white", key=lambda color: contrast(color, ground))


def contrast(one, other):
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.2)."""
    dark, light = sorted([_luminance(one), _luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def _luminance(color):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
