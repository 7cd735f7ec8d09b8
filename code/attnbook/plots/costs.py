"""The figures of cost: areas and edges, what crosses to the chip, rooflines, a GPU's queue."""

from matplotlib.patches import FancyArrowPatch

from attnbook.colours import BLUE, GREEN, INK, MUTED, ORANGE, PAPER, RED, SEEN, SERIES
from attnbook.plots.arguments import dictionary, real_array
from attnbook.plots.numerals import beside_bar
from attnbook.plots.primitives import arrow, box, heading, line, matrix, sheet, text
from attnbook.plots.style import DASHES, MARKERS, WIDTH, drawn, new_figure

MEMORY, CHIP = 0.82, 2.55  # inches from the top, the middles of both rows
# What each pass of one head reads and writes, in MiB: n = 4096, width 128, float32.
PASSES = {
    "scores": ((("$Q, K$", 4),), (("$S$", 64),), "products"),
    "softmax": ((("$S$", 64),), (("$A$", 64),), "exponentials"),
    "mixing": ((("$A, V$", 66),), (("$O$", 2),), "products"),
    "all in one": ((("$Q, K, V$", 6),), (("$O$", 2),), "products and\nexponentials"),
}
PLACES = 0.9, 2.45, 4.0, 5.8
WORDS = {"reading": 8, "writing": 1}  # queries that meet eight keys
BEGIN, LONGEST = 1.3, 4.3  # inches: where the bars of `terms_diagram` begin, and all in turn


@drawn
def edges_diagram():
    """Draw scores as an area, and along its edges queries, keys and values: n queries or one."""
    ax, cell, n = sheet(3.4), 0.22, 8
    for x, (name, n_q) in zip((1.75, 5.05), WORDS.items(), strict=True):
        heading(ax, x, 0.2, name)
        top = 1.15
        for y, letter, color in ((0.6, "$K$", GREEN), (0.87, "$V$", ORANGE)):
            matrix(ax, x, y, [[color] * n], cell)
            text(ax, x - 1.1, y, letter)
        middle = top + n_q * cell / 2
        matrix(ax, x - 1.1, middle, [[BLUE]] * n_q, cell)
        text(ax, x - 1.4, middle, "$Q$")
        matrix(ax, x, middle, [[SEEN] * n] * n_q, cell)
    text(ax, WIDTH / 2, 3.2, "the area is computed, the edges are fetched", color=MUTED)
    return ax.figure


@drawn
def terms_diagram(terms, unit):
    """Draw pieces of work along the time: all at once, and one after the other.

    `terms` is a dict, name → time, of up to three; `unit` is that of the times.

    Raises
    ------
    ValueError
        If a time is no number, or there are more than can be told apart.
    """
    terms = dictionary("terms", terms, 3)
    times = {name: float(real_array(f"terms[{name!r}]", t, ())) for name, t in terms.items()}
    ax, y, inch = sheet(0.84 * len(times) + 1.0), 0.2, LONGEST / sum(times.values())
    for title, waits in (("at once", False), ("in turn", True)):
        text(ax, BEGIN, y, title, weight="semibold", ha="left")
        begun = end = 0
        for color, (name, time) in zip((BLUE, ORANGE, GREEN), times.items(), strict=False):
            y += 0.42
            text(ax, BEGIN - 0.1, y, name, ha="right", color=MUTED)
            middle, words = BEGIN + inch * (begun + time / 2), beside_bar(time)
            box(ax, middle, y, inch * time, 0.34, words, color)
            begun, end = begun + waits * time, max(end, begun + time)
        line(ax, [BEGIN + inch * end] * 2, [y + 0.25 - 0.42 * len(times), y + 0.2], color=INK)
        text(ax, BEGIN + inch * end + 0.1, y, f"{beside_bar(end)} {unit}", ha="left")
        y += 0.5
    return ax.figure


@drawn
def passes_diagram():
    """Draw what crosses between memory and chip: three phases with the whole matrix, or one."""
    ax = sheet(3.7)
    for x, name in ((2.45, "the whole matrix: three phases"), (5.8, "fused: one")):
        heading(ax, x, 0.2, name)
    box(ax, 2.45, MEMORY, 4.6, 0.44, "main memory", BLUE)
    box(ax, 5.8, MEMORY, 1.7, 0.44, "main memory", BLUE)
    for x, (name, (read, wrote, unit)) in zip(PLACES, PASSES.items(), strict=True):
        wide = 1.7 if x == PLACES[-1] else 1.4
        box(ax, x, CHIP, wide, 0.62, unit, GREEN)
        for place, arrays, down in ((x - 0.36, read, True), (x + 0.36, wrote, False)):
            ((letters, mib),) = arrays
            ends = (place, MEMORY + 0.26), (place, CHIP - 0.36)
            _broad_arrow(ax, *(ends if down else ends[::-1]), 1 + mib / 14)
            label = {"bbox": {"facecolor": PAPER, "linewidth": 0, "pad": 1}}
            text(ax, place, 1.55, f"{letters}\n{mib}", **label)
        text(ax, x, CHIP + 0.5, name, color=MUTED)
    text(ax, 3.35, 3.48, "arrows: MiB read and written", color=MUTED)
    return ax.figure


def _broad_arrow(ax, start, end, width):
    """An arrow as one shape, `width` points broad, whose head stands out however broad it is."""
    style = f"simple,tail_width={width},head_width={width + 9},head_length={width / 2 + 7}"
    look = {"color": SERIES[1], "linewidth": 0, "mutation_scale": 1, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(start, end, arrowstyle=style, clip_on=False, **look))


@drawn
def roofline(roofs, points, measured=None):
    """Draw rooflines: operations a second that a machine can do, over operations for each byte.

    `roofs` is a dict, machine → (operations a second, bytes a second); `points` a dict of dicts,
    machine → name → (operations for each byte, operations a second). The points of `measured`, if
    it is given, such a dict as well, are drawn hollow, with their names below.

    Raises
    ------
    ValueError
        If a shape or a dtype does not fit, or there are more machines than can be told apart.
    """
    roofs = dictionary("roofs", roofs, len(SERIES))
    ax = new_figure(4.6, "constrained").subplots()
    for k, (machine, roof) in enumerate(roofs.items()):
        top, slope = real_array(f"roofs[{machine!r}]", roof, (2,))
        xs = [0.05, top / slope, 2e4]
        look = {"color": SERIES[k], "linestyle": DASHES[k]}
        ax.plot(xs, [slope * xs[0], top, top], label=machine, **look)
        for n, (name, point) in enumerate(points.get(machine, {}).items()):
            x, y = real_array(f"points[{machine!r}][{name!r}]", point, (2,))
            ax.plot(x, y, MARKERS[k], color=SERIES[k])
            ax.annotate(name, (x, y), textcoords="offset points", **_beside(n, x < top / slope))
        for name, point in (measured or {}).get(machine, {}).items():
            x, y = real_array(f"measured[{machine!r}][{name!r}]", point, (2,))
            ax.plot(x, y, MARKERS[k], color=SERIES[k], markerfacecolor=PAPER)
            below = {"xytext": (0, -18), "ha": "center"}
            ax.annotate(name, (x, y), textcoords="offset points", **below)
    ax.set(xscale="log", yscale="log", xlim=(0.05, 2e4))
    ax.set(xlabel="operations for each byte", ylabel="operations a second")
    ax.margins(y=0.1)
    ax.grid(solid_capstyle="butt")
    ax.figure.legend(loc="outside lower center", ncols=len(roofs))
    return ax.figure


def _beside(n, steep):
    """Where a name stands: above a flat roof, and in turns right and left of a steep one."""
    if not steep:
        return {"xytext": (0, 8), "ha": "center"}
    return {"xytext": (-8, 6), "ha": "right"} if n % 2 else {"xytext": (9, -7), "ha": "left"}


@drawn
def queue_diagram():
    """Draw how a host hands kernels to a GPU, and where a clock should start and stop."""
    ax = sheet(2.3)
    for y, name in ((0.85, "host"), (1.55, "GPU")):
        text(ax, 0.4, y, name, weight="semibold")
        line(ax, [0.8, 6.5], [y + 0.3, y + 0.3], width=0.8)
    box(ax, 1.23, 0.85, 0.8, 0.4, "wait", RED)
    box(ax, 1.23, 1.55, 0.8, 0.4, "first call", BLUE)
    for k in range(3):
        box(ax, 1.98 + 0.36 * k, 0.85, 0.32, 0.4, f"{k + 1}", ORANGE)
        box(ax, 3.03 + 1.12 * k, 1.55, 1.07, 0.4, f"kernel {k + 1}", BLUE)
        arrow(ax, (1.98 + 0.36 * k, 1.06), (2.57 + 1.12 * k, 1.34), width=0.8)
    box(ax, 4.44, 0.85, 2.75, 0.4, "synchronize: wait", RED)
    for x, words in ((1.73, "start"), (2.97, "too early"), (5.88, "stop")):
        line(ax, [x, x], [0.45, 2.0], color=INK, linestyle=(0, (4, 2)))
        text(ax, x, 0.25, words)
    text(ax, 6.3, 2.1, "time", color=MUTED)
    return ax.figure
