"""Minus infinity, added · easy · 4 min

Hints
1. The sum is right for every finite score. Which floats are not finite, apart from NaN?
2. What is inf − inf? And at which key must the inf stand to be hidden?

Why
∞ + (−∞) is NaN, and the sum carries it to the whole row. Finite scores become −∞ as they should, and
so does −∞: addition fails only where something is broken already.

Notice
Replace what is hidden: then it does not matter what stood there.
"""

import numpy as np

from attnbook.exercises.engine import break_it
from attnbook.exercises.families.three_scores import hide_the_last, not_three
from attnbook.reference import softmax


def added():
    """Scores whose hidden one is infinite."""
    return np.array([0.0, 1.0, np.inf])


def add_minus_infinity(scores):
    """Softmax after −∞ was added to the last of three scores."""
    return softmax(scores + np.array([0, 0, -np.inf]))


def is_three_without_nan(scores):
    if refusal := not_three(scores):
        return refusal
    if np.any(np.isnan(scores)):
        return "scores holds a NaN, which the chapter has shown already; find another way."
    return None


MISTAKES = """
any finite number plus −inf is −inf, however large it is.
    [0.0, 1.0, 1e308]
    if np.all(np.isfinite(scores))
−inf + (−inf) is −inf: this key is hidden twice, and rightly.
    [0.0, 1.0, -np.inf]
    if scores[2] == -np.inf and np.any(np.isfinite(scores[:2]))
nothing is visible, and the package's softmax gives such a row zeros either way.
    [-np.inf, -np.inf, 0.0]
    if np.all(scores[:2] == -np.inf)
a visible −inf has the weight 0 in both versions.
    [-np.inf, 1.0, 0.0]
    if np.any(scores[:2] == -np.inf)
this inf is visible, so both versions give NaN: it must be hidden to tell them apart.
    [np.inf, 1.0, 0.0]
    if np.any(scores[:2] == np.inf)
"""

exercise = break_it(
    added,
    MISTAKES,
    broken=add_minus_infinity,
    right=hide_the_last,
    allowed=is_three_without_nan,
    stated=([0.2689, 0.7311, 0], [np.nan, np.nan, np.nan]),
)
