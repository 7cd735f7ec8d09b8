"""The diagrams of attention in blocks: a matrix, a film of blocks, two loops, empty blocks."""

import numpy as np

from attnbook.colours import BLUE, FAINT, GREEN, GREY, MUTED, ORANGE, PAPER, SEEN
from attnbook.plots.arguments import boolean_array, names_of
from attnbook.plots.grids import side_by_side
from attnbook.plots.primitives import arrow, box, frame, heading, matrix, sheet, text
from attnbook.plots.style import WIDTH, drawn, new_figure

EXPONENTIALS = ((1, 3, 4), (2, 1, 1))  # of the scores of two queries and three keys of six
VALUES, KEYS, BLOCK = (0, 4, 8), 6, 2
STATES = {  # after each block, for both queries: factor, maximum, sum, output before division
    "start": (("", ""), ("−∞", "−∞"), ("0", "0"), ("0", "0")),
    "block 0": (("0", "0"), ("ln 3", "ln 2"), ("4/3", "3/2"), ("4", "2")),
    "block 1": (("3/4", "1"), ("ln 4", "ln 2"), ("2", "2"), ("11", "6")),
    "block 2": (("1", "1"), ("ln 4", "ln 2"), ("2", "2"), ("11", "6")),
}
QUOTIENTS = (("", ""), ("3", "4/3"), ("5.5", "3"), ("5.5", "3"))
FILM = 3.6  # inches, its height
NAMES = ("$c$", "$m$", r"$\ell$", "$o$", r"$o/\ell$")

KEPT = {1: GREEN, 2: GREEN, 3: ORANGE}  # the rows of a state that a block hands to the next


@drawn
def online_diagram():
    """Draw all weights at once beside one block of them, and what is kept of it."""
    ax, y, cell, n = sheet(3.15), 1.55, 0.2, 8
    heading(ax, 1.1, 0.2, "all at once")
    matrix(ax, 1.1, y, [[BLUE] * n] * n, cell)
    text(ax, 1.1, 2.8, "every weight is kept,\n$n$ times $n$", color=MUTED)
    heading(ax, 4.5, 0.2, "one block at a time")
    matrix(ax, 3.55, y, [[BLUE if j in (4, 5) else FAINT for j in range(n)]] * n, cell)
    frame(ax, 3.75, y, 2 * cell + 0.03, n * cell + 0.03)
    arrow(ax, (2.95, y + 0.95), (4.35, y + 0.95))
    arrow(ax, (4.45, y), (4.95, y))
    for x, name, columns, color in [
        (5.15, "$m$", 1, GREEN),
        (5.5, r"$\ell$", 1, GREEN),
        (6.05, "$o$", 3, ORANGE),
    ]:
        text(ax, x, y - 0.95, name, size=15)
        matrix(ax, x, y, [[color] * columns] * n, cell)
    text(ax, 5.4, 2.8, "kept for each query,\nand no weight", color=MUTED)
    text(ax, 3.55, 2.8, "made and\nforgotten", color=MUTED)
    return ax.figure


@drawn
def block_frames():
    """Draw a film: two queries meet six keys in three blocks, and after each its state is shown.

    Each picture is a part of its own, which the page lights up in turn.
    """
    figure, wide = new_figure(FILM, None), WIDTH / len(STATES)
    for k, (name, state) in enumerate(STATES.items()):
        place = {"xlim": (0, wide), "ylim": (FILM, 0), "gid": f"step-{k}"}
        ax = figure.add_axes((k / len(STATES), 0, 1 / len(STATES), 1), **place)
        ax.axis("off")
        heading(ax, wide / 2, 0.2, name)
        _keys(ax, wide / 2, 0.55, k - 1)
        _state(ax, [*state, QUOTIENTS[k]])
    return figure


def _keys(ax, x, y, now):
    """The values of all keys, and below them the exponentials of their scores, a row a query."""
    cell, left, real = 0.265, x - KEYS * 0.1325, range(len(VALUES))
    kept = [j in real and j // BLOCK >= now for j in range(KEYS)]
    for n, rows in enumerate(((VALUES,), EXPONENTIALS)):
        colors = [[_color(j, now, n) for j in range(KEYS)]] * len(rows)
        words = [[f"{row[j]}" if kept[j] else "" for j in range(KEYS)] for row in rows]
        matrix(ax, x, y + n * (1.5 * cell + 0.08), colors, cell, words)
    if now >= 0:
        middle = left + (now + 0.5) * BLOCK * cell
        frame(ax, middle, y + 1.17 * cell, BLOCK * cell + 0.03, 3 * cell + 0.13)


def _color(j, now, row):
    if j >= len(VALUES):
        return None
    return (BLUE if row else ORANGE) if j // BLOCK == now else GREY if j // BLOCK > now else FAINT


def _state(ax, rows):
    for x, name in ((0.24, "query"), (0.72, "0"), (1.32, "1")):
        text(ax, x, 1.5, name, color=MUTED)
    for n, (name, pair) in enumerate(zip(NAMES, rows, strict=True)):
        y = 1.84 + 0.35 * n + 0.06 * (n == len(rows) - 1)
        text(ax, 0.22, y, name, size=15)
        for x, word in zip((0.72, 1.32), pair, strict=True):
            if n in KEPT:
                box(ax, x, y, 0.52, 0.29, word, KEPT[n])
            else:
                text(ax, x, y, word)


@drawn
def flash_diagram(order, tile):
    """Draw one moment in FlashAttention's two loops: blocks and the tile in which they meet.

    `order` holds the tiles (i, j) of five blocks of queries and five of keys, as the loops make
    them; a block of outputs is written when all its tiles are made. `tile` is the one at hand.

    Raises
    ------
    ValueError
        If `order` does not hold each tile once, or `tile` is none of them.
    """
    ax, y, cell, n = sheet(3.2), 1.95, 0.36, 5
    if sorted(order) != [(i, j) for i in range(n) for j in range(n)]:
        raise ValueError(f"order holds {len(order)} tiles; expected each of {n} by {n} once")
    if tile not in order:
        raise ValueError(f"tile is {tile}; expected one of order")
    (query, key), made = tile, order[: order.index(tile)]
    top, left = y - n * cell / 2, 2.7 - n * cell / 2
    row = top + (query + 0.5) * cell
    for x, name in ((1.25, "$Q$"), (5.55, "$O$")):
        text(ax, x, top - 0.27, name, size=15)
    text(ax, left + n * cell + 0.35, top - 0.27, "$K, V$", size=15)
    matrix(ax, 1.25, y, [[ORANGE if i == query else GREY] for i in range(n)], cell)
    matrix(ax, 2.7, top - 0.27, [[GREEN if j == key else GREY for j in range(n)]], cell)
    colors = [[FAINT if (i, j) in made else GREY for j in range(n)] for i in range(n)]
    written = [all((i, j) in made for j in range(n)) for i in range(n)]
    colors[query][key] = PAPER
    matrix(ax, 2.7, y, colors, cell)
    frame(ax, left + (key + 0.5) * cell, row, cell + 0.03, cell + 0.03)
    box(ax, 4.3, row, 0.9, 0.32, r"$m,\ \ell,\ o$", ORANGE)
    arrow(ax, (left + n * cell + 0.05, row), (3.8, row))
    arrow(ax, (4.8, row), (5.32, row))
    matrix(ax, 5.55, y, [[BLUE if each else GREY] for each in written], cell)
    arrow(ax, (left, 0.38), (left + n * cell, 0.38))
    text(ax, 2.7, 0.17, "inner loop", color=MUTED)
    arrow(ax, (0.8, top), (0.8, y + n * cell / 2))
    text(ax, 0.58, y, "outer loop", color=MUTED, rotation=90)
    text(ax, 4.3, row + 0.36, "kept on the chip", color=MUTED)
    text(ax, 2.7, y + n * cell / 2 + 0.2, "tiles of scores", color=MUTED)
    return ax.figure


@drawn
def block_grids(some, every, titles):
    """Draw which blocks of masks are full, blue, which partial, with an M, which empty, hatched.

    `some` and `every` hold an array of booleans, a block of queries by a block of keys, for each
    title: whether anything is visible in the block, and whether everything is.

    Raises
    ------
    ValueError
        If a shape, a dtype or a number of arrays does not fit, or a full block shows nothing.
    """
    titles = names_of("titles", titles, len(some))
    names_of("every", every, len(some))
    cells, words = [], []
    for n, grid in enumerate(some):
        grid = boolean_array(f"some[{n}]", grid, [np.shape(grid)])
        full = boolean_array(f"every[{n}]", every[n], [grid.shape])
        if np.any(full & ~grid):
            raise ValueError(f"every[{n}] is True where some[{n}] is False; expected no such block")
        pairs = [list(zip(*rows, strict=True)) for rows in zip(grid, full, strict=True)]
        cells.append([[(SEEN if f else BLUE) if s else None for s, f in row] for row in pairs])
        words.append([["M" if s and not f else "" for s, f in row] for row in pairs])
    return side_by_side(cells, titles, 3, words=words, axes=("blocks of queries", "blocks of keys"))
