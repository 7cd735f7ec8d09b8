"""How many values lie where."""

import numpy as np

from attnbook.plots.arguments import dictionary, real_array
from attnbook.plots.curves import Ticks
from attnbook.plots.parts import BLUE
from attnbook.plots.style import COLORS, DASHES, drawn, new_figure

BINS = 40


@drawn
def histogram(values, label, *, marks=None, xscale="linear"):
    """Draw how many of the values, of shape (n,), lie in each of 40 intervals of one width.

    `marks`, name → number, are upright lines: a mean, a median. On a "log" scale the intervals have
    one width there, and values that are not above 0 are left out.

    Raises
    ------
    ValueError
        If a shape or a dtype does not fit, or there are more marks than can be told apart.
    """
    values = real_array("values", values, ("n",))
    marks = dictionary("marks", marks or {}, len(COLORS) - 1)
    if xscale == "log":
        values = values[values > 0]
    space = np.geomspace if xscale == "log" else np.linspace
    ax = new_figure(3.4, "constrained").subplots()
    edges = space(values.min(), values.max(), BINS + 1)
    ax.hist(values, edges, color=BLUE, histtype="stepfilled", linewidth=0)
    for (name, x), color, dash in zip(marks.items(), COLORS[1:], DASHES[1:], strict=False):
        ax.axvline(x, color=color, linestyle=dash, label=name)
    ax.set(xlabel=label, ylabel="how many", xscale=xscale)
    ax.xaxis.set_major_formatter(Ticks())
    _name_marks(ax)
    return ax.figure


def _name_marks(ax):
    handles, names = ax.get_legend_handles_labels()
    if names:
        ax.figure.legend(handles, names, loc="outside lower center", ncols=len(names))
