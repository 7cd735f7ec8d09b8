"""The figures of many GPUs show the ring."""

import numpy as np
import pytest
from figures import CALLS, KEPT, LOADS, figure_of
from matplotlib.patches import FancyBboxPatch

from attnbook import plots
from attnbook.distributed.traffic import (
    Work,
    head_parallel_bytes,
    ring_backward_bytes,
    ring_bytes,
)
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


def sums():
    """Whose parts stand in each rank's sum, read from the drawing: steps, and home, by ranks."""
    (ax,) = figure_of(plots.ring_back_diagram).axes
    found = {}
    for text in ax.texts:
        if text.get_text().replace(" ", "").isdigit():
            x, y = text.get_position()
            found.setdefault(round(x, 2), {})[y] = set(map(int, text.get_text().split()))
    return [[found[x][y] for y in sorted(found[x])] for x in sorted(found)]


def test_each_rank_adds_its_part_to_the_block_that_it_has():
    keys, steps = whose(4), sums()
    assert len(steps) == 5 and steps[4] == [{0, 1, 2, 3}] * 4
    for step in range(4):
        for rank in range(4):
            visited = {
                r for s in range(step + 1) for r in range(4) if keys[s, r] == keys[step, rank]
            }
            assert steps[step][rank] == visited


def grids(name):
    """What is drawn side by side: words in cells, and the strips below."""
    seen, drawn = [], rings.side_by_side
    with pytest.MonkeyPatch.context() as patch:
        noted = lambda *given, **look: seen.append(look) or drawn(*given, **look)  # noqa: E731
        patch.setattr(rings, "side_by_side", noted)
        CALLS[name]()
    return seen[0]


def test_each_tile_of_the_mask_is_computed_when_its_keys_are_there():
    for words, kept in zip(grids("meetings_grids")["words"], KEPT, strict=True):
        owner = {p: rank for rank, mine in enumerate(kept) for p in mine}
        assert len(words) == len(owner)
        for (i, j), step in np.ndenumerate(words):
            assert (step != "") == (j <= i)
            assert not step or whose(4)[int(step), owner[i]] == owner[j]


def test_a_tile_of_another_rank_is_found(monkeypatch):
    right = rings._owners
    monkeypatch.setattr(rings, "_owners", lambda *x: {p: 3 - r for p, r in right(*x).items()})
    with pytest.raises(AssertionError):
        test_each_tile_of_the_mask_is_computed_when_its_keys_are_there()


def test_a_message_is_as_long_as_it_has_bytes():
    work = Work(n=32, n_heads=8, n_kv_heads=4, d=8, itemsize=8)
    counted = [ring_bytes(work, 4), ring_backward_bytes(work, 4), head_parallel_bytes(work, 4)]
    (ax,) = figure_of(plots.sent_diagram).axes
    said = [t.get_text() for t in ax.texts]
    assert [word for word in said if word.endswith("bytes")] == [f"{n} bytes" for n in counted]
    boxes = {}
    for patch in ax.patches:
        box = patch.get_bbox()
        boxes.setdefault(round(box.y0, 2), []).append(box.width + 0.03)
    inches = [sum(boxes[y]) for y in sorted(boxes)]
    assert np.allclose(np.divide(inches, counted), inches[0] / counted[0], rtol=1e-6)


def test_a_message_too_many_is_found(monkeypatch):
    again = rings.SENT | {"ring, forward": [("$K, V$", rings.BLUE, [4096] * 4)]}
    monkeypatch.setattr(rings, "SENT", again)
    with pytest.raises(AssertionError):
        test_a_message_is_as_long_as_it_has_bytes()


def test_half_of_two_ranks_heads_and_positions_change_hands():
    (ax,) = figure_of(plots.exchange_diagram).axes
    framed = [p for p in ax.patches if p.get_linewidth() == 2]
    assert [len(p.get_path().vertices) // 5 for p in framed] == [4]


def test_nothing_to_do_is_hatched_and_has_no_number():
    ax = figure_of(CALLS["turns_grids"]).axes[0]
    hatched = [p for p in ax.patches if p.get_hatch()]
    assert [len(p.get_path().vertices) // 5 for p in hatched] == [6]
    words = [text.get_text() for text in ax.texts]
    assert (words.count("10"), words.count("16"), words.count("8")) == (8, 6, 12)


def test_the_text_says_who_keeps_each_piece():
    strips = grids("turns_grids")["strips"]
    assert ["".join(words) for _, words in strips] == ["00112233", "01233210"]


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


def test_a_piece_that_two_ranks_keep_is_named():
    with pytest.raises(ValueError, match=r"kept\[0\] is"):
        plots.meetings_grids(["a"], [[(0, 1), (1,)]])
