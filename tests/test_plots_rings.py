"""The figures of many GPUs show the ring."""

import numpy as np
import pytest
from figures import CALLS, KEPT, LOADS, figure_of
from matplotlib.patches import FancyBboxPatch

from attnbook import plots
from attnbook.exercises.chapters.many_gpus.whose import whose
from attnbook.plots import rings


def blocks():
    """Whose keys stand beside whose queries, read from the drawing: steps by ranks."""
    for ax in figure_of(plots.ring_diagram).axes:
        words = [text.get_text() for text in ax.texts]
        queries = [int(word[3]) for word in words if word.startswith("$q")]
        keys = [int(word[3]) for word in words if word.startswith("$k")]
        assert queries == [0, 1, 2, 3]
        yield keys


def test_the_film_is_the_ring():
    assert np.array_equal(list(blocks()), whose(4))


def test_a_ring_that_turns_the_other_way_is_found(monkeypatch):
    place = rings._rank
    monkeypatch.setattr(rings, "_rank", lambda ax, r, b, y: place(ax, r, (2 * r - b) % 4, y))
    with pytest.raises(AssertionError):
        test_the_film_is_the_ring()


def test_each_picture_of_the_film_can_be_lit_by_the_page():
    svg = plots.ring_diagram().svg
    assert [svg.count(f'<g class="step-{step}">') for step in range(5)] == [1, 1, 1, 1, 0]


def test_nothing_to_do_is_hatched_and_has_no_number():
    ax = figure_of(CALLS["turns_grids"]).axes[0]
    hatched = [p for p in ax.patches if p.get_hatch()]
    assert [len(p.get_path().vertices) // 5 for p in hatched] == [6]
    words = [text.get_text() for text in ax.texts]
    assert (words.count("10"), words.count("16"), words.count("8")) == (8, 6, 12)


def test_the_text_says_who_keeps_each_piece():
    ax = figure_of(CALLS["turns_grids"]).axes[0]
    lowest = max(text.get_position()[1] for text in ax.texts)
    strip = [t for t in ax.texts if t.get_position()[1] == pytest.approx(lowest)]
    strip.sort(key=lambda text: text.get_position()[0])
    assert "".join(text.get_text() for text in strip) == "00112233" + "01233210"


def lanes():
    """The boxes of the two pictures, each the left and the right side: compute, then link."""
    found = {}
    for patch in figure_of(plots.overlap_diagram).axes[0].patches:
        if isinstance(patch, FancyBboxPatch):
            box = patch.get_bbox()
            found.setdefault(round(box.y0, 2), []).append((box.x0, box.x1))
    return [found[y] for y in sorted(found)]


def test_a_block_is_computed_on_only_when_it_has_come():
    for compute, link in (lanes()[:2], lanes()[2:]):
        assert len(compute) == 4 and len(link) == 3
        assert all(
            came[1] <= begun[0] + 0.03 for came, begun in zip(link, compute[1:], strict=True)
        )
    together, apart = lanes()[3], lanes()[1]
    assert all(a[0] == pytest.approx(b[0]) for a, b in zip(together, lanes()[2], strict=False))
    assert all(a[0] > b[0] + 0.5 for a, b in zip(apart, lanes()[0], strict=False))


@pytest.mark.parametrize(
    ("loads", "kept", "message"),
    [
        ([LOADS[0], LOADS[1][:2]], KEPT, r"loads\[1\] is"),
        ([LOADS[0], -LOADS[1]], KEPT, "a negative number"),
        ([LOADS[0]], KEPT, "titles has 2"),
        (LOADS, KEPT[:1], "kept has 1"),
        (LOADS, [KEPT[0], [(0, 3), (1, 2), (3, 4), (5, 6)]], r"kept\[1\] is"),
    ],
)
def test_a_bad_argument_is_named(loads, kept, message):
    with pytest.raises(ValueError, match=message):
        plots.turns_grids(loads, ["a", "b"], kept)
