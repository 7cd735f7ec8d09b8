"""The diagram of training says what is true."""

from itertools import pairwise

import pytest
from figures import figure_of, words
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from attnbook import plots, pytorch
from attnbook.plots import training

ROUND = ["a batch", "module", "loss", "gradients", "optimiser", "module"]


def steps():
    """Pairs of what stands in the boxes that an arrow joins."""
    ax = figure_of(plots.training_diagram).axes[0]
    boxes = [p.get_bbox() for p in ax.patches if isinstance(p, FancyBboxPatch)]
    large = [box.padded(0.1) for box in boxes if box.height > 0.5]
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    places = {t.get_text(): t.get_position() for t in ax.texts}

    def name(point):
        (here,) = (box for box in large if box.contains(*point))
        return next(word for word, place in places.items() if here.contains(*place))

    return [tuple(map(name, arrow._posA_posB)) for arrow in arrows]


def test_the_module_holds_the_four_matrices_of_the_layer():
    names = [n.removesuffix(".weight") for n in pytorch.MultiHeadAttention(4, 2).state_dict()]
    said = words(plots.training_diagram)
    assert [f"${name.replace('w', 'W')}$" for name in names] == [w for w in said if "W_" in w]


def once_around():
    assert set(pairwise(ROUND)) | {("module", "a file")} == set(steps())


def test_the_arrows_lead_once_around_and_into_the_file():
    once_around()


def test_an_arrow_that_is_turned_is_found(monkeypatch):
    turned = training.arrow
    monkeypatch.setattr(training, "arrow", lambda ax, start, end: turned(ax, end, start))
    with pytest.raises(AssertionError):
        once_around()
