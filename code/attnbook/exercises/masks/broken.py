"""A mask that is added as minus infinity."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.museum.repairs import hide_the_last, not_three
from attnbook.exercises.solutions import masks as solutions
from attnbook.reference import softmax


def add_minus_infinity(scores):
    """Softmax after −∞ was added to the last of three scores."""
    return softmax(scores + np.array([0, 0, -np.inf]))


def _three_without_nan(scores):
    if refusal := not_three(scores):
        return refusal
    if np.any(np.isnan(scores)):
        return "scores holds a NaN, which the chapter has shown already; find another way."
    return None


added = Break(
    name="masks.added",
    title="Minus infinity, added",
    level="easy",
    minutes=4,
    wrong=add_minus_infinity,
    right=hide_the_last,
    allowed=_three_without_nan,
    solution_of=solutions.added,
    explanation=(
        "∞ + (−∞) is NaN, and the sum carries it to the whole row. Finite scores, and −∞, "
        "become −∞ as they should: addition fails only where something is broken already."
    ),
    hints=(
        "The sum is right for every finite score. Which floats are not finite, beside NaN?",
        "What is inf − inf? And at which key must the inf stand to be hidden?",
    ),
    misconceptions=(
        Miss(
            (np.array([0.0, 1.0, 1e308]),),
            lambda scores: np.all(np.isfinite(scores)),
            "any finite number plus −inf is −inf, however large it is.",
        ),
        Miss(
            (np.array([0.0, 1.0, -np.inf]),),
            lambda scores: scores[2] == -np.inf and np.any(np.isfinite(scores[:2])),
            "−inf + (−inf) is −inf: this key is hidden twice, and rightly.",
        ),
        Miss(
            (np.array([-np.inf, -np.inf, 0.0]),),
            lambda scores: np.all(scores[:2] == -np.inf),
            "nothing is visible, and the package's softmax gives such a row zeros either way.",
        ),
        Miss(
            (np.array([-np.inf, 1.0, 0.0]),),
            lambda scores: np.any(scores[:2] == -np.inf),
            "a visible −inf has the weight 0 in both versions.",
        ),
        Miss(
            (np.array([np.inf, 1.0, 0.0]),),
            lambda scores: np.any(scores[:2] == np.inf),
            "this inf is visible, so both versions give NaN: it must be hidden to tell them apart.",
        ),
    ),
    notice="Replace what is hidden: then it does not matter what stood there.",
)
