"""Heat maps of matrices: one row per query, one column per key."""

import numpy as np

from attnbook.plots.arguments import boolean_array, names_of, real_array
from attnbook.plots.cells import paint, print_numbers, scale
from attnbook.plots.numerals import in_cells
from attnbook.plots.panels import add_bar, cell_width, new_panels, write_names
from attnbook.plots.style import CHARACTER, drawn

LARGEST_WITH_NUMBERS = 8


def heatmap(
    matrix,
    query_names=None,
    key_names=None,
    *,
    title=None,
    mask=None,
    vmin=None,
    vmax=None,
    label="weight",
    axes=("queries i", "keys j"),
):
    """Draw one matrix of shape (n_q, n_k), with its numbers up to 8 × 8.

    Cells where `mask`, booleans of the same shape, is False are hatched and have no number. Cells
    of −∞ are hatched, of NaN crossed. Colours run from 0 to 1 for numbers in that range, else from
    0 to the largest, and evenly around 0 if there are negative ones, unless `vmin` or `vmax` says
    otherwise. `label` names the numbers beside the colour bar; None leaves the bar out. `axes`
    names the rows and the columns.

    Raises
    ------
    ValueError
        If a shape, a dtype or the number of some names does not fit.
    """
    matrix = real_array("matrix", matrix, ("n_q", "n_k"))
    mask = np.ones(matrix.shape, bool) if mask is None else mask
    mask = boolean_array("mask", mask, [matrix.shape])
    titles = None if title is None else [title]
    names = titles, query_names, key_names
    return _draw(matrix[None], mask[None], names, (vmin, vmax), label, axes)


def heatmaps(
    matrices,
    titles=None,
    query_names=None,
    key_names=None,
    *,
    mask=None,
    vmin=None,
    vmax=None,
    label="weight",
    axes=("queries i", "keys j"),
):
    """Draw matrices of shape (n, n_q, n_k) side by side, with one scale of colours.

    `mask`, booleans, has the shape of one matrix or of all; the rest is as in `heatmap`.

    Raises
    ------
    ValueError
        If a shape, a dtype or the number of some names does not fit.
    """
    matrices = real_array("matrices", matrices, ("n", "n_q", "n_k"))
    mask = np.ones(matrices.shape, bool) if mask is None else mask
    mask = boolean_array("mask", mask, [matrices.shape[1:], matrices.shape])
    mask = np.broadcast_to(mask, matrices.shape)
    names = titles, query_names, key_names
    return _draw(matrices, mask, names, (vmin, vmax), label, axes)


@drawn
def _draw(matrices, mask, names, limits, label, axes):
    n, n_q, n_k = matrices.shape
    titles, query_names, key_names = names
    titles = names_of("titles", titles, n)
    query_names = names_of("query_names", query_names, n_q)
    key_names = names_of("key_names", key_names, n_k)
    colors = scale(matrices[mask], *limits)
    numbers = np.where(mask, [in_cells(matrix) for matrix in np.where(mask, matrices, 0)], "")
    small = max(n_q, n_k) <= LARGEST_WITH_NUMBERS
    needed = CHARACTER * max(map(len, numbers.flat)) if small else 0
    panels = new_panels(n, n_q, n_k, needed)
    for ax, matrix, visible in zip(panels, matrices, mask, strict=True):
        paint(ax, matrix, visible, colors, separate=small)
    if label is not None:
        add_bar(panels, label)
    write_names(panels, titles, query_names, key_names, axes)
    if small and cell_width(panels[0]) >= needed:
        for ax, texts in zip(panels, numbers, strict=True):
            print_numbers(ax, texts)
    return panels[0].figure
