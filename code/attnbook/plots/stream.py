"""A Transformer as a stream: each part reads it and adds to it, with the norm in two places."""

from attnbook.colours import BLUE, GREY, ORANGE, PAPER
from attnbook.plots.primitives import arrow, box, heading, line, plus, sheet, text
from attnbook.plots.style import drawn

RADIUS, HALF = 0.13, 0.2  # of a sum's circle; half the height of a box
NORM, PART = 0.58, 1.22  # how far below the stream
STREAM, BEFORE, AFTER = 0.55, 0.72, 2.62  # from the top to the stream of each picture
PARTS = {"attention": BLUE, "dense layers": ORANGE}


@drawn
def stream_diagram():
    """Draw a decoder-only Transformer, with the norm before each part."""
    ax = sheet(2.3)
    text(ax, 0.28, STREAM, "7 − 3 =", style="italic")
    arrow(ax, (0.58, STREAM), (0.7, STREAM))
    box(ax, 1.22, STREAM, 1.04, 0.52, "embeddings\n+ positions", PAPER)
    box(ax, 3.42, STREAM + 0.72, 3.2, 1.96, color=GREY, edgecolor=GREY)
    text(ax, 4.8, STREAM + 1.5, "× N")
    line(ax, [1.74, 2.3], [STREAM, STREAM])
    for x, name in zip((2.4, 3.86), PARTS, strict=True):
        _read(ax, x, x + 0.82, STREAM, name)
        line(ax, [x - 0.1, x + 0.82 - RADIUS], [STREAM, STREAM])
    line(ax, [3.22 + RADIUS, 3.86], [STREAM, STREAM])
    arrow(ax, (4.68 + RADIUS, STREAM), (5.18, STREAM))
    box(ax, 5.44, STREAM, 0.52, 2 * HALF, "norm", PAPER)
    arrow(ax, (5.7, STREAM), (5.94, STREAM))
    box(ax, 6.25, STREAM, 0.62, 2 * HALF, "logits", PAPER)
    arrow(ax, (6.25, STREAM + HALF), (6.25, STREAM + 0.52))
    text(ax, 6.2, STREAM + 0.7, "− ? = 4", style="italic")
    return ax.figure


@drawn
def norms_diagram():
    """Draw a block with the norm before its parts, and one with the norm after each sum."""
    ax = sheet(4.15)
    heading(ax, 0.62, BEFORE, "pre-norm")
    line(ax, [1.3, 2.1], [BEFORE, BEFORE])
    for x, name in zip((2.1, 4.0), PARTS, strict=True):
        _read(ax, x, x + 1.1, BEFORE, name)
        line(ax, [x, x + 1.1 - RADIUS], [BEFORE, BEFORE])
    line(ax, [3.2 + RADIUS, 4.0], [BEFORE, BEFORE])
    arrow(ax, (5.1 + RADIUS, BEFORE), (6.5, BEFORE))
    heading(ax, 0.62, AFTER, "post-norm")
    line(ax, [1.3, 2.1], [AFTER, AFTER])
    for x, name, end in zip((2.1, 4.4), PARTS, (4.4, 6.5), strict=True):
        _read(ax, x, x + 0.95, AFTER, name, norm=False)
        line(ax, [x, x + 0.95 - RADIUS], [AFTER, AFTER])
        arrow(ax, (x + 0.95 + RADIUS, AFTER), (x + 1.3, AFTER))
        box(ax, x + 1.56, AFTER, 0.52, 2 * HALF, "norm", PAPER)
        (arrow if end == 6.5 else _line)(ax, (x + 1.82, AFTER), (end, AFTER))
    return ax.figure


def _read(ax, x, end, y, name, norm=True):
    """A part that reads the stream at x, behind a norm or not, and adds to it at `end`."""
    start = y
    if norm:
        arrow(ax, (x, y), (x, y + NORM - HALF))
        box(ax, x, y + NORM, 0.52, 2 * HALF, "norm", PAPER)
        start = y + NORM + HALF
    arrow(ax, (x, start), (x, y + PART - HALF))
    width = 0.9 if name == "attention" else 1.12
    box(ax, x, y + PART, width, 2 * HALF, name, PARTS[name])
    line(ax, [x + width / 2, end], [y + PART, y + PART])
    arrow(ax, (end, y + PART), (end, y + RADIUS))
    plus(ax, end, y)


def _line(ax, start, end):
    line(ax, [start[0], end[0]], [start[1], end[1]])
