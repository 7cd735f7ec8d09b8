"""Figures that a reader moves compute what the package computes, and say what they show."""

import faults
import looks
import numpy as np
import pytest
from browsing import altered
from moved import MOVED, clocks, settings
from playwright.sync_api import expect

from tools.reproducible import ROOT

FIGURES = ROOT / "book/_static/live/figures"
LOOK = """async ([name, state]) => {
  const figure = await import(`/_static/live/figures/${name}.mjs`);
  const found = figure.compute(state);
  return [found, figure.draw(state, found), figure.say(state, found), figure.state];
}"""


def test_every_figure_is_compared():
    names = {path.stem for path in FIGURES.glob("*.mjs")} - {"drawing"}
    assert names == {judge.__name__ for judge in MOVED}


@pytest.fixture(scope="module")
def page(open_in, site):
    """A page that only lends its scripts to the tests that follow each other."""
    return open_in(site, "book/index.html").page


def compare(page, judge):
    """A figure at twenty settings, with the package; returns what it drew and said."""
    seen = set()
    for state in settings(judge):
        found, drawn, said, first = page.evaluate(LOOK, [judge.__name__, state])
        wanted = judge(**state)
        assert found.keys() == wanted.keys() and first.keys() == state.keys()
        for name, value in wanted.items():
            # both compute in float64: a few roundings apart
            np.testing.assert_allclose(found[name], value, rtol=1e-12, atol=1e-12, err_msg=name)
        assert "NaN" not in drawn + said and "undefined" not in drawn + said
        seen.add((drawn, said))
    return seen


@pytest.mark.parametrize("judge", MOVED, ids=lambda judge: judge.__name__)
def test_a_figure_computes_what_the_package_does(judge, page):
    assert len(compare(page, judge)) > 3


WRONG = {  # in a figure one text in place of another, and what it computes wrongly then
    clocks: [
        ("** (-m / PAIRS)", "** (-m / (PAIRS - 1))", "row"),
        ("[Math.sin(angle), Math.cos(angle)]", "[Math.cos(angle), Math.sin(angle)]", "row"),
        ("position * theta", "(position * theta) % TURN", "turned"),
        ("Math.abs(Math.atan2(", "(Math.atan2(", "away"),
    ],
}


@pytest.mark.parametrize("judge", WRONG, ids=lambda judge: judge.__name__)
def test_a_wrong_figure_is_found(judge, visit):
    page = visit("book/index.html").page
    for old, new, name in WRONG[judge]:
        with altered(page, f"live/figures/{judge.__name__}.mjs", old, new):
            with pytest.raises(AssertionError, match=rf"\n{name}\n"):
                compare(page, judge)


def test_a_figure_moves_by_keys_and_says_so(visit):
    window = visit("book/index.html")
    page = window.page
    place = page.locator(".moving[data-figure=temperature]")
    place.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(place.get_by_role("slider")).to_be_focused()
    said = place.locator("[role=status]")
    expect(said).to_contain_text("the output is 5.50")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("the output is 5.37")
    expect(place.locator("svg")).to_have_accessible_name(said.inner_text())
    assert faults.complaints(window) == faults.elsewhere(window) == looks.overflow(window) == []
    faults.strip(window)
    assert faults.pale(window) == faults.barriers(window) == []
