r"""Take a block out again · medium · 6 min

Hints
1. In exact arithmetic the function is right, so only a rounding can make it wrong: which of its
   sums can lose something?
2. A float64 has 16 digits. What is left of $e^{s_a}$ when it is added to an $e^{s_b}$ that is much
   larger?
3. Let key b lead by so much that 1 + $e^{s_a - s_b}$ rounds to 1. $e^{-40}$ is about
   $4 \cdot 10^{-18}$.

Why
Counted in units of $e^{40}$, key b adds 1 to the sum and key a adds $4 \cdot 10^{-18}$, which is
lost when the two are added: floats near 1 are $2 \cdot 10^{-16}$ apart. When key b is subtracted
again, nothing is left, and 0/0 is NaN. If key b leads by less, something is left, but all that was
rounded away in the large sum is now counted against the small rest.

Notice
Blocks can be merged in any order, but they cannot safely be taken out again: keep the parts.
"""

import numpy as np

from attnbook.exercises.engine import break_it, real_numbers


def taken_out():
    """Key b leads by 40, and the sum of both exponentials is that of key b alone."""
    return 0.0, 40.0


def subtracted(s_a, s_b):
    """The output of key a, whose value is 4: both keys are merged, and key b, with 8, taken out."""
    top = max(s_a, s_b)
    a, b = np.exp(s_a - top), np.exp(s_b - top)
    total, weighted = a + b, a * 4 + b * 8  # both keys, merged
    return (weighted - b * 8) / (total - b)


def key_a_alone(s_a, s_b):
    return 4.0


def to_two_decimals(version):
    """What a version returns, rounded: a smaller error does not count."""

    def rounded(s_a, s_b):
        return np.round(version(s_a, s_b), 2)

    return rounded


MISTAKES = """
key a has the larger score here, so that hardly anything of it is rounded away when key b is added.
    (40.0, 0.0)
    if s_a > s_b
both keys add the same to the sum, and half of it is left when key b is taken out: that is exact.
    (3.0, 3.0)
    if s_a == s_b
key b leads, but what is left of key a in the sum of both still gives 4.00: let key b lead by more.
    (0.0, 10.0)
    if True
"""

exercise = break_it(
    taken_out,
    MISTAKES,
    broken=subtracted,
    right=key_a_alone,
    allowed=lambda s_a, s_b: real_numbers(-1000, 1000, s_a=s_a, s_b=s_b),
    through=to_two_decimals,
    stated=(4, np.nan),
)
