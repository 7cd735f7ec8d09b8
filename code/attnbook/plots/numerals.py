"""How numbers are written in figures: short, with a true minus sign."""

from math import isclose

import numpy as np

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def in_cell(x):
    """Exact where three decimals are enough, else with two: 0 and 0.00, 0.5 and 0.50 differ."""
    if not np.isfinite(x):
        return _not_finite(x)
    if abs(x) >= 1e5:
        return _exponent(f"{x:.0e}")
    if abs(x) < 10 and isclose(x, round(x, 3), rel_tol=1e-15):  # 0.3 may be off in its last bit
        return f"{x + 0.0:.5g}".replace("-", "−")  # −0 is written 0
    decimals = 0 if x == round(x) or abs(x) >= 100 else 1 if abs(x) >= 10 else 2
    return f"{x:.{decimals}f}".replace("-0.00", "0.00").replace("-", "−")


def beside_bar(x):
    """Three significant digits, fewer where they say all, and every digit of a whole number."""
    if not np.isfinite(x):
        return _not_finite(x)
    if 1000 <= abs(x) < 1e6 or (x == round(x) and abs(x) < 1e6):
        return _exponent(f"{x:.0f}")
    short = f"{x:.3g}"
    says_all = isclose(x, float(short), rel_tol=1e-6)  # but for the roundings of float32
    return _exponent(short if says_all else f"{x:#.3g}".rstrip("."))


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
