"""The diagram of an induction head says what two heads do with its text."""

import pytest
from figures import figure_of, words
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from attnbook import plots
from attnbook.plots import circuits


def boxes(filled=True):
    """The word in each box, or the words in each frame, row by row, from the left."""
    ax = figure_of(plots.induction_diagram).axes[0]
    found = [p for p in ax.patches if isinstance(p, FancyBboxPatch)]
    frames = [p.get_bbox() for p in found if bool(p.get_facecolor()[3]) == filled]
    rows = {}
    for frame in sorted(frames, key=lambda box: (round(box.y0, 2), box.x0)):
        inside = [t.get_text() for t in ax.texts if frame.contains(*t.get_position())]
        rows.setdefault(round(frame.y0, 2), []).append("".join(inside))
    return list(rows.values())


def check():
    text = list(circuits.TEXT)
    before = [text[0], *text[:-1]]
    found, written, read = text[-1], before, text
    (answer,) = [word for word, earlier in zip(read, written, strict=True) if earlier == found]
    assert boxes() == [read, written, [found, answer]]
    assert boxes(filled=False) == [[answer + found]]


def test_the_second_head_finds_what_stood_behind_the_copy():
    check()
    assert {"first layer", "second layer"} <= set(words(plots.induction_diagram))
    ax = figure_of(plots.induction_diagram).axes[0]
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    assert len(arrows) == len(circuits.TEXT) + 2


@pytest.mark.parametrize("wrong", [lambda t: t.index(t[-1]), lambda t: t.index(t[-1]) - 1])
def test_a_head_that_brings_another_word_is_found(monkeypatch, wrong):
    monkeypatch.setattr(circuits, "answer_place", wrong)
    with pytest.raises(AssertionError):
        check()
