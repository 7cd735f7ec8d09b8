"""How numbers are written in figures: short, with a true minus sign."""

import numpy as np

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def in_cells(numbers):
    """The numbers of one panel, with as few decimals as make all exact, up to three; else with two.

    Whole numbers have none: 0 and 0.00 differ.
    """
    numbers = np.asarray(numbers)
    small = numbers[np.abs(numbers) < 10]
    decimals = next((n for n in (1, 2, 3) if all(_same(x, round(x, n)) for x in small)), 2)
    return np.vectorize(lambda x: _in_cell(x, decimals), otypes=[object])(numbers)


def _in_cell(x, decimals):
    if not np.isfinite(x):
        return _not_finite(x)
    if abs(x) >= 1e5:
        return _exponent(f"{x:.0e}")
    decimals = 0 if x == round(x) or abs(x) >= 100 else 1 if abs(x) >= 10 else decimals
    return f"{x + 0.0:.{decimals}f}".replace("-0.00", "0.00").replace("-", "−")  # −0 is written 0


def beside_bar(x):
    """Three significant digits, fewer where they say all, and every digit of a whole number."""
    if not np.isfinite(x):
        return _not_finite(x)
    if 1000 <= abs(x) < 1e6 or (x == round(x) and abs(x) < 1e6):
        return _exponent(f"{x:.0f}")
    short = f"{x:.3g}"
    return _exponent(short if _same(x, float(short)) else f"{x:#.3g}".rstrip("."))


def _same(x, y):
    """Whether they differ by no more than the roundings of a computation in float32."""
    return abs(x - y) <= 1e-6 * abs(x)


def _not_finite(x):
    return "NaN" if np.isnan(x) else "∞" if x > 0 else "−∞"


def _exponent(text):
    digits, _, exponent = text.partition("e")
    return (f"{digits}e{int(exponent)}" if exponent else digits).replace("-", "−")


def on_axis(numbers):
    """All plain, as 0.01 and 1000, or if that is long for one of them, all as powers of ten."""
    if all(x == 0 or 1e-3 <= abs(x) < 1e5 for x in numbers):
        return [f"{x:g}".replace("-", "−") for x in numbers]
    return [_power(x) if x else "0" for x in numbers]


def _power(x):
    digits, _, exponent = f"{x:e}".partition("e")
    power = f"10{str(int(exponent)).translate(RAISED)}"
    factor = f"{float(digits):g}".replace("-", "−")
    return power if factor == "1" else f"−{power}" if factor == "−1" else f"{factor}·{power}"
