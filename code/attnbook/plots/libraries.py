"""Two diagrams of libraries: which program computes what one calls, and how a NaN spreads."""

import numpy as np

from attnbook.colours import BLUE, GREEN, MUTED, ORANGE, RED
from attnbook.plots.primitives import arrow, box, heading, matrix, sheet, text
from attnbook.plots.style import drawn

CALLED = {  # where each stands, and what True means in its mask
    "our module": (0.65, "True = may look"),
    "the layer": (1.85, "True = hidden"),
    "SDPA": (3.1, "True = may look"),
    "FlexAttention": (4.1, "True = may look"),
    "JAX": (4.9, "True = may look"),
}
PROGRAMS = {  # where each stands
    "the formula, with guards": 0.65,
    "a softmax of its own": 1.4,
    "the fast path": 2.1,
    "MATH, step by step": 2.8,
    "FLASH, block by block": 3.4,
    "your function, on scores": 4.1,
    "XLA": 4.9,
}


@drawn
def routes_diagram(routes):
    """Draw what one may call for attention, what True means in its mask, and what then computes.

    `routes` are the arrows, as `semantics.routes` finds them: what is called, when, and what that
    leads to.
    """
    ax = sheet(5.45)
    for x, words in ((0.95, "you call"), (5.4, "this computes")):
        heading(ax, x, 0.2, words)
    for name, (y, meaning) in CALLED.items():
        box(ax, 0.95, y, 1.6, 0.36, name, BLUE)
        text(ax, 0.95, y + 0.32, meaning, color=MUTED)
    for name, y in PROGRAMS.items():
        box(ax, 5.4, y, 2.3, 0.36, name, GREEN)
    for called, when, program in routes:
        start = CALLED[called][0]
        if program in PROGRAMS:
            end = PROGRAMS[program]
            arrow(ax, (1.8, start), (4.2, end))
            text(ax, 3.0, (start + end) / 2 + (0.2 if end > start else -0.2), when, color=MUTED)
        else:  # it calls what stands below it
            end = CALLED[program][0]
            arrow(ax, (0.95, start + 0.47), (0.95, end - 0.2))
            text(ax, 1.72, (start + end) / 2 + 0.155, when, color=MUTED)
    return ax.figure


@drawn
def spread_diagram(weights, values, slope):
    """Draw A V forward and Aᵀ G backward, multiplied out, with each NaN in red.

    `weights`, `values` and `slope` are A, V and G, the gradient of the output.
    """
    weights, values, slope = (np.asarray(x) for x in (weights, values, slope))
    ax = sheet(4.95)
    with np.errstate(invalid="ignore"):
        outputs, slopes = weights @ values, weights.T @ slope
    heading(ax, 3.35, 0.2, "forward: the outputs")
    _product(ax, 1.25, {"$A$": weights, "$V$": values, "$O$": outputs})
    heading(ax, 3.35, 2.6, "backward: the gradients of the values")
    _product(ax, 3.65, {r"$A^{\mathsf{T}}$": weights.T, "$G_O$": slope, "$G_V$": slopes})
    return ax.figure


def _product(ax, y, named):
    """Two matrices and their product, side by side, with NaN in red."""
    x, cell = 1.2, 0.42
    for n, (name, numbers) in enumerate(named.items()):
        words = [["NaN" if np.isnan(x) else f"{x:g}" for x in row] for row in numbers]
        wide, color = cell * len(words[0]), (BLUE, ORANGE, GREEN)[n]
        cells = [[RED if word == "NaN" else color for word in row] for row in words]
        matrix(ax, x + wide / 2, y, cells, cell, words)
        text(ax, x + wide / 2, y + cell * len(words) / 2 + 0.17, name, color=MUTED)
        x += wide + 0.5
        if n < 2:
            text(ax, x - 0.25, y, "·="[n])
