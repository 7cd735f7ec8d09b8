"""Whoever moves a figure is told what to try, sees it, hears it once, and can go back."""

import json
import re

import handling
import looks
import pytest
from moved import MOVED, settings

NAMES = [judge.__name__ for judge in MOVED]
# What a figure says after what it asks for: the answer, which it does not show at first.
ANSWERS = {
    "width": [
        ({"power": -1.7}, "listens to as many points as 1.0 "),
        ({"power": 0.7}, "between 1.38 and 1.59"),
        ({"query": 0}, "with 0 % of its weight"),
    ],
    "temperature": [({"power": -0.9}, "leads key 1 by 2.29"), ({"power": 2}, "is 4.02.")],
    "mask": [
        ({"mask": [[1, 1, 1, 1]] * 2 + [[1, 0, 1, 0]] * 2}, "“sat” gives “the” 0.27, “sat” 0.73"),
        ({"mask": [[0] * 4] * 4}, "“sat” sees nothing, and its weights are all 0"),
    ],
    "rotation": [({"m": 22}, "1.00 turns of the circle; the product is 1.000.")],
    "blocks": [({"seen": 5}, "multiplied by c = 0.33, and their ratio stays 5.20")],
    "heads": [({"sharpness": 5}, "the single head gives Anna 0.00, saw 0.00")],
    "roofline": [
        ({"power": 10}, "fused, 512 operations for each byte and at most 989 TFLOP/s"),
        (
            {"power": 17, "width": 256},
            "128 operations for each byte and at most 428 TFLOP/s, so it waits for memory",
        ),
    ],
    "ring": [
        ({"ranks": 2, "turn": 1}, "sent 1.00 MiB of keys and values so far, and needs room"),
        ({"ranks": 8, "turn": 7}, "sent 1.75 MiB of keys and values so far, and needs room"),
        ({"ranks": 8, "turn": 7}, "room for two blocks, 0.50 MiB"),
    ],
}


@pytest.fixture
def mounted(visit):
    """A figure on a page, some of it changed: mounted(name, "{draw: () => ''}", width=...)."""

    def mount(name, changed="{}", **view):
        window = visit("book/index.html", **view)
        window.page.evaluate(handling.MOUNT, [name, changed])
        return window, window.page.locator(".moving")

    return mount


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


def test_what_does_not_is_found(mounted):
    window, place = mounted("temperature", "{draw: () => ''}")
    assert (
        place.evaluate(handling.STUCK) == ["moves nothing: range"] + ["moves nothing: button"] * 2
    )
    window, place = mounted("temperature", "{drawn: 0, draw() { return `${this.drawn++}`; }}")
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


def test_a_drag_is_told_once(mounted):
    window, place = mounted("rotation")
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
