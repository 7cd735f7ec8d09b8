"""The diagrams of a Transformer and its three ways say what is true."""

import numpy as np
import pytest
from figures import figure_of
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from attnbook import plots
from attnbook.colours import BLUE
from attnbook.plots.transformer import DECODER, ENCODER, NEXT


@pytest.fixture
def ax():
    return figure_of(plots.transformer_diagram).axes[0]


def boxes(ax):
    """The parts with the names in them: {name: colour}; parts of one name have one colour."""
    found = {}
    for text in ax.texts:
        for patch in ax.patches:
            inside = isinstance(patch, FancyBboxPatch) and patch.get_height() < 1
            if inside and patch.get_bbox().contains(*text.get_position()):
                found[text.get_text()] = to_hex(patch.get_facecolor())
    return found


def test_the_three_ways_and_nothing_else_are_coloured(ax):
    coloured = {name.replace("\n", " ") for name, c in boxes(ax).items() if c == BLUE}
    assert coloured == {"bidirectional self-attention", "causal self-attention", "cross-attention"}
    assert "dense layers" in boxes(ax)


def test_every_part_of_a_block_has_a_residual(ax):
    sums = [line for line in ax.lines if line.get_marker() == "o"]
    assert len(sums) == len(ENCODER["parts"]) + len(DECODER["parts"]) == 5


def test_the_decoder_reads_one_word_less_and_guesses_the_next_ones():
    assert DECODER["words"].split()[1:] == NEXT.split()[:-1]


def test_no_text_in_a_part_leaves_it(ax):
    renderer = ax.figure.canvas.get_renderer()
    for text in ax.texts:
        for patch in (p for p in ax.patches if isinstance(p, FancyBboxPatch)):
            if patch.get_height() < 1 and patch.get_bbox().contains(*text.get_position()):
                extent, box = text.get_window_extent(renderer), patch.get_window_extent(renderer)
                assert box.x0 < extent.x0 and extent.x1 < box.x1


def places(ax, name):
    """The heights at which a name stands, by the column: left of the middle or right of it."""
    found = [t.get_position() for t in ax.texts if t.get_text() == name]
    return {("encoder" if x < 3.35 else "decoder"): y for x, y in found}


def test_the_output_of_the_last_encoder_block_goes_to_every_decoder_block(ax):
    (rail,) = [
        ln for ln in ax.lines if len(set(ln.get_xdata())) == 1 and 2.9 < ln.get_xdata()[0] < 3.9
    ]
    (out,) = [
        ln for ln in ax.lines if ln.get_xdata()[0] < 2 and ln.get_xdata()[-1] == rail.get_xdata()[0]
    ]
    below = out.get_ydata()[0] - places(ax, "block N")["encoder"]
    assert 0 < below < 0.3, "it leaves the last block at its lower edge"
    assert min(rail.get_ydata()) < out.get_ydata()[-1] < max(rail.get_ydata())
    paths = [p.get_path() for p in ax.patches if isinstance(p, FancyArrowPatch)]
    arrows = [path.vertices[path.codes != Path.CLOSEPOLY] for path in paths]
    reached = [a[a[:, 0].argmax(), 1] for a in arrows if 3 < a[:, 0].min() < 3.5 < a[:, 0].max()]
    blocks = [places(ax, name)["decoder"] for name in ("cross-attention", "block 2", "block N")]
    assert sorted(reached) == pytest.approx(blocks, abs=0.06)


def test_in_the_causal_way_the_words_that_come_later_are_hidden():
    (hidden,) = [p for p in figure_of(plots.three_ways_diagram).axes[0].patches if p.get_hatch()]
    corners = hidden.get_path().vertices[::5]
    columns_and_rows = np.rint((corners - corners.min(axis=0)) / 0.46).tolist()
    assert columns_and_rows == [[0, 0], [1, 0], [1, 1]], "of a triangle above the diagonal"
