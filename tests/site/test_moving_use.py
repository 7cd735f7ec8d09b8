"""Whoever moves a figure is told what to try, sees it, hears it once, and can go back."""

import json
import re

import handling
import looks
import pytest
from browsing import Window
from moved import MOVED, settings
from playwright.sync_api import expect

NAMES = [judge.__name__ for judge in MOVED]
# What a figure says after what it asks for: the answer, which it does not show at first.
ANSWERS = {
    "width": [
        ({"width": 0.02}, "listens to as many points as 1.0 "),
        ({"width": 5}, "between 1.38 and 1.59"),
        ({"query": 0}, "with 0 % of its weight"),
    ],
    "temperature": [
        ({"power": -0.9}, "leads key 1 by 2.29"),
        ({"power": 2}, "leads key 1 by 0.0029; the"),
        ({"power": 2}, "is 4.02."),
    ],
    "mask": [
        ({"mask": [[1, 1, 1, 1]] * 2 + [[1, 0, 1, 0]] * 2}, "“sat” gives “the” 0.27, “sat” 0.73"),
        ({"mask": [[0] * 4] * 4}, "“sat” sees nothing, and its weights are all 0"),
    ],
    "rotation": [({"m": 22}, "1.00 turns of the circle; the product is 1.000.")],
    "clocks": [
        ({"position": 63}, "stand 10°, 1°, 36° and 4° away"),
        ({"position": 63}, "Pair 2 tells the two positions apart best, by 36°"),
        ({"position": 6283}, "stand 11°, 1°, 0° and 0° away"),
        ({"power": 2}, "have made 0.48, 0.15, 0.048 and 0.015 turns"),
    ],
    "blocks": [({"seen": 5}, "multiplied by c = 0.33, and their ratio stays 5.20")],
    "heads": [({"sharpness": 5}, "the single head gives “Anna” 0.00, “saw” 0.00")],
    "roofline": [
        (
            {"power": 10, "bytes": 1},
            "fused, 1024 operations for each byte and at most 1979 TFLOP/s",
        ),
        ({"power": 10, "bytes": 4}, "fused, 256 operations for each byte and at most 495 TFLOP/s"),
        ({"power": 10}, "fused, 512 operations for each byte and at most 989 TFLOP/s"),
        (
            {"power": 17, "width": 256},
            "128 operations for each byte and at most 428 TFLOP/s, so it waits for memory",
        ),
    ],
    "ring": [
        ({"ranks": 2, "step": 1}, "sent 1.00 MiB of keys and values so far, and needs room"),
        ({"ranks": 8, "step": 7}, "sent 1.75 MiB of keys and values so far, and needs room"),
        ({"ranks": 8, "step": 7}, "room for two blocks, 0.50 MiB"),
    ],
}


def mount(window, name, changed="{}"):
    window.page.evaluate(handling.MOUNT, [name, changed])
    return window, window.page.locator(".moving")


@pytest.fixture(scope="module")
def windows(browser, site):
    """Windows of different widths, in which a page with a place for a figure is open."""
    opened = {}
    for width in (390, 1280):
        opened[width] = Window(browser).open(site, "book/index.html", width=width)
    yield opened
    for window in opened.values():
        window.page.context.close()


@pytest.fixture
def mounted(windows):
    """A figure in the place of the one before, some of it changed: mounted(name, "{say: …}")."""
    return lambda *figure, width=1280: mount(windows[width], *figure)


@pytest.fixture
def mounted_alone(visit):
    """A figure on a page that the test may change as well."""
    return lambda *figure: mount(visit("book/index.html"), *figure)


def judged(place):
    return [
        fault
        for check in (handling.VALUES, handling.SMALL, handling.STUCK)
        for fault in place.evaluate(check)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_asks_moves_and_goes_back(name, mounted):
    window, place = mounted(name, width=390)
    asked = place.locator(".ask").inner_text()
    assert re.fullmatch(r"Try this: [A-Z“].*\?( Then .*\.)?", asked)
    assert place.get_by_role("button", name="Reset").count() == 1
    assert judged(place) == looks.overflow(window) == looks.pale_rings(window) == []


def test_what_does_not_is_found(mounted_alone):
    window, place = mounted_alone("temperature", "{draw: () => ''}")
    assert (
        place.evaluate(handling.STUCK) == ["moves nothing: range"] + ["moves nothing: button"] * 2
    )
    window, place = mounted_alone("temperature", "{drawn: 0, draw() { return `${this.drawn++}`; }}")
    assert set(place.evaluate(handling.STUCK)) == {"is not reset: range", "is not reset: button"}
    place.get_by_role("slider").evaluate("it => it.removeAttribute('aria-valuetext')")
    window.page.add_style_tag(content=".moving input[type=range] { height: 16px !important }")
    assert place.evaluate(handling.VALUES) == ["says no value: temperature T 1.00"]
    assert place.evaluate(handling.SMALL) == ["is low: range, 16 px"]


@pytest.mark.parametrize("name", NAMES)
def test_words_in_a_drawing_keep_apart(name, mounted):
    window, place = mounted(name)
    judge = next(judge for judge in MOVED if judge.__name__ == name)
    for state in settings(judge):
        window.page.evaluate(handling.MOUNT, [name, f"{{state: {json.dumps(state)}}}"])
        assert place.locator("svg").evaluate(handling.TANGLED) == [], state


def test_words_that_do_not_are_found(mounted):
    two = '<text x="9" y="30">{}</text><text x="{}" y="30">{}</text>'
    _, place = mounted("ring", f"{{draw: () => `{two.format('one', 12, 'two')}`}}")
    assert place.locator("svg").evaluate(handling.TANGLED) == [
        "lies over another text: one and two"
    ]
    _, place = mounted("ring", f"{{draw: () => `{two.format('one', 390, 'two')}`}}")
    assert place.locator("svg").evaluate(handling.TANGLED) == ["is cut off: two"]


@pytest.mark.parametrize("name", NAMES)
def test_a_label_names_what_its_control_moves(name, mounted):
    _, place = mounted(name)
    assert place.evaluate(handling.UNNAMED) == []


def test_a_label_that_does_not_is_found(mounted):
    _, place = mounted(
        "temperature", "{controls: {power: {...figure.controls.power, label: 'more or less'}}}"
    )
    assert place.evaluate(handling.UNNAMED) == ["more or less "]


@pytest.mark.parametrize("name", NAMES)
def test_who_sees_a_figure_reads_at_once_what_it_says(name, mounted):
    _, place = mounted(name)
    assert name == "mask" or not place.evaluate(handling.LAGS)  # which has no slider


def test_a_sentence_that_lags_is_found(mounted):
    _, place = mounted("temperature", "{say: () => 'as before'}")
    assert place.evaluate(handling.LAGS)


def test_a_figure_whose_script_does_not_come_says_so(browser, site):
    for script in ("moving.mjs", "figures/temperature.mjs"):
        page = browser.new_context().new_page()
        page.route(re.compile(rf"/live/{script}"), lambda route: route.abort())
        page.goto(f"{site}/book/index.html")
        place = page.locator(".moving")
        place.get_by_role("button").click()
        expect(place.get_by_role("status")).to_contain_text(
            "could not be loaded: look at the network"
        )
        page.context.close()


HIDDEN = "place => place.getClientRects().length === 0"


def test_a_figure_below_a_folded_answer_waits_until_it_is_opened(visit):
    page = visit("book/numpy/weighted-average.html").page
    place = page.locator(".moving[data-figure=width]")
    assert place.evaluate(HIDDEN)
    page.locator("div.cell:has(+ .moving) details.reveal > summary").click()
    assert not place.evaluate(HIDDEN)


def test_a_drag_is_told_once(mounted_alone):
    window, place = mounted_alone("rotation")
    assert place.evaluate(handling.CHATTER) == 1
    window.page.evaluate("() => { window.setTimeout = tell => tell(); }")
    assert place.evaluate(handling.CHATTER) == 20


@pytest.mark.parametrize("name", NAMES)
def test_moving_answers_what_a_figure_asks(name, mounted):
    window, place = mounted(name)
    said = place.locator("[role=status]")
    first = said.inner_text()
    for part, answer in ANSWERS[name]:
        changed = f"{{state: {{...figure.state, ...{json.dumps(part)}}}}}"
        window.page.evaluate(handling.MOUNT, [name, changed])
        assert answer in said.inner_text()
        assert answer not in first
