"""The diagrams of libraries show what libraries do."""

from functools import partial

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from figures import figure_of, painted, words
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from attnbook import plots, pytorch, semantics
from attnbook.colours import RED, SEEN
from attnbook.plots import libraries

V, G_O = np.arange(8.0).reshape(4, 2), np.array([[1.0, 1], [0, 0]])


def spread(last):
    return partial(plots.spread_diagram, np.array([[0.5, 0.5, 0, 0], last]), V, G_O)


def red_cells(last):
    return painted(spread(last), RED)


def test_a_nan_spreads_as_it_is_drawn():
    nan = [np.nan] * 4
    assert red_cells(nan) == [4, 2, 4, 8]
    assert words(spread(nan)).count("NaN") == sum(red_cells(nan))


def test_without_a_nan_the_products_are_drawn():
    found = words(spread([0] * 4))
    assert red_cells([0] * 4) == []
    at = found.index("$O$")
    assert found[at - 4 : at] == ["1", "2", "0", "0"]
    assert found[-9:-1] == ["0.5"] * 4 + ["0"] * 4


def meaning(library):
    """What True means to a library, asked by a mask with True for one of two keys."""
    mask = torch.tensor([[True, False]])
    looks = library(torch.zeros(1, 1, 2), torch.zeros(1, 2, 2), torch.eye(2)[None], mask)
    return {0: "True = may look", 1: "True = hidden"}[int(looks.argmax())]


def layer(q, k, v, mask):
    ours = pytorch.MultiHeadAttention(2, 1)
    for matrix in ours.parameters():
        torch.nn.init.eye_(matrix)
    return pytorch.to_multihead(ours)(q, k, v, attn_mask=mask)[0]


def test_true_means_what_is_drawn():
    asked = {
        "our module": lambda q, k, v, mask: pytorch.DotProductAttention()(q, k, v, mask=mask),
        "the layer": layer,
        "SDPA": lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
    }
    drawn = {name: words for name, (_, words) in libraries.CALLED.items()}
    assert {name: meaning(library) for name, library in asked.items()} == {
        name: drawn[name] for name in asked
    }


def test_what_is_called_leads_to_what_computes():
    routes = semantics.routes()
    assert {called for called, _, _ in routes} == libraries.CALLED.keys()
    assert {program for _, _, program in routes} == {*libraries.PROGRAMS, "SDPA"}
    whens = {when for _, when, _ in routes if when}
    drawn = partial(plots.routes_diagram, routes)
    assert {*libraries.CALLED, *libraries.PROGRAMS, *whens} <= set(words(drawn))
    arrows = [p for p in figure_of(drawn).axes[0].patches if isinstance(p, FancyArrowPatch)]
    assert len(arrows) == len(routes) == 8


SEEN_OR_NOT, STORED = np.tri(3, dtype=bool), ~np.tri(3, dtype=bool)


def letters(seen, stored):
    found = words(lambda: plots.stored_grids([seen], [stored], ["one"]))
    return [word for word in found if word in {"T", "F"}]


def test_letters_are_what_is_stored_and_colours_what_is_seen():
    figure = figure_of(lambda: plots.stored_grids([SEEN_OR_NOT], [STORED], ["one"]))
    shown, hidden = figure.axes[0].patches
    assert [len(patch.get_path().vertices) // 5 for patch in (shown, hidden)] == [6, 3]
    assert to_hex(shown.get_facecolor()) == SEEN and hidden.get_hatch() == "//"
    assert letters(SEEN_OR_NOT, STORED) == list("FTTFFTFFF")
    assert letters(SEEN_OR_NOT, SEEN_OR_NOT) == list("TFFTTFTTT")


def test_each_grid_says_what_its_rows_are():
    grids = [SEEN_OR_NOT] * 2, [STORED] * 2, ["one", "two"]
    assert words(partial(plots.stored_grids, *grids)).count("queries i") == 1
    named = words(partial(plots.stored_grids, *grids, ["queries i", "sequences"]))
    assert [named.count(rows) for rows in ("queries i", "sequences")] == [1, 1]


@pytest.mark.parametrize(
    ("seen", "stored", "fault"),
    [
        ([SEEN_OR_NOT], [STORED[:2]], r"stored\[0\]"),
        ([SEEN_OR_NOT * 1.0], [STORED], r"seen\[0\] is float64"),
    ],
)
def test_a_grid_that_does_not_fit_is_refused(seen, stored, fault):
    with pytest.raises(ValueError, match=fault):
        plots.stored_grids(seen, stored, ["one"])
