"""The one style of all figures, and the empty figure that each of them starts from."""

from functools import wraps
from math import ceil
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from attnbook.colours import FAINT, INK, MUTED, PAPER
from attnbook.plots.svg import svg

for file in sorted(Path(__file__).with_name("fonts").glob("*.ttf")):
    fontManager.addfont(file)

DASHES = ["-", (0, (4, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)), (0, (9, 2))]
MARKERS = ["o", "s", "^", "D", "v"]

WIDTH = 6.7  # inches, all of the page's column
SIZE = 12.5  # points: on a phone 390 pixels wide, text of this size is 9 pixels high
CHARACTER = 0.09  # inches, about the mean width of a character of that size
STYLE = {
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",
    "svg.hashsalt": "attnbook",
    "font.family": "Book Sans",
    "font.size": SIZE,
    "mathtext.fontset": "custom",
    "mathtext.rm": "KaTeX_Main",
    "mathtext.it": "KaTeX_Math:italic",
    "mathtext.bf": "Book Sans:semibold",
    **dict.fromkeys(["mathtext.sf", "mathtext.tt", "mathtext.cal"], "Book Sans"),
    "mathtext.bfit": "KaTeX_Math:italic",
    "mathtext.fallback": "stix",
    "axes.titlesize": SIZE,
    "axes.titleweight": "semibold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelsize": SIZE,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.labelsize": SIZE,
    "ytick.labelsize": SIZE,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "hatch.linewidth": 1,
    "image.interpolation": "none",
    "lines.linewidth": 2.2,
    "lines.markersize": 6.5,
    "legend.fontsize": SIZE,
    "legend.frameon": False,
    "legend.handlelength": 3,
}


class Drawing:
    """A finished figure, which a notebook shows when a cell ends in it; `svg` is its text."""

    def __init__(self, figure):
        self.figure = figure
        self.svg = svg(figure, SIZE)

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return "<figure>"


def drawn(draw):
    """Let a function that fills a figure return it as a `Drawing`, in the one style."""

    @wraps(draw)
    def drawing(*args, **kwargs):
        with rc_context(STYLE):
            return Drawing(draw(*args, **kwargs))

    return drawing


def new_figure(height, layout):
    """An empty figure as wide as the page's column."""
    figure = Figure(figsize=(WIDTH, height), layout=layout)
    figure.patch.set_gid("paper")
    FigureCanvasSVG(figure)  # so that text is measured as it is written
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
