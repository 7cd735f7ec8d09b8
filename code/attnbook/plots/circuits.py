"""Two heads that find what stood behind an earlier copy of a word."""

from attnbook.colours import BLUE, GREEN, MUTED, ORANGE, PAPER, SERIES
from attnbook.plots.primitives import arrow, box, frame, heading, sheet, text
from attnbook.plots.style import drawn

TEXT = "bRaQa"
WORDS, BEFORE, FOUND = 0.5, 1.6, 2.7  # inches from the top to each row
LEFT, STEP, WIDE = 1.85, 0.84, 0.5


@drawn
def induction_diagram():
    """Draw the text b R a Q a, what the first head writes, and where the second looks."""
    ax, places = sheet(3.2), [LEFT + STEP * n for n in range(len(TEXT))]
    for y, name, words in (
        (WORDS, "words", "the text,\nword by word"),
        (BEFORE, "first layer", "writes what\nstands before"),
        (FOUND, "second layer", "looks for its\nown word there"),
    ):
        heading(ax, 0.72, y - 0.3, name)
        text(ax, 0.72, y + 0.12, words, color=MUTED)
    for n, (x, word) in enumerate(zip(places, TEXT, strict=True)):
        box(ax, x, WORDS, WIDE, 0.4, word, PAPER)
        read = max(n - 1, 0)  # the first word has only itself
        aside = 0.12 * (n - read)
        box(ax, x, BEFORE, WIDE, 0.4, TEXT[read], BLUE)
        arrow(ax, (places[read] + aside, WORDS + 0.22), (x - aside, BEFORE - 0.22))
    reader, match = len(TEXT) - 1, answer_place(TEXT)
    frame(ax, places[match], (WORDS + BEFORE) / 2, 0.64, BEFORE - WORDS + 0.56)
    end = (places[reader] - 0.1, FOUND - 0.22)
    arrow(ax, (places[match] + 0.12, BEFORE + 0.3), end, 2.4, SERIES[1])
    box(ax, places[reader], FOUND, WIDE, 0.4, TEXT[-1], ORANGE)
    arrow(ax, (places[reader] + WIDE / 2, FOUND), (places[reader] + 0.62, FOUND))
    box(ax, places[reader] + 0.62 + WIDE / 2, FOUND, WIDE, 0.4, TEXT[match], GREEN)
    return ax.figure


def answer_place(words):
    """Where the word stands that followed an earlier copy of the last one."""
    return words.index(words[-1]) + 1
