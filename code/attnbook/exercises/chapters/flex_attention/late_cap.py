"""A cap after the mask · easy · 4 min

Hints
1. What is cap · tanh(−∞ / cap)?
2. A hidden key gets the score −cap. Which caps leave it a weight that can be seen?

Why
The hidden key has the score −∞ and, bent, −2: its weight is exp(−2) over the sum, and its value 8
is in the output.

Notice
So a soft-cap comes before the mask, in FlexAttention too: there a score_mod is done before the
mask_mod. If a score_mod does the hiding, it has to come after the cap.
"""

import functools

import numpy as np

from attnbook import reference
from attnbook.exercises.engine import break_it, describe

SCORES, VALUES = np.log([[1.0, 3.0, 4.0]]), np.array([[0.0], [4.0], [8.0]])


def late_cap():
    """The last key is hidden, and gets the score −2."""
    mask = [True, True, False]
    cap = 2.0
    return mask, cap


def cap_then_mask(mask, cap):
    capped = cap * np.tanh(SCORES / cap)
    return reference.softmax(np.where(mask, capped, -np.inf)) @ VALUES


def mask_then_cap(mask, cap):
    masked = np.where(mask, SCORES, -np.inf)
    return reference.softmax(cap * np.tanh(masked / cap)) @ VALUES


def to_four_decimals(version):
    """A difference that nobody sees in the output is none."""

    @functools.wraps(version)
    def call(mask, cap):
        return np.round(version(np.array(mask, bool), cap), 4)

    return call


def are_three_and_a_cap(mask, cap):
    if not isinstance(mask, np.ndarray) or mask.shape != (3,) or not np.isin(mask, (0, 1)).all():
        return f"mask is {describe(mask)}; expected three booleans."
    if isinstance(cap, bool) or not isinstance(cap, (int, float)) or not 1e-6 <= cap <= 1e6:
        return f"cap is {describe(cap)}; expected a number from 0.000001 to 1,000,000."
    return None


MISTAKES = """
no key is hidden, and what is visible is bent in both.
    [True, True, True], 2.0
    if mask.all()
the key that leaks has the value 0 and next to no weight: lower the cap.
    [False, True, True], 40.0
    if mask[1] and mask[2] and cap > 8
exp(−cap) is next to nothing for so large a cap: lower it.
    [True, True, False], 1000.0
    if cap > 8
what leaks has on average the value that comes out without it: hide other keys.
    [False, True, False], 2.0
    if True
"""

exercise = break_it(
    late_cap,
    MISTAKES,
    broken=mask_then_cap,
    right=cap_then_mask,
    through=to_four_decimals,
    allowed=are_three_and_a_cap,
    stated=([[2.9242]], [[3.1025]]),
)
