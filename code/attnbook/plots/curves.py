"""Curves over one axis x, with points where there are data."""

from matplotlib.ticker import Formatter

from attnbook.colours import SERIES
from attnbook.plots.arguments import dictionary, real_array
from attnbook.plots.numerals import on_axis
from attnbook.plots.style import DASHES, MARKERS, add_legend, drawn, new_figure

FEW = 12


@drawn
def curves(x, lines, xlabel, ylabel, *, title=None, points=None, xscale="linear", yscale="linear"):
    """Draw one curve per entry of `lines`, name → y, over x; x and each y have shape (n,).

    `points`, name → (x, y), are drawn without a line. `xscale` and `yscale` are "linear", "log" or
    "symlog". Up to 12 positions are marked on the curves.

    Raises
    ------
    ValueError
        If a shape or a dtype does not fit, or there are more curves than can be told apart.
    """
    x = real_array("x", x, ("n",))
    lines = dictionary("lines", lines, len(SERIES))
    points = dictionary("points", points or {}, len(SERIES) - len(lines))
    lines = {name: real_array(f"lines[{name!r}]", y, x.shape) for name, y in lines.items()}
    points = {name: real_array(f"points[{name!r}]", xy, (2, "n")) for name, xy in points.items()}
    ax = new_figure(4.2, "constrained").subplots()
    _draw(ax, x, lines, points)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.grid()
    _scale(ax.xaxis, xscale)
    _scale(ax.yaxis, yscale)
    if xscale == "log" and x.size <= FEW:
        ax.set_xticks(x[:: 1 if x.size <= FEW / 2 else 2])
        ax.set_xticks([], minor=True)
    add_legend(ax)
    return ax.figure


def _draw(ax, x, lines, points):
    looks = zip(SERIES, DASHES, MARKERS, strict=True)
    for (name, y), (color, dash, marker) in zip(lines.items(), looks, strict=False):
        marked = marker if x.size <= FEW else None
        ax.plot(x, y, color=color, linestyle=dash, marker=marked, label=name)
    looks = zip(reversed(SERIES), MARKERS, strict=True)
    for (name, xy), (color, marker) in zip(points.items(), looks, strict=False):
        ax.plot(*xy, marker, color=color, fillstyle="none", label=name)


class Ticks(Formatter):
    """The numbers of one axis, all written in one way."""

    def format_ticks(self, values):
        return on_axis(values)


def _scale(axis, scale):
    axis.axes.set(**{f"{axis.axis_name}scale": scale})
    if scale != "linear":
        axis.set_major_formatter(Ticks())
