"""How formats spend the bits of a float."""

from attnbook.colours import BLUE, GREY, INK, MUTED, ORANGE
from attnbook.plots.arguments import dictionary
from attnbook.plots.primitives import heading, sheet, squares, text
from attnbook.plots.style import WIDTH, drawn

LEFT, TOP, ROW, CELL = 1.02, 0.62, 0.5, 0.175  # inches
FIELDS = {"sign": GREY, "exponent": ORANGE, "digits": BLUE}


@drawn
def float_bits(rows):
    """Draw one row of bits per format: its sign, its exponent, its digits.

    `rows`, name → (bits, exponent), has the bits as a word of zeros and ones, and how many of them
    behind the first are the exponent. A format has at most 32 bits, and there are at most four.

    Raises
    ------
    ValueError
        If a word is no row of bits, or has no room for its exponent.
    """
    rows = {name: _fields(name, *row) for name, row in dictionary("rows", rows, 4).items()}
    ax = sheet(TOP + ROW * len(rows) - 0.12)
    for number, (name, fields) in enumerate(rows.items()):
        y, start = TOP + ROW * number, 0
        text(ax, LEFT - 0.12, y, name, ha="right")
        for (field, color), bits in zip(FIELDS.items(), fields, strict=True):
            places = [LEFT + CELL * (start + n) for n in range(len(bits))]
            corners = [(x, y - CELL / 2) for x in places]
            squares(ax, corners, CELL, facecolor=color, edgecolor=MUTED, linewidth=0.8)
            for x, bit in zip(places, bits, strict=True):
                text(ax, x + CELL / 2, y, bit, color=INK)
            if number == 0:
                heading(ax, (places[0] + places[-1] + CELL) / 2, 0.26, field)
            start += len(bits)
    return ax.figure


def _fields(name, bits, exponent):
    """The three parts of a word of bits."""
    if not 2 < len(bits) <= (WIDTH - LEFT) // CELL or set(bits) - {"0", "1"}:
        raise ValueError(f"rows[{name!r}] has {bits!r}; expected 3 to 32 zeros and ones")
    if not 0 < exponent < len(bits) - 1:
        most = len(bits) - 2
        raise ValueError(f"rows[{name!r}] has {exponent} bits of exponent; expected 1 to {most}")
    return bits[0], bits[1 : 1 + exponent], bits[1 + exponent :]
