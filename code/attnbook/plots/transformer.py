"""The diagram of a Transformer: where the three ways of attention sit among its other parts."""

from attnbook.colours import BLUE, GREY, PAPER
from attnbook.plots.primitives import arrow, box, heading, line, plus, sheet, text
from attnbook.plots.style import drawn

WIDE, BESIDE = 2.1, 0.34  # a box, and the space beside it in which its residual runs
HALF, ADDED, RADIUS = 0.28, 0.6, 0.13  # half a box's height; how far below it is the sum; its size
WORDS, EMBEDDINGS = 0.62, 1.2
ENCODER = {
    "x": 1.62,
    "side": -1,
    "words": "black cats sleep",
    "parts": {2.28: "bidirectional\nself-attention", 3.66: "dense layers"},
}
DECODER = {
    "x": 5.08,
    "side": 1,
    "words": "les chats noirs",
    "parts": {2.28: "causal\nself-attention", 4.26: "cross-attention", 5.64: "dense layers"},
}
ENCODED = max(ENCODER["parts"]) + ADDED
NEXT = "chats noirs dorment"


@drawn
def transformer_diagram():
    """Draw an encoder and a decoder: attention in blue, the parts around it plain."""
    ax = sheet(7.95)
    for column, name in [(ENCODER, "encoder"), (DECODER, "decoder")]:
        heading(ax, column["x"], 0.25, name)
        _column(ax, **column)
    _handed_over(ax, ENCODER["x"], DECODER["x"])
    _ending(ax, DECODER["x"])
    return ax.figure


def _column(ax, x, side, words, parts):
    top, bottom = min(parts) - HALF - 0.34, max(parts) + ADDED + 0.42
    middle, width = x + side * BESIDE / 2, WIDE + BESIDE + 0.2
    box(ax, middle, (top + bottom) / 2, width, bottom - top, color=GREY, edgecolor=GREY)
    text(ax, x + side * (WIDE / 2 + 0.2), bottom - 0.17, "× N")
    text(ax, x, WORDS, words, style="italic")
    arrow(ax, (x, WORDS + 0.16), (x, EMBEDDINGS - HALF))
    _part(ax, x, EMBEDDINGS, "embeddings\n+ positions")
    start = EMBEDDINGS + HALF
    for y, name in parts.items():
        arrow(ax, (x, start), (x, y - HALF))
        _part(ax, x, y, name)
        _residual(ax, x, y, side)
        start = y + ADDED + RADIUS


def _residual(ax, x, y, side):
    """From above a part, beside it, to the circle below where input and output are added."""
    far, above, below = x + side * (WIDE / 2 + BESIDE * 0.6), y - HALF - 0.17, y + ADDED
    line(ax, [x, far, far], [above, above, below])
    arrow(ax, (far, below), (x + side * RADIUS, below))
    arrow(ax, (x, y + HALF), (x, below - RADIUS))
    plus(ax, x, below)


def _handed_over(ax, start, end):
    """What cross-attention gets: the output of the encoder, and queries from above."""
    edge = end - WIDE / 2
    arrow(ax, (start + RADIUS, ENCODED), (edge, ENCODED))
    text(ax, (start + WIDE / 2 + edge) / 2 + 0.03, ENCODED - 0.1, "encoder's\noutput", va="bottom")
    text(ax, end - 0.1, ENCODED - HALF - 0.32, "queries", ha="right")


def _ending(ax, x):
    end = max(DECODER["parts"]) + ADDED
    arrow(ax, (x, end + RADIUS), (x, end + 0.68))
    _part(ax, x, end + 0.86, "linear layer, softmax", height=0.36)
    arrow(ax, (x, end + 1.04), (x, end + 1.28))
    text(ax, x, end + 1.44, NEXT, style="italic")


def _part(ax, x, y, name, height=2 * HALF):
    box(ax, x, y, WIDE, height, name, BLUE if "attention" in name else PAPER)
