"""Small grids side by side: masks, influence, right and wrong weights, distributions, tables."""

import numpy as np

from attnbook.colours import BLUE, GREEN, GREY, INK, MUTED, ORANGE, PAPER, RED, SEEN, SERIES, shade
from attnbook.plots.arguments import boolean_array, names_of, real_array
from attnbook.plots.numerals import in_cells
from attnbook.plots.primitives import box, heading, line, matrix, sheet, squares, text
from attnbook.plots.style import CHARACTER, SIZE, WIDTH, drawn, text_color

AXIS = 0.26  # inches, for the name of an axis
COLOURS = {"good": GREEN, "fair": ORANGE, "bad": RED, "other": BLUE, "plain": GREY}
TITLE, NAMES, SPACE, LARGEST = 0.32, 0.28, 0.35, 0.42  # inches
LARGER = 1.2  # at most, the words of a small table


@drawn
def mask_grids(masks, titles, *, query_names=None, key_names=None):
    """Draw masks, arrays of booleans of shape (n_q, n_k), as grids: True blue, False hatched.

    There may be six of them, of different shapes, three to a row. Rows are queries and columns are
    keys, with names or with numbers.

    Raises
    ------
    ValueError
        If a shape, a dtype or the number of some names does not fit.
    """
    return _blue_or_hatched("masks", masks, titles, names=(query_names, key_names))


@drawn
def influence_grids(moved, titles):
    """Draw what moves what, as masks are drawn: output i is blue at word t if t moves it.

    Raises
    ------
    ValueError
        If a shape or a dtype does not fit.
    """
    return _blue_or_hatched("moved", moved, titles, axes=("outputs i", "words t"))


@drawn
def caught_grids(caught, titles, tests, bugs):
    """Draw which of some tests catches which of some bugs, as masks are drawn: caught is blue.

    The grids, arrays of booleans of shape (tests, bugs), stand below each other.

    Raises
    ------
    ValueError
        If a shape, a dtype or the number of some names does not fit.
    """
    look = {"names": (tests, bugs), "axes": ("questions", "exhibits")}
    return _blue_or_hatched("caught", caught, titles, columns=1, **look)


@drawn
def stored_grids(seen, stored, titles, rows=None):
    """Draw what masks mean and what they hold: blue is visible, hatched hidden, T and F are stored.

    `seen` and `stored` have one array of booleans for each title, and the two have one shape.
    `rows` says for each title what its rows are, or "" to say nothing; without it they are queries.

    Raises
    ------
    ValueError
        If a shape, a dtype or the number of some names does not fit.
    """
    titles = names_of("titles", titles, len(seen))
    seen = [boolean_array(f"seen[{n}]", x, [np.shape(x)]) for n, x in enumerate(seen)]
    pairs = enumerate(zip(stored, seen, strict=True))
    stored = [boolean_array(f"stored[{n}]", x, [like.shape]) for n, (x, like) in pairs]
    cells = [[[SEEN if x else None for x in row] for row in grid] for grid in seen]
    words = [np.where(grid, "T", "F") for grid in stored]
    axes = names_of("rows", rows, len(seen)) or "queries i", "keys j"
    return side_by_side(cells, titles, len(seen), words=words, axes=axes)


def _blue_or_hatched(name, grids, titles, columns=None, **look):
    grids = [boolean_array(f"{name}[{n}]", grid, [np.shape(grid)]) for n, grid in enumerate(grids)]
    titles = names_of("titles", titles, len(grids))
    columns = columns or min(len(grids), 4 if len(grids) == 4 else 3)
    cells = [[[SEEN if seen else None for seen in row] for row in grid] for grid in grids]
    return side_by_side(cells, titles, columns, **look)


@drawn
def right_and_wrong(right, wrong, titles=("right", "wrong"), *, mask=None):
    """Draw two matrices of one shape, small: what should be and what a bug makes of it.

    Numbers are drawn as weights, booleans as a mask. Cells of `right` where `mask` is False are
    hatched. Cells of `wrong` that differ from those of `right` have a frame.

    Raises
    ------
    ValueError
        If the shapes differ or do not fit.
    """
    right, wrong = np.asarray(right), np.asarray(wrong)
    titles = names_of("titles", titles, 2)
    if right.dtype == bool:
        wrong = boolean_array("wrong", wrong, [right.shape])
        colors = [[[SEEN if seen else None for seen in row] for row in a] for a in (right, wrong)]
        return side_by_side(colors, titles, 2, differ=right != wrong)
    right, wrong = (
        real_array("right", right, ("n_q", "n_k")),
        real_array("wrong", wrong, right.shape),
    )
    mask = np.ones(right.shape, bool) if mask is None else mask
    mask = boolean_array("mask", mask, [right.shape])
    words = [np.where(mask, in_cells(np.where(mask, right, 0)), ""), in_cells(wrong)]
    colors = [[[_weight(x) for x in row] for row in a] for a in (right, wrong)]
    for i, j in np.argwhere(~mask):
        colors[0][i][j] = None
    differ = ~np.isclose(right, wrong, equal_nan=True)
    return side_by_side(colors, titles, 2, words=words, differ=differ)


def _weight(x):
    if np.isfinite(x):
        return shade("blues", 0.9 * min(x, 1)) if x >= 0 else shade("reds", 0.5 * min(-x, 1))
    return RED


def side_by_side(
    cells,
    titles,
    columns,
    *,
    words=None,
    names=(None, None),
    axes=("queries i", "keys j"),
    differ=None,
    strips=None,
):
    query_names, key_names = names
    wide = max(len(grid[0]) for grid in cells)
    names_wide = AXIS + 0.1 + 0.09 * max(map(len, query_names or ["0"]))
    room = WIDTH / columns - SPACE - names_wide
    cell = min(room / wide, 0.62 if words else LARGEST)
    rows = [cells[n : n + columns] for n in range(0, len(cells), columns)]
    rest = TITLE + AXIS + NAMES + (0.25 if strips is None else 0.75)
    heights = [cell * max(map(len, row)) + rest for row in rows]
    ax = sheet(sum(heights) + 0.1)
    top = 0.1
    for r, (row, height) in enumerate(zip(rows, heights, strict=True)):
        for c, grid in enumerate(row):
            n = r * columns + c
            middle = WIDTH / columns * (c + 0.5) + names_wide / 2
            y = top + TITLE + AXIS + NAMES + cell * len(grid) / 2
            left = middle - cell * len(grid[0]) / 2
            heading(ax, middle, top + 0.14, titles[n])
            text(ax, middle, top + TITLE + AXIS / 2, axes[1], color=MUTED)
            if label := _rows_of(n, c, axes[0]):
                text(ax, left - names_wide + 0.1, y, label, color=MUTED, rotation=90)
            _name(ax, middle, y, grid, cell, query_names, key_names)
            matrix(ax, middle, y, grid, cell, words and words[n])
            if n == 1 and differ is not None:
                _frame(ax, (left, y - cell * len(grid) / 2), cell, differ)
            if strips is not None:
                _strip(ax, middle, top + height - 0.35, cell * len(grid[0]), *strips[n])
        top += height
    return ax.figure


def _rows_of(n, column, name):
    """What the rows of a grid are: from a list, or one name for all, written once in each line."""
    return name[n] if isinstance(name, list) else name * (column == 0)


def _strip(ax, x, y, wide, colors, names):
    matrix(ax, x, y, [colors], wide / len(names), [names])


def _frame(ax, corner, cell, where):
    corners = [corner + cell * place + 0.02 for place in np.argwhere(where)[:, ::-1]]
    if corners:
        look = {"facecolor": "none", "edgecolor": SERIES[1], "linewidth": 2}
        squares(ax, corners, cell - 0.04, **look)


def _name(ax, x, y, grid, cell, query_names, key_names):
    left, top = x - len(grid[0]) * cell / 2, y - len(grid) * cell / 2
    for j in range(len(grid[0])):
        name = str(j) if key_names is None else key_names[j]
        text(ax, left + (j + 0.5) * cell, top - 0.13, name, color=MUTED)
    for i in range(len(grid)):
        name = str(i) if query_names is None else query_names[i]
        text(ax, left - 0.09, top + (i + 0.5) * cell, name, color=MUTED, ha="right")


@drawn
def distributions(rows, titles, names=None):
    """Draw each row of numbers, of shape (n, m), as a small panel of upright bars with numbers.

    Raises
    ------
    ValueError
        If a shape, a dtype or the number of some names does not fit.
    """
    rows = real_array("rows", rows, ("n", "m"))
    n, m = rows.shape
    titles, names = names_of("titles", titles, n), names_of("names", names or range(m), m)
    ax, room = sheet(2.5), WIDTH / n
    step, high = min((room - 0.4) / m, 0.6), 1.35 / max(rows.max(), 1e-300)
    for k, row in enumerate(rows):
        left = room * (k + 0.5) - step * m / 2
        heading(ax, room * (k + 0.5), 0.17, titles[k])
        line(ax, [left, left + step * m], [2.1, 2.1], 1)
        written = in_cells(row)
        for j, number in enumerate(row):
            middle, height = left + step * (j + 0.5), high * number
            look = {"color": SERIES[0], "linewidth": 0, "clip_on": False}
            ax.bar(middle, -height, step * 0.62, bottom=2.1, **look)
            text(ax, middle, 2.1 - height - 0.12, written[j])
            text(ax, middle, 2.28, names[j], color=MUTED)
    return ax.figure


@drawn
def table_cells(rows, columns, cells, colors):
    """Draw a table of words as coloured cells: `colors`, word → good, fair, bad, other or plain.

    `cells` has a row of words for each name in `rows`, and in it a word for each in `columns`. A
    word without a colour stands on the page's own. Words are as large as the longest allows.

    Raises
    ------
    ValueError
        If the cells are not as many as the names, or a colour is unknown.
    """
    if [len(row) for row in cells] != [len(columns)] * len(rows):
        sizes = [len(row) for row in cells]
        raise ValueError(f"cells has rows of {sizes} words; expected {len(rows)} of {len(columns)}")
    if unknown := set(colors.values()) - set(COLOURS):
        raise ValueError(f"colors has {min(unknown)!r}; expected one of {', '.join(COLOURS)}")
    longest, widest = _longest(rows), _longest([*columns, *(word for row in cells for word in row)])
    needed = 0.2 + CHARACTER * longest + len(columns) * (0.1 + CHARACTER * widest)
    larger = min(max(WIDTH / needed, 1), LARGER)
    lines = [1 + max(w.count("\n") for w in [n, *row]) for n, row in zip(rows, cells, strict=True)]
    tall = [0.14 + 0.22 * larger * n for n in lines]
    top = 0.2 + 0.2 * larger * max(column.count("\n") + 1 for column in columns)
    left = 0.15 + 0.088 * larger * longest
    step = (WIDTH - left - 0.05) / len(columns)
    ax, size = sheet(top + sum(tall) + 0.05), larger * SIZE
    for j, column in enumerate(columns):
        text(ax, left + step * (j + 0.5), top / 2, column, weight="semibold", size=size)
    for name, row, height in zip(rows, cells, tall, strict=True):
        text(ax, left - 0.1, top + height / 2, name, ha="right", size=size)
        for j, word in enumerate(row):
            middle = left + step * (j + 0.5), top + height / 2
            color = COLOURS[colors[word]] if word in colors else PAPER
            box(ax, *middle, step, height, color=color, linewidth=1.5, edgecolor=PAPER)
            text(ax, *middle, word, color=INK if color == PAPER else text_color(color), size=size)
        top += height
    return ax.figure


def twins_diagram():
    """Draw softmax and the sum of values in NumPy, in PyTorch, and what each step does backward."""
    both_ways = {
        "hide": ("s = where(m, s, −inf)", "as it is, or 0 if hidden"),
        "exp": ("e = exp(s)", "× e"),
        "sum": ("total = sum(e, {}=−1)", "× 1 for each e"),
        "divide": ("A = e / total", "e: × 1 / total\ntotal: × −A / total"),
        "mix": ("A @ v", "A: × v,  v: × A"),
    }
    cells = [[s.format("axis"), s.format("dim"), back] for s, back in both_ways.values()]
    colors = dict.fromkeys(cells[2][:2], "good") | {back: "fair" for _, back in both_ways.values()}
    return table_cells(
        list(both_ways), ["NumPy  ↓", "PyTorch  ↓", "backward pass  ↑"], cells, colors
    )


def _longest(words):
    return max((len(part) for word in words for part in word.split("\n")), default=0)
