"""What the target accepts of a draft's proposals, and where the rest goes."""

import numpy as np

from attnbook.colours import MUTED, PAPER, SERIES
from attnbook.plots.arguments import names_of, real_array
from attnbook.plots.numerals import beside_bar
from attnbook.plots.style import add_legend, drawn, new_figure

STEP, THICK = 0.62, 0.36  # inches
PARTS = (
    ("accepted: min(p, q)", {"color": SERIES[0], "edgecolor": PAPER}),
    ("rejected: max(q − p, 0)", {"color": PAPER, "edgecolor": MUTED, "hatch": "\\\\"}),
    ("residual: max(p − q, 0)", {"color": SERIES[1], "edgecolor": PAPER, "hatch": "//"}),
)


@drawn
def overlap_bars(names, p, q):
    """Draw one bar for each token: the part of q that p covers, and what either has beyond it.

    p, the target's distribution, and q, the draft's, have shape (n,). The parts are min(p, q), and
    behind it max(p - q, 0) or max(q - p, 0), whichever is not 0.

    Raises
    ------
    ValueError
        If a shape or a dtype does not fit.
    """
    names = names_of("names", names, len(names))
    p, q = (real_array(name, x, (len(names),)) for name, x in (("p", p), ("q", q)))
    ax = new_figure(STEP * len(names) + 1.3, "constrained").subplots()
    both, longer = np.minimum(p, q), np.maximum(p, q)
    for part, start, widths in zip(PARTS, (0, both, both), (both, q - both, p - both), strict=True):
        _draw(ax, start, widths, *part)
    for row, end in enumerate(longer):
        numbers = f"p = {beside_bar(p[row])}, q = {beside_bar(q[row])}"
        ax.text(end + 0.02 * max(longer), row, numbers, va="center")
    ax.set(xticks=[], xlim=(0, 1.45 * max(longer)))
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.axvline(0, color=MUTED, linewidth=1)
    add_legend(ax)
    return ax.figure


def _draw(ax, start, widths, label, look):
    """The bars of one part, where it has a length; without any, it stays out of the legend."""
    rows = np.flatnonzero(widths > 0)
    if not len(rows):
        return
    starts = np.broadcast_to(start, widths.shape)[rows]
    ax.barh(rows, widths[rows], THICK / STEP, left=starts, label=label, linewidth=1, **look)
