"""The diagrams of libraries show what libraries do."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from figures import figure_of, words
from matplotlib.colors import to_hex

from attnbook import plots, pytorch
from attnbook.colours import RED, SEEN
from attnbook.plots import libraries

A, G_O = np.array([[0.5, 0.5, 0, 0], [np.nan] * 4]), np.array([[1.0, 1], [0, 0]])


def red_cells():
    patches = figure_of(plots.spread_diagram).axes[0].patches
    red = [patch for patch in patches if to_hex(patch.get_facecolor()) == RED]
    return [len(patch.get_path().vertices) // 5 for patch in red]


def test_a_nan_spreads_as_it_is_drawn():
    with np.errstate(invalid="ignore"):
        matrices = A, A @ np.ones((4, 2)), A.T, A.T @ G_O
    assert red_cells() == [int(np.isnan(matrix).sum()) for matrix in matrices] == [4, 2, 4, 8]
    assert words(plots.spread_diagram).count("NaN") == sum(red_cells())


def test_a_nan_that_stays_in_its_row_is_seen(monkeypatch):
    monkeypatch.setattr(libraries, "HALF", ["NaN"] * 4)
    with pytest.raises(AssertionError):
        test_a_nan_spreads_as_it_is_drawn()


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
    callers = {caller for _, caller, _ in libraries.PROGRAMS.values()}
    assert callers == libraries.CALLED.keys()
    assert {*libraries.CALLED, *libraries.PROGRAMS} <= set(words(plots.routes_diagram))


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
