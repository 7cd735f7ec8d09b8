"""The table of colours: each has one name, and everybody can tell them apart."""

import re
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from attnbook.colours import FIGURES, NAMES, PAGES, SCALES, STEPS, name_of, shade
from attnbook.plots.style import contrast, text_color
from tools.reproducible import ROOT

TABLE = FIGURES | STEPS | PAGES
SCHEMES = {"by day": 0, "in the dark": 1}
HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
DRAW = (
    "code/attnbook/plots/*.py",
    "book/_ext/*.py",
    "book/_static/*.css",
    "book/_templates/*.html",
)
SERIES = "blue", "vermilion", "green", "purple", "black"
WRITTEN = [  # words, on what
    *((word, on) for word in ("ink", "muted", "link", "code") for on in ("paper", "surface")),
    *(("ink", tint) for tint in ("blues-8", "greens-8", "oranges-8", "red", "grey", "faint")),
    *(("ink", box) for box in ("ask-ground", "bad-ground")),
    ("link-pointed-at", "paper"),
    ("ask", "paper"),
    ("ask", "ask-ground"),
    ("solution", "paper"),
    ("bad", "bad-ground"),
]
# What an eye without one kind of cone sees of red, green and blue light (Machado et al., 2009).
CONES = {
    "long": ((0.1523, 1.0526, -0.2049), (0.1145, 0.7863, 0.0992), (-0.0039, -0.0481, 1.0520)),
    "medium": ((0.3673, 0.8606, -0.2280), (0.2801, 0.6725, 0.0474), (-0.0118, 0.0429, 0.9689)),
    "short": ((1.2555, -0.0767, -0.1788), (-0.0784, 0.9308, 0.1476), (0.0047, 0.6914, 0.3039)),
}
# OKLab (Ottosson, 2020), in which equal distances look about equal.
TO_CONES = ((0.4122, 0.5363, 0.0514), (0.2119, 0.6807, 0.1074), (0.0883, 0.2817, 0.6300))
TO_LAB = ((0.2105, 0.7936, -0.0041), (1.9780, -2.4286, 0.4506), (0.0259, 0.7828, -0.8087))
APART = 0.06  # three times the least difference in OKLab that an eye tells, 0.02

each_scheme = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def light(color):
    """How much red, green and blue light a colour is."""
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def least_difference(colors, cones):
    """How far apart the two of them are that look most alike to an eye with such cones."""
    seen = [np.clip(np.array(cones) @ light(color), 0, 1) for color in colors]
    lab = [np.array(TO_LAB) @ np.cbrt(np.array(TO_CONES) @ rgb) for rgb in seen]
    return min(np.linalg.norm(a - b) for a, b in combinations(lab, 2))


def faults(table, names):
    written = [color for pair in table.values() for color in pair]
    wrong = [color for color in written if not re.fullmatch("#[0-9a-f]{6}", color)]
    return wrong + ["two names"] * (len(names) != len(table))


def test_each_colour_of_a_figure_has_one_name():
    assert faults(FIGURES | STEPS, NAMES) == []
    assert faults(PAGES, PAGES) == []
    assert faults(FIGURES | STEPS | {"odd": ("#FFF", "#000000")}, NAMES) == ["#FFF", "two names"]


def test_a_colour_without_a_name_is_refused():
    assert name_of(shade("blues", 0.25)) == "blues-8"
    with pytest.raises(ValueError, match=r"color is #123456; expected one that attnbook\.colours"):
        name_of("#123456")


def written_elsewhere(text):
    return HEX.findall(text)


def test_no_colour_is_written_outside_the_table():
    assert all(any(ROOT.glob(pattern)) for pattern in DRAW), "each pattern finds files"
    files = [path for pattern in DRAW for path in ROOT.glob(pattern)]
    found = {path.name: written_elsewhere(path.read_text(encoding="utf-8")) for path in files}
    assert {name: colors for name, colors in found.items() if colors} == {}
    assert written_elsewhere("a { color: #22252A }")


@each_scheme
@pytest.mark.parametrize(("words", "ground"), WRITTEN)
def test_words_are_readable_on_their_grounds(words, ground, scheme):
    assert contrast(TABLE[words][scheme], TABLE[ground][scheme]) >= 4.5


@pytest.mark.parametrize("scale", SCALES)
def test_numbers_are_readable_on_every_step_of_a_scale(scale):
    for n, day in enumerate(SCALES[scale]):
        number = FIGURES[text_color(day)]
        for one, other in zip(number, STEPS[f"{scale}-{n}"], strict=True):
            assert contrast(one, other) >= 4.5
    assert contrast(FIGURES["black"][0], SCALES[scale][-1]) < 4.5


@pytest.mark.parametrize("scale", SCALES)
def test_more_is_darker_by_day_and_lighter_in_the_dark(scale):
    steps = [STEPS[f"{scale}-{n}"] for n in range(len(SCALES[scale]))]
    for (day, dark), (next_day, next_dark) in pairwise(steps):
        assert contrast(day, "#000000") > contrast(next_day, "#000000")
        assert contrast(dark, "#000000") < contrast(next_dark, "#000000")


@each_scheme
@pytest.mark.parametrize("scale", SCALES)
def test_a_weight_of_a_quarter_looks_unlike_one_of_a_third(scale, scheme):
    pair = [STEPS[NAMES[shade(scale, weight)]][scheme] for weight in (1 / 4, 1 / 3)]
    assert least_difference(pair, np.eye(3)) >= APART


def test_two_weights_that_look_alike_are_found():
    assert least_difference(["#223342", "#184057"], np.eye(3)) < APART


@each_scheme
def test_series_stand_out_from_the_paper(scheme):
    assert min(contrast(TABLE[name][scheme], TABLE["paper"][scheme]) for name in SERIES) >= 3
    assert contrast("#000000", TABLE["paper"][1]) < 3


@each_scheme
@pytest.mark.parametrize("cones", CONES.values(), ids=CONES)
def test_series_differ_for_an_eye_without_one_kind_of_cone(cones, scheme):
    assert least_difference([TABLE[name][scheme] for name in SERIES], cones) >= APART


@pytest.mark.parametrize(
    ("missing", "colors"), [("medium", ("#d62728", "#2ca02c")), ("short", ("#2484c5", "#009e73"))]
)
def test_colours_that_such_an_eye_confuses_are_found(missing, colors):
    every = np.eye(3)
    assert least_difference(colors, every) > 2 * APART
    assert least_difference(colors, CONES[missing]) < APART


@each_scheme
def test_what_a_mask_shows_stands_out_from_what_it_hides(scheme):
    def apart(name):
        return contrast(TABLE[name][scheme], TABLE["hidden"][scheme])

    assert apart("blues-16") >= 1.8
    assert apart("blues-8") < 1.2
