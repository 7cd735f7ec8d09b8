"""How numbers are written in figures: short, with a true minus sign."""

import numpy as np


def in_cell(x):
    """Two decimals at most; an exact whole number has none, so 0 and 0.00 differ."""
    if not np.isfinite(x):
        return _not_finite(x)
    if abs(x) >= 1e5:
        return _exponent(f"{x:.0e}")
    x = x + 0.0  # −0 is written 0
    decimals = 0 if x == round(x) or abs(x) >= 100 else 1 if abs(x) >= 10 else 2
    return f"{x:.{decimals}f}".replace("-0.00", "0.00").replace("-", "−")


def beside_bar(x):
    """Three significant digits, and all of a whole number's."""
    if not np.isfinite(x):
        return _not_finite(x)
    whole = 1000 <= abs(x) < 1e6 or (x == round(x) and abs(x) < 1e6)
    return _exponent(f"{x:.0f}" if whole else f"{x:#.3g}".rstrip("."))


def _not_finite(x):
    return "NaN" if np.isnan(x) else "∞" if x > 0 else "−∞"


def _exponent(text):
    digits, _, exponent = text.partition("e")
    return (f"{digits}e{int(exponent)}" if exponent else digits).replace("-", "−")


def on_axis(x):
    """As short as can be: 0.01, 1000, 1e−8."""
    return _exponent(f"{x:g}")
