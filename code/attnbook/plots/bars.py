"""Bars with their numbers."""

from textwrap import fill

import numpy as np

from attnbook.colours import INK, MUTED, PAPER, SERIES
from attnbook.plots.arguments import dictionary, names_of, real_array
from attnbook.plots.numerals import beside_bar
from attnbook.plots.style import add_legend, drawn, new_figure

HATCHES = ["", "//", "..", "xx", "\\\\"]
THICK, GAP = 0.32, 0.22  # inches
MANY, THIN = 24, 0.25  # with more bars than this, each is thinner


@drawn
def bars(names, values, label, *, title=None, limit=None):
    """Draw one horizontal bar per name, with its number; `label` says what the numbers are.

    `values` has shape (n,), or is a dict series → (n,) of bars that stand together at each name. A
    number that is not finite stands where its bar would start. `limit`, (name, number), is a line
    across the bars: a budget, or a ratio of 1.

    Raises
    ------
    ValueError
        If a shape or a dtype does not fit, or there are more series than can be told apart.
    """
    names = names_of("names", names, len(names))
    series = _series(values, label, (len(names),))
    thick = THIN if len(series) * len(names) > MANY else THICK
    group = thick * len(series) + GAP
    ax = new_figure(group * len(names) + 0.9, "constrained").subplots()
    starts = group * np.arange(len(names))
    for k, (name, numbers) in enumerate(series.items()):
        look = {"color": SERIES[k], "hatch": HATCHES[k], "label": name}
        _draw(ax, starts + thick * k, thick, numbers, **look)
    ax.set(xlabel=label, title=title, xticks=[])
    ax.set_yticks(starts + thick * (len(series) - 1) / 2, [fill(name, 24) for name in names])
    ax.tick_params(length=0)
    ax.invert_yaxis()
    ax.margins(x=0.18)
    if limit is not None:
        _draw_limit(ax, *limit)
    ax.spines[:].set_visible(False)
    ax.axvline(0, color=MUTED, linewidth=1)
    add_legend(ax)
    return ax.figure


def _draw_limit(ax, name, number):
    ax.axvline(number, color=INK, linewidth=1.4, linestyle=(0, (4, 2)), zorder=0)
    ax.figure.draw_without_rendering()
    at = ax.transData.transform((number, 0))[0]
    for shown in ax.texts:
        end = ax.transData.transform(shown.xy)[0]
        if end + 1 < at < shown.get_window_extent().x1 + 1:  # between a bar and its number's end
            shown.xy = number, shown.xy[1]
    paper = {"facecolor": PAPER, "linewidth": 0, "pad": 1}
    ax.text(number, -0.32, name, ha="center", va="bottom", bbox=paper)


def _series(values, label, shape):
    if not isinstance(values, dict):
        return {label: real_array("values", values, shape)}
    values = dictionary("values", values, len(SERIES))
    return {name: real_array(f"values[{name!r}]", v, shape) for name, v in values.items()}


def _draw(ax, positions, thick, numbers, **look):
    lengths = np.where(np.isfinite(numbers), numbers, 0)
    drawn = ax.barh(positions, lengths, thick, edgecolor=PAPER, linewidth=0, clip_on=False, **look)
    ax.bar_label(drawn, [beside_bar(number) for number in numbers], padding=4)
