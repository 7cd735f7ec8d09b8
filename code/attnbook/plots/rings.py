"""The diagrams of many GPUs: blocks that go round, work that is even or not, bytes, overlap."""

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
SENT = {  # what one rank of four sends in the chapter's example, message by message, in bytes
    "ring, forward": [("$K, V$", BLUE, [4096] * 3)],
    "ring, backward": [("$K, V$", BLUE, [4096] * 3), ("gradients", ORANGE, [4096] * 4)],
    "heads, forward": [("", GREEN, [3072, 1536, 1536, 3072])],
}
MESSAGES = {"heads, forward": ["$Q$", "$K$", "$V$", "$O$"]}


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
            _moves(ax, ys, 1.07, 0.32)
    return figure


def _rank(ax, rank, source, y):
    text(ax, 0.42, y, f"$q_{rank}$")
    box(ax, 1.07, y, 0.62, 0.4, f"$k_{source}\\,v_{source}$", BLOCKS[source])


def _moves(ax, ys, x, half):
    """Each block, at x and twice `half` wide, goes to the next rank, and the last to the first."""
    for above, below in pairwise(ys):
        arrow(ax, (x, above + 0.21), (x, below - 0.21))
    side, end = x + half + 0.14, ys[-1] + 0.42
    line(ax, [x, x, side, side], [ys[-1] + 0.21, end, end, ys[0]])
    arrow(ax, (side, ys[0]), (x + half, ys[0]))


@drawn
def ring_back_diagram():
    """Draw how a block's gradient goes round: whose parts its sum has, step by step."""
    figure, left = new_figure(TALL, None), 0.85
    wide = (WIDTH - left) / (RANKS + 1)
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(TALL, 0))
    ax.axis("off")
    ys = [0.62 + 0.62 * rank for rank in range(RANKS)]
    for rank, y in enumerate(ys):
        text(ax, 0.4, y, f"rank {rank}", color=MUTED)
    for step in range(RANKS + 1):
        x = left + wide * (step + 0.42)
        heading(ax, x, 0.2, f"step {step}" if step < RANKS else "home")
        for rank, y in enumerate(ys):
            source = (rank - step) % RANKS
            added = [(source + t) % RANKS for t in range(min(step + 1, RANKS))]
            box(ax, x, y, 0.82, 0.4, " ".join(map(str, added)), BLOCKS[source])
        if step < RANKS:
            _moves(ax, ys, x, 0.41)
    return figure


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
    owners = [_owners(f"kept[{n}]", ranks) for n, ranks in enumerate(kept)]
    finest = max(map(len, owners))
    rows = [np.repeat([own[p] for p in own], finest // len(own)) for own in owners]
    return [([BLOCKS[rank % RANKS] for rank in row], [f"{rank}" for rank in row]) for row in rows]


def _owners(name, ranks):
    """Which rank keeps each piece, by its number, from the front of the text to its end."""
    owner = {p: rank for rank, mine in enumerate(ranks) for p in mine}
    if sorted(p for mine in ranks for p in mine) != list(range(len(owner))):
        raise ValueError(f"{name} is {ranks}; expected each piece from 0 on once")
    return dict(sorted(owner.items()))


@drawn
def meetings_grids(titles, kept):
    """Draw who computes each tile of a causal mask, and when: colours are ranks, numbers are steps.

    Rows are the pieces of the text whose queries look, columns those whose keys are seen; what is
    hidden is hatched. `kept` holds, for each title and rank, the numbers of the pieces of the text
    that the rank keeps: below, the text, piece by piece, with the colour and number of its rank.

    Raises
    ------
    ValueError
        If some ranks do not keep each piece once, or the titles are not as many as `kept`.
    """
    titles = names_of("titles", titles, len(kept))
    owners = [_owners(f"kept[{n}]", ranks) for n, ranks in enumerate(kept)]
    cells = [[[_tile(own, i, j) for j in own] for i in own] for own in owners]
    words = [
        [[f"{(own[i] - own[j]) % len(ranks)}" if j <= i else "" for j in own] for i in own]
        for own, ranks in zip(owners, kept, strict=True)
    ]
    look = {"words": words, "axes": ("queries", "keys"), "strips": _strips(kept, len(kept))}
    return side_by_side(cells, titles, len(kept), **look)


def _tile(own, i, j):
    return BLOCKS[own[i] % RANKS] if j <= i else None


@drawn
def exchange_diagram():
    """Draw an all-to-all of two ranks: some positions of all heads become some heads of all."""
    before, after = [[0, 0, 1, 1]] * 2, [[0] * 4, [1] * 4]
    cells = [[[BLOCKS[rank] for rank in row] for row in grid] for grid in (before, after)]
    words = [[[f"{rank}" for rank in row] for row in grid] for grid in (before, after)]
    moved = np.array(before) != np.array(after)
    look = {"words": words, "axes": ("heads", "positions"), "differ": moved}
    return side_by_side(cells, ["before", "after"], 2, **look)


@drawn
def sent_diagram():
    """Draw what one rank of four sends, a box for each message, as wide as it has bytes."""
    ax, left, inch = sheet(2.6), 1.5, 4.1 / 28672
    for n, (name, groups) in enumerate(SENT.items()):
        y, x = 0.55 + 0.85 * n, left
        text(ax, left - 0.12, y, name, ha="right")
        for word, color, messages in groups:
            begun = x
            for number, message in enumerate(messages):
                wide = message * inch
                shown = MESSAGES[name][number] if name in MESSAGES else f"{message}"
                box(ax, x + wide / 2, y, wide - 0.03, 0.4, shown, color)
                x += wide
            text(ax, (begun + x) / 2, y - 0.33, word, color=MUTED)
        total = sum(sum(messages) for _, _, messages in groups)
        text(ax, x + 0.1, y, f"{total} bytes", ha="left", color=MUTED)
    return ax.figure


@drawn
def overlap_diagram():
    """Draw a rank's steps along the time, with the next block sent before and during each."""
    ax, unit = sheet(3.0), 0.85
    _lanes(ax, 0.2, "apart: one after the other", unit, between=TRAVEL)
    _lanes(ax, 1.65, "meanwhile: the next block travels while the rank computes", unit, between=0)
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
