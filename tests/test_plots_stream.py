"""The diagrams of the stream: where the norms stand, and what adds to it."""

import pytest
from figures import figure_of, words
from matplotlib.patches import FancyArrowPatch

from attnbook import plots
from attnbook.plots import stream


def passed(diagram, y):
    """What an arrow on the stream at a height leads to, by the words of the boxes there."""
    ax = figure_of(diagram).axes[0]
    places = [t.get_position()[0] for t in ax.texts if t.get_text() == "norm"]
    arrows = [p._posA_posB for p in ax.patches if isinstance(p, FancyArrowPatch)]
    level = [end[0] for start, end in arrows if start[1] == end[1] == y]
    return [x for x in places if any(abs(x - end) < 0.3 for end in level)]


def norms_stand_where_they_should():
    assert passed(plots.norms_diagram, stream.BEFORE) == []
    assert len(passed(plots.norms_diagram, stream.AFTER)) == 2
    assert len(passed(plots.stream_diagram, stream.STREAM)) == 1  # the last norm


def test_pre_norm_has_none_on_the_stream_and_post_norm_one_behind_each_sum():
    norms_stand_where_they_should()


def test_a_norm_that_is_elsewhere_is_found(monkeypatch):
    monkeypatch.setattr(stream, "AFTER", stream.BEFORE)
    with pytest.raises(AssertionError):
        norms_stand_where_they_should()


def test_each_part_is_drawn_once_in_each_block():
    for diagram, blocks in ((plots.stream_diagram, 1), (plots.norms_diagram, 2)):
        for part in stream.PARTS:
            assert words(diagram).count(part) == blocks
