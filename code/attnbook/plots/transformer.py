"""The diagram of a Transformer: where the three ways of attention sit among its other parts."""

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from attnbook.plots.style import MUTED, PAPER, WIDTH, drawn, new_figure

HEIGHT = 7.95  # inches from the top, as all heights here
WIDE, BESIDE = 2.1, 0.34  # a box, and the space beside it in which its residual runs
HALF, ADDED, RADIUS = 0.28, 0.6, 0.13  # half a box's height; how far below it is the sum; its size
ATTENTION, FRAME = "#c6dbef", "#f3f1ea"
NAMES, WORDS, EMBEDDINGS = 0.25, 0.62, 1.2
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
    ax = new_figure(HEIGHT, None).add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(HEIGHT, 0))
    ax.axis("off")
    for column, name in [(ENCODER, "encoder"), (DECODER, "decoder")]:
        ax.text(column["x"], NAMES, name, ha="center", va="center", weight="semibold")
        _column(ax, **column)
    _handed_over(ax, ENCODER["x"], DECODER["x"])
    _ending(ax, DECODER["x"])
    return ax.figure


def _column(ax, x, side, words, parts):
    top, bottom = min(parts) - HALF - 0.34, max(parts) + ADDED + 0.42
    _box(ax, x + side * BESIDE / 2, (top + bottom) / 2, WIDE + BESIDE + 0.2, bottom - top, FRAME)
    ax.text(x + side * (WIDE / 2 + 0.2), bottom - 0.17, "× N", ha="center", va="center")
    ax.text(x, WORDS, words, ha="center", va="center", style="italic")
    _arrow(ax, (x, WORDS + 0.16), (x, EMBEDDINGS - HALF))
    _part(ax, x, EMBEDDINGS, "embeddings\n+ positions")
    start = EMBEDDINGS + HALF
    for y, name in parts.items():
        _arrow(ax, (x, start), (x, y - HALF))
        _part(ax, x, y, name)
        _residual(ax, x, y, side)
        start = y + ADDED + RADIUS


def _residual(ax, x, y, side):
    """From above a part, beside it, to the circle below where input and output are added."""
    far, above, below = x + side * (WIDE / 2 + BESIDE * 0.6), y - HALF - 0.17, y + ADDED
    ax.plot([x, far, far], [above, above, below], color=MUTED, linewidth=1.4)
    _arrow(ax, (far, below), (x + side * RADIUS, below))
    _arrow(ax, (x, y + HALF), (x, below - RADIUS))
    ax.plot(x, below, "o", markersize=17, color=PAPER, markeredgecolor=MUTED)
    ax.text(x, below, "+", ha="center", va="center_baseline", size=14)


def _handed_over(ax, start, end):
    """What cross-attention gets: keys and values from the encoder, queries from above."""
    edge = end - WIDE / 2
    _arrow(ax, (start + RADIUS, ENCODED), (edge, ENCODED))
    middle = (start + WIDE / 2 + edge) / 2 + 0.03
    ax.text(middle, ENCODED - 0.1, "keys,\nvalues", ha="center", va="bottom", linespacing=1.05)
    ax.text(end - 0.1, ENCODED - HALF - 0.32, "queries", ha="right", va="center")


def _ending(ax, x):
    end = max(DECODER["parts"]) + ADDED
    _arrow(ax, (x, end + RADIUS), (x, end + 0.68))
    _part(ax, x, end + 0.86, "dense layer, softmax", height=0.36)
    _arrow(ax, (x, end + 1.04), (x, end + 1.28))
    ax.text(x, end + 1.44, NEXT, ha="center", va="center", style="italic")


def _part(ax, x, y, name, height=2 * HALF):
    _box(ax, x, y, WIDE, height, ATTENTION if "attention" in name else PAPER, MUTED)
    ax.text(x, y, name, ha="center", va="center", linespacing=1.05)


def _box(ax, x, y, width, height, color, edge=FRAME):
    corner = (x - width / 2, y - height / 2)
    look = {"facecolor": color, "edgecolor": edge, "linewidth": 1}
    ax.add_patch(FancyBboxPatch(corner, width, height, "round,pad=0,rounding_size=0.06", **look))


def _arrow(ax, start, end):
    look = {"color": MUTED, "linewidth": 1.4, "mutation_scale": 13, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>,head_width=0.22", **look))
