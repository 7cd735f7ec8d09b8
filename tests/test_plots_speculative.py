"""Of each token, the bars show what is accepted, and what either distribution has beyond it."""

import numpy as np
import pytest
from figures import figure_of

from attnbook import plots

P, Q = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.1, 0.5])


def drawn(p=P, q=Q):
    (ax,) = figure_of(lambda: plots.overlap_bars(["sat", "ran", "slept"], p, q)).axes
    return ax


def lengths(ax, part):
    """Where the bars of a part begin and how long they are, and 0 where it has none."""
    found = np.zeros((3, 2))
    for bar in ax.containers[part]:
        row = round(bar.get_y() + bar.get_height() / 2)
        found[row] = bar.get_x(), bar.get_width()
    return found.T


def the_parts_are_those_of_the_formulas(ax):
    formulas = np.minimum(P, Q), np.maximum(Q - P, 0), np.maximum(P - Q, 0)
    for part, wanted in enumerate(formulas):
        starts, widths = lengths(ax, part)
        np.testing.assert_allclose(widths, wanted, rtol=0, atol=1e-12)
        begin = formulas[0] * (wanted > 0) * (part > 0)
        np.testing.assert_allclose(starts, begin, rtol=0, atol=1e-12)


def test_the_parts_are_those_of_the_formulas():
    the_parts_are_those_of_the_formulas(drawn())


def test_the_two_distributions_exchanged_are_rejected():
    with pytest.raises(AssertionError):
        the_parts_are_those_of_the_formulas(drawn(Q, P))


def test_each_bar_says_its_numbers_and_each_part_its_formula():
    ax = drawn()
    assert "p = 0.5, q = 0.4" in [text.get_text() for text in ax.texts]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["sat", "ran", "slept"]
    said = [text.get_text() for text in ax.figure.legends[0].texts]
    assert [text.split(":")[0] for text in said] == ["accepted", "rejected", "residual"]


def test_two_equal_distributions_have_one_part():
    assert [len(part) for part in drawn(P, P).containers] == [3]


def test_a_bad_argument_is_named():
    with pytest.raises(ValueError, match=r"q is .*; expected real numbers of shape \(3,\)"):
        drawn(q=Q[:2])
