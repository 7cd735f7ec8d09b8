"""Every colour of the book, once: its name, what it is by day, and what it is in the dark.

Figures are drawn in the colours of day, and their SVG names each of them (`fill-ink`). The pages'
stylesheet, which is written of these tables, gives a name its two colours. So another palette needs
no notebook to be run again, and a figure away from the pages keeps the colours of day.
"""

from itertools import pairwise

KINDS = "fill", "stroke"  # what has a colour in an SVG

FIGURES = {
    "paper": ("#fffefb", "#15181d"),
    "ink": ("#22252a", "#d8dbe0"),
    "muted": ("#565d68", "#a2a9b4"),
    "faint": ("#dcd9d1", "#3a404b"),
    # Numbers in cells: black where the cell is pale by day, and then dark in the dark.
    "black": ("#000000", "#ffffff"),
    "white": ("#ffffff", "#000000"),
    # Lines and bars: of Okabe and Ito's palette, those with a contrast of at least 3 with paper.
    "blue": ("#0072b2", "#56b4e9"),
    "vermilion": ("#d55e00", "#d55e00"),
    "green": ("#009e73", "#009e73"),
    "purple": ("#cc79a7", "#cc79a7"),
    # Beside the tints that the scales below have.
    "red": ("#fcc5c0", "#532926"),
    "grey": ("#f3f1ea", "#24221d"),
    "hidden": ("#e9e6de", "#2b2923"),
    "stripes": ("#a9a599", "#545146"),
}
PAGES = {  # what only the pages have: boxes, links, and what lies on the paper
    "surface": ("#f7f5ef", "#1c2027"),
    "raised": ("#fffefb", "#1c2027"),
    "border": ("#e8e5dd", "#2c313a"),
    "link": ("#1d5a96", "#8fbcf2"),
    "link-pointed-at": ("#0d3f73", "#b9d6f8"),
    "code": ("#7a2e5d", "#eab2d4"),
    "ask": ("#935600", "#e6b155"),
    "ask-ground": ("#fdf5e3", "#272115"),
    "solution": ("#2b6a4b", "#8ccfa8"),
    "bad": ("#a3262a", "#f0a09a"),
    "bad-ground": ("#fdf1ef", "#2a1b1b"),
}

# Scales from nearly paper to nearly ink, after ColorBrewer's: their ends and what lies between.
STOPS = {
    "blues": (
        ("#f7fbff", "#c6dbef", "#6baed6", "#2171b5", "#08306b"),
        ("#191c1f", "#223342", "#186084", "#3683c9", "#a0ceff"),
    ),
    "greens": (
        ("#f7fcf5", "#c7e9c0", "#74c476", "#238b45", "#00441b"),
        ("#191d18", "#183312", "#186318", "#1b8641", "#90cd9c"),
    ),
    "oranges": (
        ("#fff5eb", "#fdd0a2", "#fd8d3c", "#d94801", "#7f2704"),
        ("#241d16", "#4c2900", "#982f0a", "#d34208", "#f89576"),
    ),
    "reds": (
        ("#fff5f0", "#fcbba1", "#fb6a4a", "#cb181d", "#67000d"),
        ("#241d19", "#5f2b14", "#b01f00", "#f1463f", "#ffbeb6"),
    ),
}
BETWEEN = 8  # steps from one stop to the next


def _mixed(one, other, share):
    channels = ((int(color[n : n + 2], 16) for color in (one, other)) for n in (1, 3, 5))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in channels)


def _steps(stops):
    """The stops of a scale, and between two of them what makes the way even."""
    steps = [_mixed(*pair, n / BETWEEN) for pair in pairwise(stops) for n in range(BETWEEN)]
    return [*steps, stops[-1]]


SCALES = {name: _steps(by_day) for name, (by_day, _) in STOPS.items()}
STEPS = {
    f"{name}-{n}": pair
    for name, schemes in STOPS.items()
    for n, pair in enumerate(zip(*map(_steps, schemes), strict=True))
}
DAY = {name: by_day for name, (by_day, _) in (FIGURES | STEPS).items()}
NAMES = {by_day: name for name, by_day in DAY.items()}

PAPER, INK, MUTED, FAINT = (DAY[name] for name in ("paper", "ink", "muted", "faint"))
SERIES = [DAY[name] for name in ("blue", "vermilion", "green", "purple", "black")]
BLUE, GREEN, ORANGE = (SCALES[name][BETWEEN] for name in ("blues", "greens", "oranges"))
SEEN = SCALES["blues"][2 * BETWEEN]  # stands out from the hidden cells, on a dark page too
RED, GREY, HIDDEN, STRIPES = (DAY[name] for name in ("red", "grey", "hidden", "stripes"))


def shade(scale, amount):
    """The colour of a scale, of blues say, at an amount from 0 (nearly paper) to 1."""
    steps = SCALES[scale]
    return steps[round(amount * (len(steps) - 1))]


def name_of(color):
    """What a colour of a figure is called.

    Raises
    ------
    ValueError
        If the table has no such colour.
    """
    if color not in NAMES:
        raise ValueError(f"color is {color}; expected one that attnbook.colours names")
    return NAMES[color]
