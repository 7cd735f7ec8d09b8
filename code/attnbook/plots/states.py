"""The diagrams of attention without the softmax: two bracketings, chunks, and a correction."""

from attnbook.colours import BLUE, GREEN, INK, MUTED, ORANGE, SERIES
from attnbook.plots.primitives import arrow, box, heading, line, matrix, sheet, text
from attnbook.plots.style import drawn

TALL, WIDE = 1.2, 0.32  # n positions and d features, in inches
SIDES = {  # which product is taken first: the places of its two arrays, its sides, what it is
    "from the left": ((0, 1), TALL, r"$n \times n$", "one number for\neach pair", ORANGE),
    "from the right": ((1, 2), WIDE, r"$d \times d$", "however long\nthe text", GREEN),
}
ARRAYS = ("$Q$", TALL, WIDE), (r"$K^{\mathsf{T}}$", WIDE, TALL), ("$V$", TALL, WIDE)
STEPS, CHUNK, CELL = 9, 3, 0.3
LEGEND = {
    "inside a chunk": (r"$(M \circ Q K^{\mathsf{T}})\,V$", ORANGE),
    "before it": ("$Q\\,H$, from the state", GREEN),
    "the future": ("hidden", None),
}
BEFORE, KEY, TOLD = (2.0, 6.0), (0.6, 0.8), 10.0  # a state, a key of length 1, the key's new value
ORIGIN, UNIT, RIGHT, TOP = (1.0, 4.25), 0.26, 12.0, 15.0  # inches, inches for 1, the last numbers


@drawn
def bracketings_diagram():
    """Draw the product of three matrices with both bracketings, and what each makes on the way."""
    ax = sheet(4.0)
    for n, (name, side) in enumerate(SIDES.items()):
        _product(ax, 0.2 + 3.4 * n, name, *side)
    line(ax, [3.35, 3.35], [0.2, 3.8], 1, linestyle=(0, (3, 2)))
    return ax.figure


def _product(ax, left, name, first, side, shape, words, color):
    """Three arrays in a row; below the two that are multiplied first stands their product."""
    heading(ax, left + 1.4, 0.22, name)
    places = left + 0.35, left + 1.35, left + 2.35
    for x, (label, height, width) in zip(places, ARRAYS, strict=True):
        box(ax, x, 1.1, width, height, color=BLUE)
        text(ax, x, 1.9, label, size=15)
    text(ax, left + 0.05, 1.1, "$n$", size=15, color=MUTED)
    text(ax, left + 0.35, 0.36, "$d$", size=15, color=MUTED)
    for x in (left + 0.63, left + 2.07):
        text(ax, x, 1.1, "·", size=17)
    start, end = (places[i] for i in first)
    line(ax, [start - 0.2, start - 0.2, end + 0.2, end + 0.2], [2.08, 2.16, 2.16, 2.08], 1.4)
    middle = (start + end) / 2
    arrow(ax, (middle, 2.2), (middle, 2.5))
    box(ax, middle, 2.58 + side / 2, side, side, color=color)
    x, y = (middle + 0.75, 2.95) if side == TALL else (middle, 3.2)
    look = {"ha": "left"} if side == TALL else {}
    text(ax, x, y, shape, size=16, **look)
    text(ax, x, y + 0.47, words, color=MUTED, **look)


@drawn
def chunks_diagram():
    """Draw which products a causal text needs inside its chunks, and what the state holds."""
    ax, x, y = sheet(3.5), 1.95, 1.95
    top, left = y - STEPS * CELL / 2, x - STEPS * CELL / 2
    colors = [[_color(i, j) for j in range(STEPS)] for i in range(STEPS)]
    matrix(ax, x, y, colors, CELL)
    text(ax, x, top - 0.18, "keys j", color=MUTED)
    text(ax, left - 0.2, y, "queries i", color=MUTED, rotation=90)
    for n, (name, (formula, color)) in enumerate(LEGEND.items()):
        here = top + 0.4 + 0.95 * n
        matrix(ax, 3.95, here, [[color]], CELL)
        text(ax, 4.3, here - 0.04, name, ha="left", weight="semibold")
        text(ax, 4.3, here + 0.27, formula, ha="left", size=15, color=INK)
    return ax.figure


def _color(i, j):
    if j > i:
        return None
    return ORANGE if i // CHUNK == j // CHUNK else GREEN


@drawn
def correction_diagram():
    """Draw a state of two numbers as a point, and where the sum and the delta rule move it."""
    ax = sheet(4.75)
    for end, words, place in _axes():
        arrow(ax, ORIGIN, _at(*end))
        text(ax, *place, words, color=MUTED, rotation=90 if end[0] == 0 else 0)
    for number in (reads := _reading(BEFORE)), TOLD, reads + TOLD:
        _level(ax, number)
    half, delta, total = (_moved(step) for step in ((TOLD - reads) / 2, TOLD - reads, TOLD))
    line(ax, *zip(_at(*delta), _at(*total), strict=True), linestyle=(0, (3, 2)))
    arrow(ax, _at(*BEFORE), _at(*delta), 2.4, SERIES[1])
    arrow(ax, ORIGIN, _at(*KEY), 2, SERIES[0])
    text(ax, *_at(1.35, 0.75), "$k$", size=15)
    _mark(ax, "halfway", half)  # its numbers would lie across a line
    for name, point in {"before": BEFORE, "delta rule": delta, "plain sum": total}.items():
        _mark(ax, f"{name} ({point[0]:g}, {point[1]:g})", point)
    return ax.figure


def _at(x, y):
    """Where the numbers x and y of a state lie on the sheet."""
    return ORIGIN[0] + UNIT * x, ORIGIN[1] - UNIT * y


def _axes():
    across, up = (RIGHT, 0), (0, TOP)
    yield across, "first number of $H$", (_at(RIGHT / 2, 0)[0], ORIGIN[1] + 0.28)
    yield up, "second number of $H$", (ORIGIN[0] - 0.28, _at(0, TOP / 2)[1])


def _reading(state):
    return KEY[0] * state[0] + KEY[1] * state[1]


def _moved(step):
    """The state, after something is written under the key."""
    return tuple(x + step * k for x, k in zip(BEFORE, KEY, strict=True))


def _level(ax, number):
    """All states from which the key reads this number, and the number at the end of the line."""
    start = max(0.0, (number - KEY[1] * TOP) / KEY[0])
    end = min(RIGHT, number / KEY[0] - 1)
    ends = [(x, (number - KEY[0] * x) / KEY[1]) for x in (start, end)]
    xs, ys = zip(*(_at(*place) for place in ends), strict=True)
    line(ax, xs, ys, 2 if number == TOLD else 1.2, SERIES[0] if number == TOLD else MUTED)
    text(ax, xs[1] + 0.12, ys[1], f"the key reads {number:g}", ha="left", color=MUTED)


def _mark(ax, name, point):
    x, y = _at(*point)
    ax.plot(x, y, "o", markersize=8, color=INK, clip_on=False)
    text(ax, x + 0.2, y + 0.02, name, ha="left")
