"""The diagrams of the chapter on heads say what is true."""

import numpy as np
import pytest
from figures import CALLS, REACHED, figure_of, words
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from attnbook import plots, reference
from attnbook.colours import BLUE
from attnbook.plots import heads
from attnbook.plots.primitives import FRAME


def test_the_lines_to_an_average_are_as_thick_as_its_weights():
    left, right = reference.softmax(np.log([[4.0, 1.0, 1.0], [1.0, 1.0, 4.0]]))
    *lines, between = figure_of(plots.one_and_two_heads).axes[0].lines
    thick = np.array([line.get_linewidth() for line in lines]).reshape(3, 3)
    shares = thick / thick.sum(axis=1, keepdims=True)
    assert shares == pytest.approx(np.array([left, left, right]))
    assert between.get_xdata()[0] == between.get_xdata()[1]


def test_the_first_figure_does_not_say_what_the_heads_find():
    """The page asks for both averages, 3 and 7, below it."""
    said = words(plots.one_and_two_heads)
    assert f"2 − 10 = −{10 - 2}" in said
    assert not {"3", "7"} & set(said)


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
    assert "left − right: (1, −1)" in words(CALLS["reach_diagram"]), "the only unit of the plane"


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


def cut_rightly():
    numbered = np.arange(16.0).reshape(4, 4)
    right = reference.split_heads(numbered, 2)
    for name, cut in {"transpose": right, "view": numbered.reshape(2, 4, 2)}.items():
        found = [[cut[place].tolist() for place in row] for row in heads.CUTS[name]]
        assert found == numbered.reshape(4, 2, 2).tolist(), name


def test_each_head_gets_the_halves_that_the_boxes_give_it():
    cut_rightly()
    said = [word for word in words(plots.cut_grids) if word.startswith("head ")]
    halves = [half for cut in heads.CUTS.values() for row in cut for half in row]
    assert said == [f"head {head}, row {row}" for head, row in halves]


def test_a_view_called_a_transpose_is_found(monkeypatch):
    monkeypatch.setitem(heads.CUTS, "transpose", heads.CUTS["view"])
    with pytest.raises(AssertionError):
        cut_rightly()


def test_one_step_of_decoding_has_one_query_and_a_key_and_a_value_for_each_word():
    said, n = words(plots.decoding_diagram), len(heads.TEXT)
    for name in "kv":
        assert [w for w in said if w.startswith(f"${name}_")] == [f"${name}_{i}$" for i in range(n)]
    assert [w for w in said if w.startswith("$q_")] == [f"$q_{n - 1}$"]
    assert sum(heads.TEXT.values()) == pytest.approx(1)


def test_the_new_key_and_value_are_framed_and_outside_the_cache():
    ax = figure_of(plots.decoding_diagram).axes[0]
    boxes = [p for p in ax.patches if isinstance(p, FancyBboxPatch)]
    cache, *others = boxes
    framed = [p.get_bbox() for p in others if p.get_linewidth() == FRAME["linewidth"]]
    kept = [p.get_bbox() for p in others if cache.get_bbox().overlaps(p.get_bbox())]
    assert len(framed) == 2 and len(kept) == 2 * (len(heads.TEXT) - 1)
    assert not any(box.overlaps(cache.get_bbox()) for box in framed)
