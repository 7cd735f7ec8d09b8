"""How a module learns: once around the loop, and the file at its side."""

from attnbook.colours import BLUE, GREEN, MUTED, ORANGE, PAPER
from attnbook.plots.primitives import arrow, box, heading, sheet, text
from attnbook.plots.style import drawn

MATRICES = ("W_q", "W_k", "W_v", "W_o")
ABOVE, BELOW = 0.8, 2.45  # inches: forward and backward


@drawn
def training_diagram():
    """Draw a batch, a module with its matrices, loss, gradients, optimiser, and a file."""
    ax = sheet(3.0)
    box(ax, 0.75, ABOVE, 1.1, 0.6, "a batch", PAPER)
    box(ax, 3.1, ABOVE, 2.3, 1.25, color=PAPER)
    heading(ax, 3.1, ABOVE - 0.36, "module")
    for n, name in enumerate(MATRICES):
        box(ax, 2.27 + 0.55 * n, ABOVE + 0.15, 0.48, 0.48, f"${name}$", BLUE)
    box(ax, 5.85, ABOVE, 1.1, 0.6, "loss", ORANGE)
    box(ax, 5.85, BELOW, 1.4, 0.6, "gradients", ORANGE)
    box(ax, 3.9, BELOW, 1.3, 0.6, "optimiser", GREEN)
    box(ax, 2.35, BELOW, 1.1, 0.6, "a file", PAPER)
    arrow(ax, (1.32, ABOVE), (1.92, ABOVE))
    arrow(ax, (4.28, ABOVE), (5.27, ABOVE))
    text(ax, 4.77, ABOVE - 0.17, "module(x)", color=MUTED)
    arrow(ax, (5.85, ABOVE + 0.33), (5.85, BELOW - 0.33))
    text(ax, 5.77, (ABOVE + BELOW) / 2 + 0.02, "backward()", color=MUTED, ha="right")
    arrow(ax, (5.12, BELOW), (4.58, BELOW))
    arrow(ax, (3.9, BELOW - 0.33), (3.9, ABOVE + 0.66))
    text(ax, 3.82, (ABOVE + BELOW) / 2 + 0.2, "step()", color=MUTED, ha="right")
    arrow(ax, (2.35, ABOVE + 0.66), (2.35, BELOW - 0.33))
    text(ax, 2.27, (ABOVE + BELOW) / 2 + 0.2, "state_dict()", color=MUTED, ha="right")
    return ax.figure
