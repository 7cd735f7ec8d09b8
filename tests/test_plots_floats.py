"""The picture of a float shows each bit once, in the field to which it belongs."""

import pytest
from figures import figure_of, words
from matplotlib.colors import to_hex

from attnbook import plots
from attnbook.colours import BLUE, GREY, ORANGE

FIVE_AND_A_HALF = {  # +1.011 · 2², with the bias 127 and with 15
    "bfloat16": ("0" + "10000001" + "0110000", 8),
    "float16": ("0" + "10001" + "0110000000", 5),
}


def shown(rows):
    return words(lambda: plots.float_bits(rows))


def cells(rows):
    """How many cells there are of each colour, row by row."""
    patches = figure_of(lambda: plots.float_bits(rows)).axes[0].patches
    return [(to_hex(p.get_facecolor()), len(p.get_path().vertices) // 5) for p in patches]


def test_each_bit_is_shown_once_and_each_field_has_its_colour():
    assert "".join(w for w in shown(FIVE_AND_A_HALF) if w in "01") == "0100000010110000" + (
        "0100010110000000"
    )
    assert [w for w in shown(FIVE_AND_A_HALF) if w not in "01"] == [
        *("bfloat16", "sign", "exponent", "digits", "float16")
    ]
    fields = [(GREY, 1), (ORANGE, 8), (BLUE, 7), (GREY, 1), (ORANGE, 5), (BLUE, 10)]
    assert cells(FIVE_AND_A_HALF) == fields


def test_a_field_of_another_width_is_seen():
    wrong = {"bfloat16": (FIVE_AND_A_HALF["bfloat16"][0], 5)}
    assert cells(wrong) != [(GREY, 1), (ORANGE, 8), (BLUE, 7)]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (("0120", 1), r"rows\['x'\] has '0120'; expected 3 to 32 zeros and ones"),
        (("0" * 33, 8), "expected 3 to 32 zeros and ones"),
        (("0" * 16, 15), r"rows\['x'\] has 15 bits of exponent; expected 1 to 14"),
    ],
)
def test_what_is_no_float_is_refused(row, told):
    with pytest.raises(ValueError, match=told):
        plots.float_bits({"x": row})
