"""The diagrams of programs on a GPU: memories, lanes and masks, a race, warps and threads."""

from attnbook.colours import BLUE, FAINT, GREEN, GREY, MUTED, ORANGE, PAPER, RED, SERIES
from attnbook.plots.primitives import FRAME, arrow, box, frame, heading, line, matrix, sheet, text
from attnbook.plots.style import drawn

ROWS, ROW = 8, 2  # rows of each array, and of a block
HERE, KEY = 2, 1  # the program that is drawn large, and the block of keys that it has reached

X, Y = (1, 3, 4), (0, 4, 8)  # two arrays that two programs add
ADDED = (4, 8)  # what two programs add to one cell
BLOCK, WARPS, THREADS = 128, 4, 32  # rows and columns of a block of scores, and who shares it
BAND = 16  # rows that a warp gets at a time
ZOOMED = 1  # the warp of which the threads are drawn

ORDERS = {"one after the other": "0011", "in each other's way": "0101"}


@drawn
def gpu_diagram():
    """Draw where FlashAttention keeps what: main memory, shared memory, registers."""
    ax = sheet(4.35)
    _main_memory(ax)
    box(ax, 4.77, 2.2, 3.7, 4.2, color=GREY)
    heading(ax, 4.77, 0.3, "the chip")
    for n in range(4):
        look = FRAME if n == HERE else {}
        box(ax, 3.42 + 0.9 * n, 0.78, 0.8, 0.38, f"prog. {n}", **look)
    for x, edge in ((4.82, 2.97), (5.62, 6.57)):
        line(ax, [x, edge], [0.97, 1.22], color=SERIES[1])
    box(ax, 4.77, 2.72, 3.6, 3.0, **FRAME)
    heading(ax, 3.74, 1.46, "shared memory")
    heading(ax, 5.7, 1.46, "registers")
    line(ax, [4.6, 4.6], [1.35, 4.1], color=FAINT)
    _block(ax, 3.35, 2.15, "$k$", GREEN, 4)
    _block(ax, 4.1, 2.15, "$v$", ORANGE, 4)
    _block(ax, 3.73, 2.95, "$q$", BLUE, 4)
    text(ax, 3.75, 3.65, "shared by\nthe whole\nprogram", color=MUTED)
    _block(ax, 5.55, 2.15, "$s$, $p$", FAINT, 2)
    for x, name, columns in ((4.95, "$m$", 1), (5.4, r"$\ell$", 1), (6.05, "$o$", 4)):
        _block(ax, x, 3.05, name, RED, columns)
    text(ax, 5.6, 3.75, "where the program\ncomputes", color=MUTED)
    return ax.figure


def _main_memory(ax):
    box(ax, 1.35, 2.2, 2.6, 4.2, color=GREY)
    heading(ax, 1.35, 0.3, "main memory")
    now = {"$Q$": (BLUE, HERE), "$K$": (GREEN, KEY), "$V$": (ORANGE, KEY)}
    for n, (name, (color, block)) in enumerate(now.items()):
        _array(ax, 0.55 + 0.8 * n, 1.45, name, color, block, 4)
    _array(ax, 0.75, 3.35, "$O$", RED, HERE, 4)
    _array(ax, 1.45, 3.35, "$L$", RED, HERE, 1)
    for y, name in ((2.45, "load"), (3.35, "store")):
        text(ax, 2.27, y - 0.17, name, color=MUTED)
        start, end = ((1.97, y), (2.92, y))
        arrow(ax, *((start, end) if name == "load" else (end, start)))


def _array(ax, x, y, name, color, block, columns, cell=0.15):
    text(ax, x, y - 0.8, name, size=15)
    inside = range(block * ROW, (block + 1) * ROW)
    matrix(ax, x, y, [[color if i in inside else PAPER] * columns for i in range(ROWS)], cell)
    half = columns * cell / 2
    for i in range(0, ROWS + 1, ROW):
        line(ax, [x - half, x + half], [y + (i - ROWS / 2) * cell] * 2, color=FAINT)


def _block(ax, x, y, name, color, columns, cell=0.15):
    text(ax, x, y - 0.33, name, size=15)
    matrix(ax, x, y, [[color] * columns] * ROW, cell)


@drawn
def programs_diagram():
    """Draw two programs with blocks of two, which add two arrays of three numbers."""
    ax, cell, left = sheet(3.05), 0.62, 2.3
    for n in range(2):
        middle = left + (2 * n + 1) * cell
        heading(ax, middle, 0.22, f"program {n}")
        frame(ax, middle, 1.65, 2 * cell - 0.12, 2.6)
    for y, name in ((0.65, "$i$"), (1.1, "$i < n$")):
        text(ax, left - 0.6, y, name, size=15)
    for i in range(4):
        text(ax, left + (i + 0.5) * cell, 0.65, f"{i}")
        text(ax, left + (i + 0.5) * cell, 1.1, "yes" if i < len(X) else "no", color=MUTED)
    sums = [x + y for x, y in zip(X, Y, strict=True)]
    lanes = (
        ("$x$", X, BLUE, "loaded"),
        ("$y$", Y, ORANGE, "loaded"),
        ("$x + y$", sums, GREEN, "stored"),
    )
    for k, (name, numbers, color, does) in enumerate(lanes):
        y = 1.65 + 0.5 * k
        text(ax, left - 0.6, y, name, size=15)
        text(ax, left - 1.5, y, does, color=MUTED)
        for i in range(4):
            held = i < len(numbers)
            number = f"{numbers[i]}" if held else ""
            matrix(ax, left + (i + 0.5) * cell, y, [[color if held else None]], 0.36, [[number]])
    return ax.figure


@drawn
def race_diagram():
    """Draw two programs that add 4 and 8 to one cell, in two orders of their loads and stores."""
    ax = sheet(2.75)
    for n, (title, order) in enumerate(ORDERS.items()):
        left = 0.2 + 3.4 * n
        heading(ax, left + 1.5, 0.2, title)
        for x, name in zip((0.55, 1.5, 2.45), ("program 0", "cell", "program 1"), strict=True):
            text(ax, left + x, 0.6, name, color=MUTED)
        for k, (program, does, cell) in enumerate(turns(order)):
            y = 1.02 + 0.44 * k
            x = left + (0.55, 2.45)[program]
            box(ax, x, y, 0.98, 0.34, does, (BLUE, ORANGE)[program])
            box(ax, left + 1.5, y, 0.44, 0.34, f"{cell}")
            ends = [x + (0.49, -0.49)[program], left + 1.5 + (-0.22, 0.22)[program]]
            start, end = ends if does.startswith("store") else ends[::-1]
            arrow(ax, (start, y), (end, y))
    return ax.figure


def turns(order):
    """Each turn of an order: the program, what it does, and the cell after it."""
    cell, held = 0, {}
    for program in map(int, order):
        if program not in held:
            held[program] = cell
            yield program, f"load {cell}", cell
        else:
            cell = held[program] + ADDED[program]
            yield program, f"store {cell}", cell


@drawn
def warps_diagram():
    """Draw a block of scores in the bands of its warps, one's threads, and what a thread holds."""
    ax, wide, tall, top = sheet(3.1), 1.8, 2.5, 0.45
    height, each = tall * BAND / BLOCK, BLOCK * BLOCK // (WARPS * THREADS)
    heading(ax, 1.25, 0.2, f"a block of $s$, {BLOCK} · {BLOCK}")
    for band in range(BLOCK // BAND):
        w, y = band % WARPS, top + (band + 0.5) * height
        look = FRAME if w == ZOOMED else {}
        color = (BLUE, GREEN, ORANGE, RED)[w]
        box(ax, 1.25, y, wide, height - 0.04, f"warp {w}", color, **look)
    heading(ax, 3.55, 0.2, f"{THREADS} threads")
    cells = [[GREEN] * 8 for _ in range(THREADS // 8)]
    cells[1][7] = SERIES[1]
    level = top + tall / 2
    matrix(ax, 3.55, level, cells, 0.18)
    for band in range(ZOOMED, BLOCK // BAND, WARPS):
        y = top + (band + 0.5) * height
        arrow(ax, (2.2, y), (2.78, level + (y - level) / 4))
    heading(ax, 5.8, 0.2, "one thread")
    matrix(ax, 5.8, level, [[GREEN] * 16] * (each // 16), 0.09)
    arrow(ax, (4.33, level - 0.09), (5.02, level - 0.09))
    text(ax, 5.8, level + 0.72, f"{each} numbers,\n{each} registers", color=MUTED)
    text(ax, 3.55, level + 0.72, "one instruction\nfor all", color=MUTED)
    return ax.figure
