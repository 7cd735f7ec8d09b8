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
    "parts": {2.28: "causal\nself-attention", 3.78: "cross-attention", 5.16: "dense layers"},
}
PANEL, SLAB = WIDE + BESIDE + 0.2, 0.36  # the width of a block; the height of one without its parts
OTHERS = {"block 2": 0.9, "block N": 1.62}  # how far below the last sum of block 1 they stand
BUS = 3.35  # where the encoder's output runs from block to block
NEXT = "chats noirs dorment"


@drawn
def transformer_diagram():
    """Draw an encoder and a decoder, the first block of each with its parts: attention in blue."""
    ax = sheet(8.9)
    for column, name in [(ENCODER, "encoder"), (DECODER, "decoder")]:
        heading(ax, column["x"], 0.25, name)
        _column(ax, **column)
    _handed_over(ax)
    _ending(ax, DECODER["x"])
    return ax.figure


def _column(ax, x, side, words, parts):
    top, bottom = min(parts) - HALF - 0.34, max(parts) + ADDED + 0.42
    middle = x + side * BESIDE / 2
    box(ax, middle, (top + bottom) / 2, PANEL, bottom - top, color=GREY, edgecolor=GREY)
    text(ax, x + side * WIDE / 2, bottom - 0.17, "block 1", ha="left" if side < 0 else "right")
    text(ax, x, WORDS, words, style="italic")
    arrow(ax, (x, WORDS + 0.16), (x, EMBEDDINGS - HALF))
    _part(ax, x, EMBEDDINGS, "embeddings\n+ positions")
    start = EMBEDDINGS + HALF
    for y, name in parts.items():
        arrow(ax, (x, start), (x, y - HALF))
        _part(ax, x, y, name)
        _residual(ax, x, y, side)
        start = y + ADDED + RADIUS
    for name, y in _others(parts).items():
        box(ax, middle, y, PANEL, SLAB, color=GREY, edgecolor=GREY)
        text(ax, x, y, name)
    second, last = _others(parts).values()
    arrow(ax, (x, start), (x, second - SLAB / 2))
    line(ax, [x, x], [second + SLAB / 2 + 0.06, last - SLAB / 2 - 0.04], linestyle=(0, (1, 1.8)))


def _others(parts):
    """Where the blocks after the first stand, by their names."""
    return {name: max(parts) + ADDED + below for name, below in OTHERS.items()}


def _residual(ax, x, y, side):
    """From above a part, beside it, to the circle below where input and output are added."""
    far, above, below = x + side * (WIDE / 2 + BESIDE * 0.6), y - HALF - 0.17, y + ADDED
    line(ax, [x, far, far], [above, above, below])
    arrow(ax, (far, below), (x + side * RADIUS, below))
    arrow(ax, (x, y + HALF), (x, below - RADIUS))
    plus(ax, x, below)


def _handed_over(ax):
    """What cross-attention gets: queries from above, and the last encoder block's output."""
    start, end = ENCODER["x"], DECODER["x"]
    leaves = _others(ENCODER["parts"])["block N"] + SLAB / 2
    cross = next(y for y, name in DECODER["parts"].items() if name == "cross-attention")
    second, last = _others(DECODER["parts"]).values()
    line(ax, [start, start, BUS], [leaves, leaves + 0.22, leaves + 0.22])
    line(ax, [BUS, BUS], [cross, last])
    arrow(ax, (BUS, cross), (end - WIDE / 2, cross))
    for y in (second, last):
        arrow(ax, (BUS, y), (end + BESIDE / 2 - PANEL / 2, y))
    text(ax, (start + BUS) / 2, leaves + 0.4, "encoder's output")
    text(ax, end - 0.1, cross - HALF - 0.32, "queries", ha="right")


def _ending(ax, x):
    end = _others(DECODER["parts"])["block N"] + SLAB / 2
    arrow(ax, (x, end), (x, end + 0.36))
    _part(ax, x, end + 0.54, "linear layer, softmax", height=0.36)
    arrow(ax, (x, end + 0.72), (x, end + 0.96))
    text(ax, x, end + 1.12, NEXT, style="italic")


def _part(ax, x, y, name, height=2 * HALF):
    box(ax, x, y, WIDE, height, name, BLUE if "attention" in name else PAPER)
