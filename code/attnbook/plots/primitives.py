"""What diagrams are made of. Positions are inches from the left and from the top."""

from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch
from matplotlib.path import Path

from attnbook.colours import HIDDEN, INK, MUTED, PAPER, SERIES, STRIPES, shade
from attnbook.plots.style import SIZE, WIDTH, new_figure, text_color

MIDDLE = {"ha": "center", "va": "center"}
FRAME = {"edgecolor": SERIES[1], "linewidth": 2.5}  # of a box that the reader should see first


def sheet(height):
    """An empty diagram: axes whose unit is the inch, as wide as the page's column."""
    axes = {"xlim": (0, WIDTH), "ylim": (height, 0)}
    ax = new_figure(height, None).add_axes((0, 0, 1, 1), **axes)
    ax.axis("off")
    return ax


def tint(scale, amount):
    """A colour of a scale, never so pale that it is lost nor so dark that ink is."""
    return shade(scale, 0.08 + 0.62 * amount)


def text(ax, x, y, words, **look):
    """Words around a place; a single line stands so that lines at one height share a base line."""
    if "\n" not in words and not look.keys() & {"va", "rotation"}:
        y, look = y + 0.33 * look.get("size", SIZE) / 72, look | {"va": "baseline"}
    ax.text(x, y, words, **MIDDLE | {"linespacing": 1.15} | look)


def heading(ax, x, y, words):
    text(ax, x, y, words, weight="semibold")


def box(ax, x, y, width, height, words="", color=PAPER, **look):
    """A box around a place, with words in it."""
    look = {"facecolor": color, "edgecolor": MUTED, "linewidth": 1, "joinstyle": "round"} | look
    corner, rounding = (x - width / 2, y - height / 2), min(0.05, width / 2, height / 2)
    style = f"round,pad=0,rounding_size={rounding}"
    ax.add_patch(FancyBboxPatch(corner, width, height, style, clip_on=False, **look))
    if words:
        text(ax, x, y, words, color=INK if color == PAPER else text_color(color))


def frame(ax, x, y, width, height):
    """A frame around a place, upon what stands there."""
    box(ax, x, y, width, height, facecolor="none", **FRAME)


def vector(ax, x, y, shades, scale, cell=0.23):
    """A row of cells around a place, one for each number."""
    for n, amount in enumerate(shades):
        place = x + (n - (len(shades) - 1) / 2) * cell
        box(ax, place, y, cell, cell, color=tint(scale, amount))


def matrix(ax, x, y, colors, cell, words=None):
    """A grid of cells around a place, from rows of colours; None is a hidden cell."""
    left, top = x - len(colors[0]) * cell / 2, y - len(colors) * cell / 2
    corners = {}
    for i, row in enumerate(colors):
        for j, color in enumerate(row):
            corner = (left + j * cell, top + i * cell)
            corners.setdefault(color and to_hex(color), []).append(corner)
            if words is not None and words[i][j]:
                middle = (corner[0] + cell / 2, corner[1] + cell / 2)
                text(ax, *middle, words[i][j], color=text_color(color or HIDDEN))
    for color, places in corners.items():
        shown = {"facecolor": color, "edgecolor": PAPER, "linewidth": 1.5}
        hatched = {"facecolor": HIDDEN, "edgecolor": STRIPES, "linewidth": 0, "hatch": "//"}
        squares(ax, places, cell, **shown if color else hatched)


def squares(ax, corners, cell, **look):
    """Cells of one look, as one shape."""
    unit = Path.unit_rectangle()
    paths = [Path(unit.vertices * cell + corner, unit.codes) for corner in corners]
    shape = Path.make_compound_path(*paths)
    ax.add_patch(PathPatch(shape, joinstyle="round", clip_on=False, **look))


def arrow(ax, start, end, width=1.4, color=MUTED, bend=0):
    look = {"color": color, "linewidth": width, "mutation_scale": 13, "shrinkA": 0, "shrinkB": 0}
    shape = {"arrowstyle": "-|>,head_width=0.22", "connectionstyle": f"arc3,rad={bend}"}
    ax.add_patch(FancyArrowPatch(start, end, clip_on=False, **shape, **look))


def line(ax, xs, ys, width=1.4, color=MUTED, **look):
    ax.add_line(Line2D(xs, ys, linewidth=width, color=color, clip_on=False, **look))


def plus(ax, x, y):
    ax.plot(x, y, "o", markersize=18, color=PAPER, markeredgecolor=MUTED, clip_on=False)
    line(ax, [x - 0.06, x + 0.06], [y, y], color=INK)
    line(ax, [x, x], [y - 0.06, y + 0.06], color=INK)
