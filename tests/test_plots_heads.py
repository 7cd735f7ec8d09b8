"""The diagrams of the chapter on heads say what is true."""

import numpy as np
import pytest
from figures import CALLS, REACHED, figure_of, words
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from attnbook import plots, reference
from attnbook.colours import BLUE
from attnbook.plots import heads


def test_the_averages_and_their_difference_are_those_of_attention():
    numbers = np.array([[number] for number in heads.WORDS.values()], float)
    scores = np.log([sixths for sixths, *_ in heads.HEADS.values()])
    left, right = (reference.softmax(scores) @ numbers)[:, 0]
    result = np.dot(heads.MIXED, [left, right])
    assert result == pytest.approx(2 - 10)
    said = words(plots.one_and_two_heads)
    assert [f"{left:g}", f"{right:g}"] == [w for w in said if w in "37"][-2:]
    assert f"2 · {left:g} − 2 · {right:g} = −{-result:g}" in said


def test_both_shaded_quarters_and_no_other_hold_what_one_head_reaches():
    ax = figure_of(CALLS["reach_diagram"]).axes[0]
    shaded = [p.get_bbox().padded(1e-6) for p in ax.patches if isinstance(p, FancyBboxPatch)]
    dots, *marks = ax.lines
    middle = 3.35, 2.08
    assert len(shaded) == 2 and len(dots.get_xdata()) == len(REACHED)
    for x, y in zip(*dots.get_data(), strict=True):
        assert any(box.contains(x, y) for box in shaded)
    outside = [not any(b.contains(*m.get_xydata()[0]) for b in shaded) for m in marks]
    assert outside == [False, False, True], "of the sum, the left one and the difference"
    (x, y) = marks[0].get_xydata()[0]
    assert x > middle[0] and y < middle[1], "b grows upwards"


@pytest.mark.parametrize("wrong", [np.ones(3), np.ones((3, 3)), [["a", "b"]]], ids=str)
def test_pairs_that_are_none_are_refused(wrong):
    with pytest.raises(ValueError, match="reached is "):
        plots.reach_diagram(wrong, {})


def readers():
    """For each panel, the place of the head of keys that each head of queries is led to."""
    ax = figure_of(plots.sharing_diagram).axes[0]
    lines = [(line.get_xdata()[0], line.get_xdata()[1]) for line in ax.lines]
    return [[end for _, end in sorted(lines[4 * n : 4 * n + 4])] for n in range(3)]


def test_neighbours_share_as_repeat_heads_has_it():
    for (name, n_kv), ends in zip(heads.SHARING.items(), readers(), strict=True):
        named = np.arange(float(n_kv)).reshape(n_kv, 1, 1)
        expected = reference.repeat_heads(named, heads.N_HEADS // n_kv).ravel()
        found = [sorted(set(ends)).index(end) for end in ends]
        assert found == expected.tolist(), name


def test_a_tile_in_the_diagram_is_found(monkeypatch):
    monkeypatch.setattr(heads, "_shared", lambda x, head, n_kv: x + (head * 7) % 3)
    with pytest.raises(AssertionError):
        test_neighbours_share_as_repeat_heads_has_it()


def test_there_are_as_many_boxes_of_queries_in_each_panel():
    ax = figure_of(plots.sharing_diagram).axes[0]
    boxes = [to_hex(p.get_facecolor()) for p in ax.patches if isinstance(p, FancyBboxPatch)]
    assert boxes.count(BLUE) == 3 * heads.N_HEADS
    assert len(boxes) - boxes.count(BLUE) == sum(heads.SHARING.values())
