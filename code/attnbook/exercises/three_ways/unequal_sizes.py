"""A causal mask that is left out where there are fewer queries than keys."""

import numpy as np

from attnbook.exercises.break_it import Break, Miss
from attnbook.exercises.solutions import three_ways as solutions
from attnbook.masks import causal_mask
from attnbook.operation import describe


def mask_for_new_words(n_q, n_k):
    """The wrong version that the exercise shows."""
    if n_q == n_k:
        return np.tri(n_q, dtype=bool)
    return np.ones((n_q, n_k), dtype=bool)  # new words see all that is known


def right_mask(n_q, n_k):
    """The last query stands at the last key."""
    return causal_mask(n_q, n_k)


def _allowed(n_q, n_k):
    for name, size in {"n_q": n_q, "n_k": n_k}.items():
        if type(size) is not int or not 1 <= size <= 100:
            return f"{name} is {describe(size)}; expected a whole number from 1 to 100."
    if n_q > n_k:
        return f"there are {n_q} new words among {n_k}; n_q can be at most n_k."
    return None


unequal = Break(
    name="three_ways.unequal",
    title="New words beside known ones",
    level="easy",
    minutes=5,
    wrong=mask_for_new_words,
    right=right_mask,
    allowed=_allowed,
    solution_of=solutions.unequal,
    hints=(
        "For which numbers does the wrong version hide nothing at all?",
        "One new word stands last and may see all. What about the first of two new words?",
    ),
    explanation=(
        "Where sizes differ the wrong version shows everything. One new word may indeed see every "
        "key. The first of two may not: the second new word is its future. A model that writes "
        "one word at a time never shows the fault; one that takes in several at once does."
    ),
    misconceptions=(
        Miss(
            (1, 1),
            lambda n_q, n_k: n_q == n_k == 1,
            "one word has neither past nor future: both masks are a single True.",
        ),
        Miss(
            (5, 5),
            lambda n_q, n_k: n_q == n_k,
            "with as many queries as keys the wrong version draws the whole triangle.",
        ),
        Miss(
            (1, 5),
            lambda n_q, n_k: n_q == 1,
            "a single new word stands at the last key and may see all: here nothing has to be "
            "hidden.",
        ),
    ),
    notice=(
        "Tests of causal attention need n_q = n_k, n_q = 1 and something between: here a leak "
        "lives only there."
    ),
)
