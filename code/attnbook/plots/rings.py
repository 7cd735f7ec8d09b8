"""The diagrams of many GPUs: blocks that go round, work that is even or not, time that overlaps."""

from itertools import pairwise

import numpy as np

from attnbook.colours import BLUE, GREEN, GREY, MUTED, ORANGE, RED
from attnbook.plots.arguments import names_of, real_array
from attnbook.plots.grids import side_by_side
from attnbook.plots.primitives import arrow, box, heading, line, sheet, squares, text, tint
from attnbook.plots.style import WIDTH, drawn, new_figure

RANKS, TALL = 4, 3.1
BLOCKS = BLUE, GREEN, ORANGE, RED  # the colour of each rank's keys and values
COMPUTE, TRAVEL, STEPS = 1.0, 0.6, 4  # lengths of time, and how many blocks


@drawn
def ring_diagram():
    """Draw four ranks at four steps: queries stay, keys and values move on by one rank a step."""
    figure, wide = new_figure(TALL, None), WIDTH / RANKS
    for step in range(RANKS):
        place = {"xlim": (0, wide), "ylim": (TALL, 0), "gid": f"step-{step}"}
        ax = figure.add_axes((step / RANKS, 0, 1 / RANKS, 1), **place)
        ax.axis("off")
        heading(ax, wide / 2 + 0.1, 0.2, f"step {step}")
        ys = [0.62 + 0.62 * rank for rank in range(RANKS)]
        look = {"facecolor": GREY, "edgecolor": MUTED, "linewidth": 1}
        squares(ax, [(0.22, y - 0.2) for y in ys], 0.4, **look)
        for rank, y in enumerate(ys):
            _rank(ax, rank, (rank - step) % RANKS, y)
        if step + 1 < RANKS:
            _moves(ax, ys)
    return figure


def _rank(ax, rank, source, y):
    text(ax, 0.42, y, f"$q_{rank}$")
    box(ax, 1.07, y, 0.62, 0.4, f"$k_{source}\\,v_{source}$", BLOCKS[source])


def _moves(ax, ys):
    """Each block goes to the next rank, and that of the last to the first."""
    for above, below in pairwise(ys):
        arrow(ax, (1.07, above + 0.21), (1.07, below - 0.21))
    xs, end = [1.07, 1.07, 1.53, 1.53], ys[-1] + 0.42
    line(ax, xs, [ys[-1] + 0.21, end, end, ys[0]])
    arrow(ax, (1.53, ys[0]), (1.39, ys[0]))


@drawn
def turns_grids(loads, titles, kept):
    """Draw how much each rank has to do at each step: rows are ranks, columns steps.

    `loads` holds, for each title, an array of numbers (ranks, steps): the pairs of query and key
    that meet. The more, the darker; nothing to do is hatched. `kept` holds, for each title and
    rank, the numbers of the pieces of the text that it keeps: below, the text, piece by piece.

    Raises
    ------
    ValueError
        If a shape, a dtype or a number of arrays does not fit, a number is negative, or some ranks
        do not keep each piece once.
    """
    titles = names_of("titles", titles, len(loads))
    loads = [
        real_array(f"loads[{n}]", np.asarray(x), np.shape(loads[0])) for n, x in enumerate(loads)
    ]
    if any(np.any(x < 0) for x in loads):
        raise ValueError("loads holds a negative number; expected numbers of pairs")
    most = max(np.max(x) for x in loads)
    cells = [
        [[tint("blues", x / most) if x else None for x in row] for row in grid] for grid in loads
    ]
    words = [[[f"{x:g}" if x else "" for x in row] for row in grid] for grid in loads]
    look = {"words": words, "axes": ("ranks", "steps"), "strips": _strips(kept, len(loads))}
    return side_by_side(cells, titles, len(loads), **look)


def _strips(kept, number):
    """The text from front to back, in cells of one size: the colour and the number of its rank."""
    if len(kept) != number:
        raise ValueError(f"kept has {len(kept)} entries; expected {number}, one for each of loads")
    owners = [{p: rank for rank, mine in enumerate(ranks) for p in mine} for ranks in kept]
    for n, (ranks, owner) in enumerate(zip(kept, owners, strict=True)):
        if sorted(p for mine in ranks for p in mine) != list(range(len(owner))):
            raise ValueError(f"kept[{n}] is {ranks}; expected each piece from 0 on once")
    finest = max(map(len, owners))
    rows = [np.repeat([own[p] for p in range(len(own))], finest // len(own)) for own in owners]
    return [([BLOCKS[rank % RANKS] for rank in row], [f"{rank}" for rank in row]) for row in rows]


@drawn
def overlap_diagram():
    """Draw a rank's steps along the time, with the next block sent before and during each."""
    ax, unit = sheet(3.0), 0.85
    _lanes(ax, 0.2, "one after the other", unit, between=TRAVEL)
    _lanes(ax, 1.65, "the next block travels meanwhile", unit, between=0)
    arrow(ax, (0.95, 2.85), (6.5, 2.85))
    text(ax, 0.6, 2.85, "time", color=MUTED)
    return ax.figure


def _lanes(ax, top, title, unit, between):
    text(ax, 0.95, top, title, weight="semibold", ha="left")
    for name, y in (("compute", top + 0.42), ("link", top + 0.84)):
        text(ax, 0.45, y, name, color=MUTED)
    for step in range(STEPS):
        start = 0.95 + unit * step * (COMPUTE + between)
        wide = unit * COMPUTE
        box(ax, start + wide / 2, top + 0.42, wide - 0.03, 0.36, f"{step}", BLUE)
        if step + 1 < STEPS:
            start, wide = start + (wide if between else 0), unit * TRAVEL
            box(ax, start + wide / 2, top + 0.84, wide - 0.03, 0.36, f"{step + 1}", ORANGE)
