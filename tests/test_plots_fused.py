"""The diagram of the programs shows who is asked, in the order of the package."""

import pytest
from figures import figure_of
from matplotlib.colors import to_hex

from attnbook import plots
from attnbook.colours import BLUE, ORANGE, SEEN
from attnbook.fused import Choice, implementations
from attnbook.plots import fused
from attnbook.plots.primitives import FRAME


def test_its_programs_are_those_of_the_package_in_their_order():
    assert list(fused.PROGRAMS) == [form.name for form in implementations.IMPLEMENTATIONS]
    places = {
        t.get_text(): t.get_position()[1] for t in figure_of(plots.fused_diagram).axes[0].texts
    }
    heights = [places[name] for name in fused.PROGRAMS]
    assert heights == sorted(heights)


def framed(told):
    """The colours of what has a thick frame."""
    patches = figure_of(lambda: plots.fused_diagram(told)).axes[0].patches
    return [to_hex(p.get_facecolor()) for p in patches if p.get_linewidth() == FRAME["linewidth"]]


def test_what_runs_has_a_frame_and_so_has_what_sdpa_runs_through():
    refused = Choice("kernels", "refuses", "through FLASH")
    could = Choice("readable", "could run", "")
    assert framed([]) == framed([refused, could]) == []
    assert framed([refused, Choice("SDPA", "runs", "through MATH"), could]) == [BLUE, ORANGE]
    assert framed([refused, Choice("FlexAttention", "runs", ""), could]) == [BLUE]
    assert framed([Choice("readable", "runs", "all scores in memory")]) == [ORANGE]


def colors():
    patches = figure_of(plots.fused_diagram).axes[0].patches
    return [to_hex(patch.get_facecolor()) for patch in patches]


def test_what_writes_all_scores_is_orange():
    assert colors().count(ORANGE) == 2 + 1, "readable and MATH, and one matrix"
    assert colors().count(BLUE) == 3 + 3 and colors().count(SEEN) == 2


def test_another_order_is_seen(monkeypatch):
    monkeypatch.setattr(fused, "PROGRAMS", dict(reversed(fused.PROGRAMS.items())))
    with pytest.raises(AssertionError):
        test_its_programs_are_those_of_the_package_in_their_order()


def test_one_call_has_two_programs_and_only_one_holds_all_scores():
    patches = figure_of(plots.one_call_diagram).axes[0].patches
    held = [to_hex(patch.get_facecolor()) for patch in patches]
    assert (held.count(BLUE), held.count(ORANGE), held.count(SEEN)) == (1, 2, 1)


def test_the_numbers_below_one_call_are_those_of_its_cells():
    texts = [t.get_text() for t in figure_of(plots.one_call_diagram).axes[0].texts]
    assert [t for t in texts if t.endswith(" scores")] == ["4 scores", "24 scores"]
