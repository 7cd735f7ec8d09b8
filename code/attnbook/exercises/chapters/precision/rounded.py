"""Round to a given number of digits · medium · 12 min

Hints
1. With m between 1/2 and 1, the first binary digit behind its point is the 1 that floats do not
   store. How many digits behind the point has m, if `digits` come after that 1?
2. Multiply m by a power of two, so that the digits to keep stand in front of the point; round; then
   put the number together with the exponent that this leaves.
3. `np.round` sends a tie to the even whole number.

Why
np.frexp writes x as m · 2ᵉ with m between 1/2 and 1. Multiplied by 2^(digits + 1), m has its
`digits` + 1 digits in front of the point. np.round then rounds to whole numbers and sends ties to
the even one, and np.ldexp divides by the same power again. If m is rounded up to 1, the result is
the next power of two, which needs no care.

Notice
With 7 digits this agrees with bfloat16 wherever that has normal numbers. A format adds only the end
of its range: ∞ above, and even steps below.
"""

import math
from fractions import Fraction

import numpy as np

from attnbook.exercises.engine import case, stress, write


def rounded(x, digits):
    """x with `digits` binary digits after the point."""
    m, e = np.frexp(x)
    return np.ldexp(np.round(np.ldexp(m, digits + 1)), e - digits - 1)


def by_steps(x, digits):
    """The number in steps, each the power of two below it over 2^digits."""
    e = np.frexp(x)[1] - 1
    step = 2.0 ** (e - digits)
    return np.round(x / step) * step


def by_fractions(x, digits):
    """One number after another, exactly; Python's round sends ties to the even one, too."""

    def one(number):
        if number == 0:
            return 0.0
        exact, step = Fraction(number), Fraction(2) ** (math.frexp(number)[1] - 1 - digits)
        return float(round(exact / step) * step)

    return np.array([one(number) for number in x.ravel().tolist()]).reshape(x.shape)


rng = np.random.default_rng(18)

CASES = (
    case(x=np.array([257.0]), digits=7, gives=np.array([256.0])),
    case(x=np.array([259.0, 261.0]), digits=7, gives=np.array([260.0, 260.0])),
    case(x=np.array([5.5, -19.0, 0.0]), digits=3, gives=np.array([5.5, -20.0, 0.0])),
    case(x=np.array([2049.0, 0.75]), digits=10, gives=np.array([2048.0, 0.75])),
    case(x=np.array([0.1, -0.3]), digits=7),
    case(x=rng.standard_normal((2, 3)), digits=2),
    case(x=rng.standard_normal((3, 4)) * 1000, digits=10),
    case(x=np.array([1.0, 2.0, 4.0, 0.5, -8.0]), digits=4, gives=np.array([1, 2, 4, 0.5, -8])),
    stress(x=np.array([511.5, -0.999, 1.9999]), digits=7, gives=np.array([512.0, -1.0, 2.0])),
    stress(x=np.array([1e-200, -3e200]), digits=7),
    stress(x=rng.standard_normal(4), digits=23),
    stress(x=np.array([1.25, 2.5, 5.0, -7.0]), digits=1, gives=np.array([1.0, 2.0, 4.0, -8.0])),
)

MISTAKES = """
the rest is cut off, not rounded: a number just below a float falls to the one before it.
    np.round( → np.trunc(
    np.round( → np.floor(
a tie goes to the neighbour whose last digit is 0, and not always up: np.round knows that rule.
    np.round(np.ldexp(m, digits + 1)) → np.floor(np.ldexp(m, digits + 1) + 0.5)
    np.round(np.ldexp(m, digits + 1)) → np.trunc(np.ldexp(m, digits + 1) + np.copysign(0.5, m))
m lies between 1/2 and 1, so that its first digit is the 1 that is not stored: it has one digit more
than `digits`.
    np.ldexp(m, digits + 1)), e - digits - 1 → np.ldexp(m, digits)), e - digits
that is one digit too many: the 1 in front of the point is one, and `digits` follow it.
    np.ldexp(m, digits + 1)), e - digits - 1 → np.ldexp(m, digits + 2)), e - digits - 2
these are decimal digits; a float counts binary ones.
    = np.round(x, digits)
the step is the same for every number here; a float's step doubles with each power of two.
    = np.round(x * 2.0**digits) / 2.0**digits
the exponent that is put back is another one than was taken out: what went in must come out.
    e - digits - 1 → e - digits
    e - digits - 1 → e
numpy's own float16 has 10 digits, whatever `digits` says, and an end of its range.
    = x.astype(np.float16).astype(np.float64)
the largest exponent of all was taken; each number has its own.
    digits + 1)), e - digits - 1 → digits + 1) * 2.0 ** (e - np.max(e))), np.max(e) - digits - 1
"""

exercise = write(rounded, CASES, MISTAKES, drafts=(by_steps,), to_the_bit=True, oracle=by_fractions)
