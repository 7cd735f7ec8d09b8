"""The diagram of attention and its gradients: the same boxes twice, with the arrows turned."""

from attnbook.colours import BLUE, INK, MUTED, ORANGE
from attnbook.plots.primitives import arrow, box, sheet, text
from attnbook.plots.style import drawn

ACROSS, DOWN = (0.62, 2.44, 4.26, 6.08), (0.0, 1.0)
BOXES = {  # name: column, row, shape
    "Q": (0, 0, r"n_q \times d_k"),
    "K": (0, 1, r"n_k \times d_k"),
    "S": (1, 0, r"n_q \times n_k"),
    "A": (2, 0, r"n_q \times n_k"),
    "V": (2, 1, r"n_k \times d_v"),
    "O": (3, 0, r"n_q \times d_v"),
}
FORWARD = {  # from, to: what happens on the way
    ("Q", "S"): r"$c\,Q K^{\mathsf{T}}$",
    ("K", "S"): "",
    ("S", "A"): "softmax",
    ("A", "O"): "$A V$",
    ("V", "O"): "",
}
BACKWARD = {
    ("O", "A"): r"$G_O V^{\mathsf{T}}$",
    ("O", "V"): r"$A^{\mathsf{T}} G_O$",
    ("A", "S"): "each row times $J$",
    ("S", "Q"): r"$c\,G_S K$",
    ("S", "K"): r"$c\,G_S^{\mathsf{T}} Q$",
}


@drawn
def backward_diagram():
    """Draw attention's steps from Q, K and V to O, and below them its gradients back from G_O.

    Each gradient stands under what it is the gradient of, and has its shape; on each arrow stands
    the product that it takes.
    """
    ax = sheet(4.85)
    _graph(ax, 0.95, BLUE, "${}$", FORWARD, "forward")
    _graph(ax, 3.35, ORANGE, "$G_{}$", BACKWARD, "backward")
    return ax.figure


def _graph(ax, top, color, name, steps, title):
    text(ax, 0.11, top - 0.72, title, weight="semibold", ha="left")
    places = {n: (ACROSS[x], top + DOWN[y]) for n, (x, y, _) in BOXES.items()}
    for letter, (x, y) in places.items():
        box(ax, x, y, 1.02, 0.72, color=color)
        text(ax, x, y - 0.16, name.format(letter), size=15)
        text(ax, x, y + 0.18, f"${BOXES[letter][2]}$", color=INK)
    for (start, end), words in steps.items():
        _step(ax, places[start], places[end], words)


def _step(ax, start, end, words):
    """An arrow from box to box; along a row its words stand above it, else at its lower end."""
    way = 1 if end[0] > start[0] else -1
    level = start[1] == end[1]
    tilt = 0 if level else 0.2 * (1 if end[1] > start[1] else -1)
    arrow(ax, (start[0] + 0.55 * way, start[1] + tilt), (end[0] - 0.55 * way, end[1] - tilt))
    middle = (start[0] + end[0]) / 2
    if level:
        text(ax, middle, start[1] - 0.5, words, color=MUTED, size=13.5)
    else:
        text(ax, middle + 0.42, max(start[1], end[1]), words, color=MUTED, size=13.5)
