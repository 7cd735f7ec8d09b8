"""Two diagrams of libraries: which program computes what one calls, and how a NaN spreads."""

from attnbook.colours import BLUE, GREEN, MUTED, ORANGE, RED
from attnbook.plots.primitives import arrow, box, heading, matrix, sheet, text
from attnbook.plots.style import drawn

CALLED = {  # where each stands, and what True means in its mask
    "our module": (0.65, "True = may look"),
    "the layer": (1.85, "True = hidden"),
    "SDPA": (3.1, "True = may look"),
    "FlexAttention": (4.1, "a function"),
    "JAX": (4.9, "True = may look"),
}
PROGRAMS = {  # where each stands, who calls it, and when
    "the formula, with guards": (0.65, "our module", ""),
    "a softmax of its own": (1.4, "the layer", "with weights"),
    "the fast path": (2.1, "the layer", "in evaluation"),
    "MATH, step by step": (2.8, "SDPA", ""),
    "FLASH, block by block": (3.4, "SDPA", ""),
    "the function, on scores": (4.1, "FlexAttention", ""),
    "XLA, or cuDNN": (4.9, "JAX", ""),
}
HALF = "½ ½ 0 0".split()


@drawn
def routes_diagram():
    """Draw what one may call for attention, what True means in its mask, and what then computes."""
    ax = sheet(5.45)
    for x, words in ((0.95, "you call"), (5.4, "this computes")):
        heading(ax, x, 0.2, words)
    for name, (y, meaning) in CALLED.items():
        box(ax, 0.95, y, 1.6, 0.36, name, BLUE)
        text(ax, 0.95, y + 0.32, meaning, color=MUTED)
    for name, (y, caller, when) in PROGRAMS.items():
        box(ax, 5.4, y, 2.3, 0.36, name, GREEN)
        start = CALLED[caller][0]
        arrow(ax, (1.8, start), (4.2, y))
        text(ax, 3.0, (start + y) / 2 + (0.2 if y > start else -0.2), when, color=MUTED)
    arrow(ax, (0.95, 2.32), (0.95, 2.9))
    text(ax, 1.72, 2.63, "without weights", color=MUTED)
    return ax.figure


@drawn
def spread_diagram():
    """Draw A V forward and Aᵀ G backward: a row of NaN in A spoils one row, then all of them."""
    ax, spoilt = sheet(4.95), ["NaN"] * 4
    heading(ax, 3.35, 0.2, "forward: the outputs")
    outputs = [["", ""], spoilt[:2]]
    _product(ax, 1.25, {"$A$": [HALF, spoilt], "$V$": [["", ""]] * 4, "$O$": outputs})
    heading(ax, 3.35, 2.6, "backward: the gradients of the values")
    turned = [[half, "NaN"] for half in HALF]
    sent = [["1", "1"], ["0", "0"]]
    names = r"$A^{\mathsf{T}}$", "$G_O$", "$G_V$"
    matrices = turned, sent, [spoilt[:2]] * 4
    _product(ax, 3.65, dict(zip(names, matrices, strict=True)))
    return ax.figure


def _product(ax, y, named):
    """Two matrices of words and their product, side by side, with NaN in red."""
    x, cell = 1.2, 0.42
    for n, (name, words) in enumerate(named.items()):
        wide, color = cell * len(words[0]), (BLUE, ORANGE, GREEN)[n]
        cells = [[RED if word == "NaN" else color for word in row] for row in words]
        matrix(ax, x + wide / 2, y, cells, cell, words)
        text(ax, x + wide / 2, y + cell * len(words) / 2 + 0.17, name, color=MUTED)
        x += wide + 0.5
        if n < 2:
            text(ax, x - 0.25, y, "·="[n])
