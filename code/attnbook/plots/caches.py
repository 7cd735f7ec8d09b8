"""The diagram of the chapter on the cache: where three kinds of it keep seven words."""

from attnbook.colours import BLUE, GREEN, GREY, MUTED, ORANGE
from attnbook.plots.primitives import box, heading, matrix, sheet, text
from attnbook.plots.style import drawn

CELL, LEFT = 0.34, 2.0
WORDS = 7
PLAIN_ROOM = 10
SLOTS = [0, 1, 6, 3, 4, 5]  # of two sinks and the last four words: which word lies in each
SINKS = 2
SIZE, TABLE, POOL = 3, [1, 3, 0], 5  # words on a page, the text's pages, all pages
OTHERS = {2: 3, 4: 1}  # page → words of another text


@drawn
def caches_diagram():
    """Draw where a plain cache, a window with sinks and pages keep the words of one text."""
    ax = sheet(3.3)
    _row(ax, 0.3, "plain", [*range(WORDS)] + [None] * (PLAIN_ROOM - WORDS))
    text(ax, LEFT, 0.68, "room for the longest text is made at the start", ha="left", color=MUTED)
    _row(ax, 1.2, "window, sinks", SLOTS)
    text(ax, LEFT, 1.58, "word 6 has taken the slot of word 2", ha="left", color=MUTED)
    heading(ax, 0.85, 2.1, "pages")
    for place, page in enumerate(TABLE):
        box(ax, LEFT + CELL / 2 + CELL * place, 2.1, CELL, CELL, str(page), GREY)
    text(ax, LEFT + 3 * CELL + 0.1, 2.1, "block table", ha="left", color=MUTED)
    wide = SIZE * CELL * 0.85
    for page in range(POOL):
        _page(ax, 0.3 + (wide + 0.3) * page + wide / 2, page)
    return ax.figure


def _row(ax, y, name, words):
    heading(ax, 0.85, y, name)
    colors = [
        None if w is None else ORANGE if w < SINKS and len(words) < 10 else BLUE for w in words
    ]
    shown = ["" if w is None else str(w) for w in words]
    matrix(ax, LEFT + CELL * len(words) / 2, y, [colors], CELL, [shown])


def _page(ax, x, page):
    """One page of the pool, and the words on it."""
    words = [None] * SIZE
    if page in TABLE:
        first = SIZE * TABLE.index(page)
        words = [w if w < WORDS else None for w in range(first, first + SIZE)]
    colors = [None if w is None else BLUE for w in words]
    colors[: OTHERS.get(page, 0)] = [GREEN] * OTHERS.get(page, 0)
    shown = ["" if w is None else str(w) for w in words]
    matrix(ax, x, 2.85, [colors], CELL * 0.85, [shown])
    text(ax, x, 3.15, f"page {page}", color=MUTED)
