"""Where matrices stand in a figure: side by side, names around them, one colour bar for all."""

from math import ceil
from textwrap import fill

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.ticker import FuncFormatter, MaxNLocator

from attnbook.colours import FAINT
from attnbook.plots.cells import colored
from attnbook.plots.style import CHARACTER, WIDTH, new_figure

LARGEST_CELL, TALLEST, NARROWEST, NAMES, BAR = 0.8, 4.2, 1.7, 1.1, 0.6  # inches
STEPS = [1, 2, 5, 10]
SHADES = 33  # in the colour bar: each is a shape, and of 50 Matplotlib would make an image


def new_panels(n, n_q, n_k, cell):
    """One panel of axes per matrix, as many in a row as cells `cell` inches wide allow; or two."""
    room = WIDTH - 0.8
    rows = ceil(n / min(n, max(int(room / max(n_k * cell, NARROWEST)), 2)))
    columns = ceil(n / rows)
    height = rows * (n_q * min(LARGEST_CELL, TALLEST / n_q) + NAMES)
    widest = room / (columns * n_k)
    figure = new_figure(min(height, rows * (n_q * widest + NAMES) + BAR), "compressed")
    figure.get_layout_engine().set(w_pad=0.09)
    grid = figure.subplots(rows, columns, squeeze=False)
    for ax in grid.flat[n:]:
        ax.remove()
    return list(grid.flat[:n])


def add_bar(panels, label):
    """One for all panels: beside a single one, below a row or a wide one."""
    shown, figure = colored(panels[0]), panels[0].figure
    n_q, n_k = shown.get_array().shape
    shades = ScalarMappable(shown.norm, shown.cmap.resampled(SHADES))
    if len(panels) == 1 and n_k < 4 * n_q:
        bar = figure.colorbar(shades, ax=panels, location="right", aspect=18)
    else:
        place = {"location": "bottom", "aspect": 22, "shrink": 0.5}
        bar = figure.colorbar(shades, ax=panels, pad=0.1 / figure.get_figheight(), **place)
    bar.set_label(label)
    bar.outline.set_visible(False)
    bar.solids.set_antialiased(False)
    bar.locator = MaxNLocator(4, steps=STEPS)


def write_names(panels, titles, query_names, key_names, axes):
    """Names of the queries at the left of each row of panels, of the keys above each panel."""
    for ax in panels:
        ax.tick_params(length=0)
        ax.spines[:].set(visible=True, color=FAINT)
        ax.xaxis.tick_top()
        ax.xaxis.set_label_position("top")
        ax.set_xlabel(axes[1])
        _name(ax.xaxis, key_names)
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(axes[0])
            _name(ax.yaxis, query_names)
        else:
            ax.set_yticks([])
    columns = panels[0].get_gridspec().ncols
    for ax, title in zip(panels, titles or [], strict=False):
        ax.set_title(fill(title, int(0.7 * WIDTH / CHARACTER / columns)))
    _turn_if_long(panels, key_names or [""])


def _name(axis, names):
    if names is not None:
        axis.set_ticks(np.arange(len(names)) + 0.5, names)
        return
    places = MaxNLocator(8, integer=True, min_n_ticks=1, steps=STEPS)
    last = max(axis.get_view_interval()) - 1
    axis.set_ticks([n + 0.5 for n in places.tick_values(0, last) if n <= last])
    axis.set_major_formatter(FuncFormatter(lambda place, _: f"{place - 0.5:.0f}"))


def _turn_if_long(panels, names):
    longest = CHARACTER * max(map(len, names))
    if longest > cell_width(panels[0]) - 0.05:
        figure = panels[0].figure
        figure.set_figheight(figure.get_figheight() + 0.6 * longest)
        slanted = {"rotation": 40, "ha": "left", "rotation_mode": "anchor"}
        for ax in panels:
            for label in ax.get_xticklabels():
                label.set(**slanted if len(panels) == 1 else {"rotation": 90})


def cell_width(ax):
    """In inches, in the figure as it is laid out now."""
    ax.figure.draw_without_rendering()
    left, right = ax.get_xlim()
    return ax.get_window_extent().width / ax.figure.dpi / (right - left)
