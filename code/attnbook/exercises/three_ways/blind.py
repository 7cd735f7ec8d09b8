"""A test for leaks that changes the last word only."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import three_ways as solutions
from attnbook.masks import causal_mask
from attnbook.operation import describe
from attnbook.reference import scaled_dot_product_attention

WORDS = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -1.0], [1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])


def moves_the_past(mask, t):
    """Whether a change of word t moves a row before it."""
    changed = WORDS.copy()
    changed[t] += [1.0, 2.0, 3.0]
    before = scaled_dot_product_attention(WORDS, WORDS, WORDS, mask=mask)
    after = scaled_dot_product_attention(changed, changed, changed, mask=mask)
    return bool(np.any(before[:t] != after[:t]))


def leaks(mask):
    """The wrong version that the exercise shows."""
    return moves_the_past(mask, t=3)


def leaks_anywhere(mask):
    """Every word is changed in turn."""
    return any(moves_the_past(mask, t) for t in range(4))


def _allowed(mask):
    boolean = isinstance(mask, np.ndarray) and mask.dtype == bool
    if not boolean or mask.shape != (4, 4):
        return f"mask is {describe(mask)}; expected booleans of shape (4, 4)."
    return None


def _future(mask):
    return np.triu(mask, 1)


blind_test = Break(
    name="three_ways.blind_test",
    title="A test that looks at one word",
    level="medium",
    minutes=8,
    wrong=leaks,
    right=leaks_anywhere,
    allowed=_allowed,
    solution_of=solutions.blind_test,
    hints=(
        "Which entries of a 4 × 4 mask show the future? Which of them does the test see?",
        "The test changes word 3, so it sees column 3 of the mask, above the diagonal.",
        "Start from causal_mask(4, 4) and make one other entry above the diagonal True.",
    ),
    explanation=(
        "The test sees the mask's last column alone. Query 0 may look at key 1, its future, and "
        "nothing that happens to word 3 shows it. Three words can leak, 1, 2 and 3, and each has "
        "to be changed."
    ),
    misconceptions=(
        Miss(
            (np.zeros((4, 4), dtype=bool),),
            lambda mask: not mask.any(),
            "this mask hides everything, so nothing can move.",
        ),
        Miss(
            (causal_mask(4, 4),),
            lambda mask: not _future(mask).any(),
            "this mask shows no future, and the test is right to find none: make an entry above "
            "the diagonal True.",
        ),
        Miss(
            (np.ones((4, 4), dtype=bool),),
            lambda mask: mask[:3, 3].all(),
            "every row before it sees word 3, the one that the test changes: it finds this leak.",
        ),
        Miss(
            (causal_mask(4, 4) | np.eye(4, k=3, dtype=bool),),
            lambda mask: _future(mask)[:, 3].any(),
            "a row before it sees word 3, the one that the test changes: it finds this leak. Let "
            "an earlier word leak instead.",
        ),
    ),
    notice=(
        "Chapter 5 changed only the last word, to find a mask that was inverted as a whole. To "
        "prove that a mask is causal, change every word."
    ),
)
