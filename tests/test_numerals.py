"""Numbers in figures are written short, and say no digit that is not there."""

import numpy as np
import pytest

from attnbook.plots.numerals import beside_bar, in_cells, on_axis

PANELS = {
    (0.5, -1.5): ["0.5", "−1.5"],
    (1 / 8, 3 / 8 + 2**-53, 0): ["0.125", "0.375", "0"],
    (np.float32(0.1), 0.1 + 0.2, np.nextafter(0.3, 0)): ["0.1", "0.3", "0.3"],
    (1 / 3, 0.5, 1): ["0.33", "0.50", "1"],
    (0.9999, 0.0041, -0.0001, 1e-13, -0.0): ["1.00", "0.00", "0.00", "0.00", "0"],
    (1 - 1e-14, 1 / 3): ["1.00", "0.33"],
    (2.004, 12.34, -123.4): ["2.004", "12.3", "−123"],
    (65504, -1e9, np.nan, -np.inf): ["65504", "−1e9", "NaN", "−∞"],
    (99999, 1e5): ["99999", "1e5"],
}


@pytest.mark.parametrize(("numbers", "texts"), PANELS.items())
def test_the_numbers_of_a_panel_have_as_many_decimals_and_whole_ones_none(numbers, texts):
    assert in_cells([numbers]).tolist() == [texts]


BARS = {0: "0", 3: "3", 12345.6: "12346", -2.5e-7: "−2.5e−7", 1.001e-9: "1.00e−9"}
BARS |= {123.4: "123", 999999.4: "999999", 1e6: "1e6"}
BARS |= {0.7: "0.7", 0.6999: "0.700", 0.1 + 0.2: "0.3", 4.8: "4.8", np.float32(0.7): "0.7"}


def test_numbers_beside_bars_are_written_short():
    assert {x: beside_bar(x) for x in BARS} == BARS


def test_the_numbers_of_an_axis_are_written_in_one_way():
    assert on_axis([0.001, 99999, 0, -2.5]) == ["0.001", "99999", "0", "−2.5"]
    assert on_axis([9e-4, 1, 0.5, -1]) == ["9·10⁻⁴", "10⁰", "5·10⁻¹", "−10⁰"]
