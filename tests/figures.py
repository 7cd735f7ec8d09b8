"""Every figure of the book, called as a page may call it, and what nobody could read in one."""

import re
from functools import partial
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.text import Text

from attnbook import plots
from attnbook.distributed import pieces, visible_pairs
from attnbook.fused import Choice

X = np.arange(1, 6)
SQUARE = np.array([[0.5, 0.25, 0.25], [0, 0.9, 0.1], [1, 0, 0]])
CAUSAL = np.tri(3, dtype=bool)
WEIGHTS = np.full((3, 3), 1 / 3)
SOME, EVERY = np.tri(5, dtype=bool), np.tri(5, k=-1, dtype=bool)
ANGLES = [[0, np.pi / 2, 2], [0, -1, 2 * np.pi]]
HANDS = np.array([1.0, 2.5]), np.array([0.1, 1.6]), ["early", "late"]
REACHED = np.array([[0.5, 1.5], [-1.0, -0.2], [0.0, 2.0]])
TILES = [(i, j) for i in range(5) for j in range(5)]
SUMS = {"left + right": (1, 1), "left": (1, 0), "left − right": (1, -1)}
ROOFS = {"core": (1e11, 1e10), "GPU": (1e15, 3e12)}
POINTS = {"core": {"softmax": (0.6, 6e9), "decoding": (0.5, 5e9), "fused": (1000, 1e11)}}
PLACED = ["contiguous", "zigzag"]
LOADS = [np.array(visible_pairs(16, 4, rule)) for rule in PLACED]
KEPT = [[pieces(rank, 4, rule) for rank in range(4)] for rule in PLACED]
PRODUCT = [("$Q$", "b n_q d_k"), "·", ("$W$", "d_k d_v")]
WIDE = [
    ("$Q$", "n_q d_k"),
    "·",
    (r"$K^{\mathsf{T}}$", "d_k n_k"),
    "→",
    ("$A$", "n_q n_k"),
    "·",
    ("$V$", "n_k d_v"),
    "→",
    ("$O$", "n_q d_v"),
]
ROWS = [["visible", "zeros"], ["hidden", "NaN"]]
ROUTES = [
    ("the layer", "with weights", "a softmax of its own"),
    ("the layer", "in evaluation", "the fast path"),
    ("the layer", "without weights", "SDPA"),
    ("SDPA", "", "MATH, step by step"),
    ("SDPA", "", "FLASH, block by block"),
]
TABLE = ["one", "two"], ["True means", "a\nrow"], ROWS, {"NaN": "bad"}


def named(name, *arguments, **options):
    return {name: partial(getattr(plots, name.split()[0]), *arguments, **options)}


# A figure is called without arguments unless a line says which it takes. What stands behind the
# name tells two calls of one figure apart.
CALLS = {
    **{name: getattr(plots, name) for name in plots.__all__},
    **named("arrows", [1, 1], [[3, 2], [1, 0], [-1, 1]], {"by product": [0, 1, 2]}),
    **named("bars", ["a", "b"], [1, -2], "number"),
    **named("bars in groups", ["a", "b"], {"s": [1, 2], "t": [0, np.nan]}, "number"),
    **named("bars and a limit", ["a"], [1.2], "share", limit=("budget", 1)),
    **named("block_grids", [SOME] * 3, [EVERY] * 3, ["a", "b", "padded"]),
    **named("caught_grids", [~CAUSAL, CAUSAL], ["one", "two"], ["sums", "zeros", "signs"], "123"),
    **named("clock_hands", ANGLES, ["pair 0", "pair 1"], ["0", "1", "1000"]),
    **named("curves", X, {"a": X, "b": 2 * X}, "x", "y", points={"p": (X, X)}),
    **named("curves by logarithms", X, {"a": X**9}, "x", "y", xscale="log", yscale="log"),
    **named("distributions", [[0.1, 0.9], [0.4, 0.6]], ["cold", "warm"]),
    **named("flash_diagram", TILES, (1, 2)),
    **named("float_bits", {"float32": ("01" * 16, 8), "float16": ("01" * 8, 5)}),
    **named("fused_diagram of a call", [Choice("SDPA", "runs", "through MATH")]),
    **named("heatmap", SQUARE, list("abc"), ["one", "two", "three words"]),
    **named("heatmap of 64 keys", np.eye(64), title="The identity"),
    **named("heatmaps", [SQUARE, -SQUARE], ["one", "two"], label="score"),
    **named("influence_grids", [CAUSAL, np.eye(3, dtype=bool)], ["a", "b"]),
    **named("mask_grids", [CAUSAL, np.tri(2, 5, dtype=bool)], ["one", "two"]),
    **named("mask_grids of words", [CAUSAL], ["one"], query_names=["les", "chats", "noirs"]),
    **named("meetings_grids", PLACED, KEPT),
    **named("overlap_bars", ["sat", "ran"], [0.75, 0.25], [0.5, 0.5]),
    **named("reach_diagram", REACHED, SUMS),
    **named("right_and_wrong", WEIGHTS, np.eye(3), mask=CAUSAL),
    **named("right_and_wrong masks", CAUSAL, ~CAUSAL, ["ours", "theirs"]),
    **named("roofline", ROOFS, POINTS),
    **named("routes_diagram", ROUTES),
    **named("schedules_diagram", 512.0, 528.0),
    **named("sentences", ["black", "cats"], ["chats", "noirs"], [[0, 1], [0.9, 0.1]]),
    **named("shape_diagram", PRODUCT),
    **named("shape_diagram of nine parts", WIDE),
    **named("spread_diagram", [[0.5, 0.5], [np.nan] * 2], [[1, 2], [3, 4]], [[1, 1], [0, 0]]),
    **named("stored_grids", [CAUSAL, CAUSAL], [CAUSAL, ~CAUSAL], ["one", "two"]),
    **named("stored_grids with rows", [CAUSAL] * 2, [CAUSAL] * 2, ["a", "b"], ["x", "texts"]),
    **named("table_cells", *TABLE),
    **named("terms_diagram", {"operations": 25.1, "bytes": 5.4}, "ms"),
    **named("turns_grids", LOADS, PLACED, KEPT),
    **named("two_hands", *HANDS),
    **named("ways_map", {"one": "1.html", "two": "2.html"}, [[], [0]], {"a way": ([0], [1])}),
}
PHONE = 358  # pixels of the page's column on a phone 390 pixels wide
LARGEST = 25_000


def figure_of(draw):
    figure = draw().figure
    FigureCanvasAgg(figure).draw()
    return figure


def words(draw):
    return [text.get_text() for ax in figure_of(draw).axes for text in ax.texts]


def painted(draw, color):
    """How many cells of this colour each matrix has, for those that have any."""
    shapes = [
        p for p in figure_of(draw).axes[0].patches if to_hex(p.get_facecolor()) == to_hex(color)
    ]
    return [len(shape.get_path().vertices) // 5 for shape in shapes]


def unreadable(figure):
    """What keeps a reader from reading: letters too small, upon each other, or cut off."""
    texts = [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]
    smallest = min(text.get_fontsize() for text in texts) / 72 * PHONE / figure.get_figwidth()
    found = [f"letters of {smallest:.1f} pixels on a phone"] if smallest < 9 else []
    for ax in figure.axes:
        found += [*texts_that_meet(ax), *texts_that_leave(ax)]
    return found + (["something leaves the figure"] if leaves(figure) else [])


def extents(ax):
    """Each text of a panel, and where it stands."""
    renderer = ax.figure.canvas.get_renderer()
    return [(t.get_text(), t.get_window_extent(renderer)) for t in ax.texts if t.get_text()]


def texts_that_meet(ax):
    for (one, here), (other, there) in combinations(extents(ax), 2):
        if here.overlaps(there):
            yield f"{one!r} and {other!r} meet"


def texts_that_leave(ax):
    for text, extent in extents(ax):
        if not all(ax.bbox.contains(*corner) for corner in (extent.min, extent.max)):
            yield f"{text!r} leaves its panel"


def leaves(figure):
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    return min(drawn.x0, drawn.y0) < 0 or drawn.x1 > width or drawn.y1 > height + 1e-9


def elements(svg):
    return list(ElementTree.fromstring(svg).iter())


def faults(svg):
    """What is wrong with a drawing's text."""
    found = elements(svg)
    values = [value for element in found for value in element.attrib.values()]
    ids = [element.get("id") for element in found if element.get("id")]
    used = set(re.findall(r"url\(#([^)]+)\)", svg) + re.findall(r'href="#([^"]+)"', svg))
    numbers = [n for v in values if not v.startswith("data:") for n in re.findall(r"\d*\.\d+", v)]
    wrong = {
        "it is large": len(svg) > LARGEST,
        "an id is used twice": len(ids) != len(set(ids)),
        "an id is missing or idle": set(ids) != used,
        "a rule is for all of the page": any(e.tag.endswith("style") for e in found),
        "a number is long": any(len(number.partition(".")[2]) > 2 for number in numbers),
        "a text is of outlines": not any(e.tag.endswith("text") for e in found),
        "it was not put right": "xlink" in svg or "<!DOCTYPE" in svg,
    }
    return [fault for fault, here in wrong.items() if here]
