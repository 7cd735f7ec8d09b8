"""Figures that a reader moves compute what the package computes, and say what they show."""

import random

import faults
import looks
import numpy as np
import pytest

from attnbook import online, positions, reference
from tools.reproducible import ROOT

FIGURES = ROOT / "book/_static/live/figures"
LOOK = """async ([name, state]) => {
  const figure = await import(`/_static/live/figures/${name}.mjs`);
  const found = figure.compute(state);
  return [found, figure.draw(state, found), figure.say(state, found), figure.state];
}"""
SCORES = np.log([1.0, 3.0, 4.0])
PAINTED = np.array([[1, 0, 0, 0], [1, 2, 0, 0], [0, 2, 1, 0], [0, 0, 0, 1.0]])
SIX, VALUES = np.log([1.0, 3, 4, 2, 12, 1]), np.array([0.0, 4, 8, 4, 8, 0])


def width(power, query):
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 5, 60))
    y = np.sin(2 * x) + x / 2 + 0.3 * rng.standard_normal(60)
    x, y = x.round(3)[:, None], y.round(3)
    scores = reference.gaussian_scores(np.array([[query]]), x, 10**power)
    weights = reference.softmax(scores)[0]
    return {"weights": weights, "output": weights @ y}


def temperature(power):
    weights = reference.softmax(SCORES / 10**power)
    return {"weights": weights, "output": weights @ [0, 4, 8]}


def mask(mask):
    return {"weights": reference.softmax(PAINTED, np.array(mask))}


def rotation(m, n, frequency):
    turn = np.array([frequency])
    q, k = (positions.rope(np.array([[1.0, 0.0]]), np.array([at]), turn)[0] for at in (m, n))
    return {"q": q, "k": k, "product": q @ k}


def heads(word, sharpness):
    places, kinds = np.arange(5), np.array(["name", "verb", "name", "word", "verb"])
    before = -sharpness * np.abs(word - 1.0 - places)
    kind = sharpness * (kinds == kinds[word])
    scores = {"before": before, "kind": kind, "one": before + kind}
    return {name: reference.softmax(np.array(row, float)) for name, row in scores.items()}


def blocks(seen):
    scores, values = SIX[:seen], VALUES[:seen]
    output, lse = online.attention_with_lse(np.ones((1, 1)), scores[:, None], values[:, None])
    before = scores[:-1].max(initial=-np.inf)
    return {
        "m": scores.max(),
        "l": np.exp(lse[0] - scores.max()),
        "output": output[0, 0],
        "correction": np.exp(before - scores.max()),
    }


def roofline(power, width, bytes):
    n = 2**power
    moved = np.array([4 * n * width + 4 * n * n, 4 * n * width]) * bytes
    intensities = 4 * n * n * width / moved
    return {"intensities": intensities, "rates": np.minimum(989e12, intensities * 3.35e12)}


def ring(turn):
    """After so many turns a rank holds the block of the rank as many places before it."""
    holds = np.roll(np.arange(4), turn)
    return {"holds": holds, "sent": turn * 2 * 1024 * 128 * 2}


def numbers(low, high):
    return lambda draw: draw.uniform(low, high)


def whole(low, high):
    return lambda draw: draw.randint(low, high)


def painted(draw):
    return [[draw.random() < 0.5 for _ in range(4)] for _ in range(4)]


MOVED = {
    width: {"power": numbers(-1.7, 0.7), "query": numbers(0, 5)},
    temperature: {"power": numbers(-2, 2)},
    mask: {"mask": painted},
    rotation: {"m": whole(0, 20), "n": whole(0, 20), "frequency": numbers(0.05, 1)},
    heads: {"word": whole(0, 4), "sharpness": numbers(0, 5)},
    blocks: {"seen": whole(1, 6)},
    roofline: {"power": whole(5, 17), "width": whole(32, 256), "bytes": whole(1, 4)},
    ring: {"turn": whole(0, 3)},
}


def test_every_figure_is_compared():
    names = {path.stem for path in FIGURES.glob("*.mjs")} - {"drawing"}
    assert names == {judge.__name__ for judge in MOVED}


@pytest.mark.parametrize("judge", MOVED, ids=lambda judge: judge.__name__)
def test_a_figure_computes_what_the_package_does(judge, visit):
    page = visit("book/index.html").page
    draw = random.Random(0)
    seen = set()
    for _ in range(20):
        state = {name: choose(draw) for name, choose in MOVED[judge].items()}
        found, drawn, said, first = page.evaluate(LOOK, [judge.__name__, state])
        wanted = judge(**state)
        assert found.keys() == wanted.keys() and first.keys() == state.keys()
        for name, value in wanted.items():
            # both compute in float64: a few roundings apart
            np.testing.assert_allclose(found[name], value, rtol=1e-12, atol=1e-12, err_msg=name)
        assert "NaN" not in drawn + said and "undefined" not in drawn + said
        seen.add((drawn, said))
    assert len(seen) > 3


def test_a_figure_moves_by_keys_and_says_so(visit):
    window = visit("book/index.html")
    page = window.page
    place = page.locator(".moving[data-figure=temperature]")
    place.get_by_role("button").focus()
    page.keyboard.press("Enter")
    place.get_by_role("slider").wait_for()
    before = place.locator("[role=status]").inner_text()
    assert "the output is 5.50" in before
    page.keyboard.press("ArrowRight")
    after = place.locator("[role=status]").inner_text()
    assert after != before
    assert place.locator("svg").get_attribute("aria-label") == after
    assert faults.complaints(window) == faults.elsewhere(window) == looks.overflow(window) == []
    faults.strip(window)
    assert faults.pale(window) == faults.barriers(window) == []
