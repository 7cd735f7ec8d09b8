"""What is in the cells of a heat map: a colour, a pattern, a number."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from attnbook.colours import HIDDEN, INK, PAPER, SCALES, STRIPES
from attnbook.plots.style import text_color

NOT_NUMBERS = {"−∞": HIDDEN, "NaN": PAPER}
SQUARE = Path.unit_rectangle()


def scale(values, vmin, vmax):
    """Blues from 0, or red to blue around 0 where numbers are negative; more is always bluer."""
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0, 1)
    largest = max(abs(low), abs(high))
    vmin = (-largest if low < 0 else 0) if vmin is None else vmin
    vmax = (1 if 0 <= low and high <= 1 else largest) if vmax is None else vmax
    if not vmin < vmax:
        raise ValueError(f"vmin is {vmin} and vmax is {vmax}; expected vmin below vmax")
    colors = SCALES["blues"]
    if vmin < 0:
        colors = SCALES["reds"][:0:-1] + colors
    colors = ListedColormap(colors).with_extremes(bad=HIDDEN)
    return {"vmin": vmin, "vmax": vmax, "cmap": colors}


def paint(ax, matrix, visible, colors, separate):
    """Colours for numbers, patterns for what is hidden, −∞ or NaN, and gaps between the cells."""
    hidden = ~visible | np.isneginf(matrix)
    shown = np.where(hidden, np.nan, np.where(np.isposinf(matrix), colors["vmax"], matrix))
    n_q, n_k = matrix.shape
    if separate:
        ax.pcolormesh(shown, edgecolors=PAPER, linewidth=2, clip_on=False, **colors)
    else:  # one picture of a pixel for each cell
        ax.imshow(shown, extent=(0, n_k, n_q, 0), **colors)
    ax.set(aspect="equal", xlim=(0, n_k), ylim=(n_q, 0))
    _hatch(ax, hidden, "//", HIDDEN, STRIPES)
    _hatch(ax, visible & np.isnan(matrix), "xx", PAPER, INK)


def colored(ax):
    """What gives the cells of a panel their colours."""
    return (ax.images or ax.collections)[0]


def _hatch(ax, where, pattern, face, line):
    """Cover cells with a pattern, which eyes that see no colour tell from every number."""
    cells = [Path(SQUARE.vertices + corner, SQUARE.codes) for corner in np.argwhere(where)[:, ::-1]]
    if cells:
        look = {"hatch": pattern, "facecolor": face, "edgecolor": line, "linewidth": 0}
        ax.add_patch(PathPatch(Path.make_compound_path(*cells), clip_on=False, **look))


def print_numbers(ax, texts):
    mesh = colored(ax)
    colors = mesh.to_rgba(mesh.get_array())
    for (i, j), text in np.ndenumerate(texts):
        color = text_color(colors[i, j])
        label = ax.text(j + 0.5, i + 0.5, text, color=color, ha="center", va="center_baseline")
        if text in NOT_NUMBERS:
            label.set_bbox({"facecolor": NOT_NUMBERS[text], "linewidth": 0, "pad": 2})
