"""The diagram of gradients says what is true: arrows turned, shapes kept, products that fit."""

import re

import pytest
from figures import figure_of
from matplotlib.patches import FancyArrowPatch

from attnbook import plots
from attnbook.plots import backward
from attnbook.plots.backward import BACKWARD, BOXES, FORWARD

TURNED = r"^{\mathsf{T}}"


def shape(name):
    """The two sizes of an array, which its gradient shares."""
    return re.findall(r"\w_\w", BOXES[name.removeprefix("G_")][2])


def factors(words):
    """The arrays of a product such as "$c\\,G_S^{\\mathsf{T}} Q$", each as (name, turned)."""
    found = re.findall(r"(G_[A-Z]|[A-Z])(\^\{\\mathsf\{T\}\})?", words)
    return [(name, bool(turned)) for name, turned in found]


def product_shape(words):
    """The shape of a product of two arrays; None if they do not fit."""
    (rows, inner), (other, columns) = (
        shape(name)[:: -1 if turned else 1] for name, turned in factors(words)
    )
    return [rows, columns] if inner == other else None


def is_a_product(words):
    return len(factors(words)) == 2


def wrong_steps(steps, prefix):
    """The arrows whose product has not the shape of the box that they lead to."""
    products = [(end, words) for (_, end), words in steps.items() if is_a_product(words)]
    return [prefix + end for end, words in products if product_shape(words) != shape(end)]


def test_every_arrow_is_turned():
    assert {(end, start) for start, end in FORWARD} == set(BACKWARD)


def test_every_product_has_the_shape_of_its_box():
    assert wrong_steps(FORWARD, "") == wrong_steps(BACKWARD, "G_") == []
    assert sum(map(is_a_product, [*FORWARD.values(), *BACKWARD.values()])) == 6


@pytest.mark.parametrize(
    ("arrow", "words"),
    [
        (("O", "A"), "$G_O V$"),
        (("O", "V"), "$G_O A$"),
        (("S", "Q"), f"$G_S{TURNED} K$"),
        (("S", "K"), "$c G_S Q$"),
    ],
)
def test_a_product_that_does_not_fit_is_found(arrow, words):
    assert wrong_steps(BACKWARD | {arrow: words}, "G_") == [f"G_{arrow[1]}"]


def arrows(ax):
    """Where each arrow starts and ends, across the page."""
    patches = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    return [[end[0] for end in p._posA_posB] for p in patches]


def test_forward_goes_to_the_right_and_backward_to_the_left():
    found = arrows(figure_of(plots.backward_diagram).axes[0])
    assert sum(a < b for a, b in found) == len(FORWARD)
    assert sum(a > b for a, b in found) == len(BACKWARD)


def test_an_arrow_that_is_not_turned_is_found(monkeypatch):
    monkeypatch.setattr(backward, "BACKWARD", FORWARD)
    found = arrows(figure_of(plots.backward_diagram).axes[0])
    assert sum(a > b for a, b in found) == 0
