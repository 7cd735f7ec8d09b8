"""A running maximum that starts at 0, and a look at one corner of each block."""

import numpy as np

from attnbook import reference
from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import online as solutions
from attnbook.masks import causal_mask
from attnbook.online import visible_blocks
from attnbook.operation import describe


def running_from_zero(scores):
    m, l = 0.0, 0.0
    for s in scores:
        new = max(m, s)
        m, l = new, l * np.exp(m - new) + np.exp(s - new)
    return m + np.log(l)


def logsumexp_of_row(scores):
    return reference.logsumexp(np.asarray(scores, dtype=float))


def _row(scores):
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu" or scores.ndim != 1:
        return f"scores is {describe(scores)}; the check wants a list of numbers, [1, 2, 3]."
    if not 1 <= scores.size <= 8:
        return f"there are {scores.size} scores; the check wants 1 to 8."
    if not np.isfinite(scores).all():
        return "scores holds infinity or NaN; the check wants finite numbers."
    return None


start_at_zero = Break(
    name="online.start_at_zero",
    title="A maximum that starts at 0",
    level="easy",
    minutes=5,
    solution_of=solutions.start_at_zero,
    wrong=running_from_zero,
    right=logsumexp_of_row,
    allowed=_row,
    explanation=(
        "The start is a score that nobody has: every real score below it is shifted by 0, not by "
        "its own maximum. $e^{-1000}$ is 0 in a float, so $\\ell = 0$ and $L = -\\infty$, as if "
        "nothing were visible. Only −∞ is below every score, and then the first factor "
        "$e^{-\\infty - m}$ is 0, which forgets the start."
    ),
    hints=(
        "Which number is m at the end, if every score is negative?",
        "Below about -745 the exponential is 0 in a float64. What is then l, and its logarithm?",
        "One score is enough.",
    ),
    misconceptions=(
        Miss(
            ([0.0, 1000.0],),
            lambda scores: np.max(scores) >= 0,
            "the largest score is 0 or more, so the maximum is right in the end: stay below.",
        ),
        Miss(
            ([-1.0, -3.0],),
            lambda scores: np.max(scores) > -30,
            "the shift is wrong here, and harmless: the exponential of the largest score is still "
            "far above the smallest float.",
        ),
        Miss(
            ([-100.0, -900.0],),
            lambda scores: True,
            "the largest score still has an exponential above 0: let all lie further down.",
        ),
    ),
    notice="A start of −5e4 has the same flaw, further down: that is the bug of the chapter.",
)


def computed_by_the_corner(mask):
    """Blocks of 2 by 2 that are computed: those whose last query sees their first key."""
    return mask[1::2, ::2]


def computed(mask):
    """Blocks of 2 by 2 in which anything is visible."""
    return visible_blocks(mask, 2, 2)[0]


def _mask_of_four(mask):
    if not isinstance(mask, np.ndarray) or mask.shape != (4, 4):
        return f"mask is {describe(mask)}; the check wants four rows of four booleans."
    if mask.dtype != bool and not np.isin(mask, (0, 1)).all():
        return "mask should hold True and False alone."
    return None if mask.dtype == bool else "mask holds numbers; the check wants True and False."


def _shows_all(mask):
    return bool(np.all(mask))


corner = Break(
    name="online.corner",
    title="One look at each block",
    level="medium",
    minutes=6,
    solution_of=solutions.corner,
    wrong=computed_by_the_corner,
    right=computed,
    allowed=_mask_of_four,
    explanation=(
        "Under a causal mask the last query of a block sees most, and its first key is seen by "
        "most, so this corner is visible if anything is. Under a window the last query may have "
        "left the first key behind: with the diagonal alone, query 1 sees key 1 and not key 0, and "
        "the block is skipped though two of its keys are seen."
    ),
    hints=(
        "The function looks at M[1, 0], M[1, 2], M[3, 0] and M[3, 2] alone.",
        "Let something be visible in a block whose lower left corner is hidden.",
        "Which mask of Chapter 4 hides the keys that lie too far back?",
    ),
    misconceptions=(
        Miss(
            (np.zeros((4, 4), bool),),
            lambda mask: not mask.any(),
            "nothing is visible, and every block is skipped rightly.",
        ),
        Miss(
            (np.ones((4, 4), bool),),
            _shows_all,
            "everything is visible, in the corners too: hide something.",
        ),
        Miss(
            (causal_mask(4, 4),),
            lambda mask: np.array_equal(mask, causal_mask(4, 4)),
            "for the causal mask the rule was made: there the lower left corner is the last to "
            "be hidden.",
        ),
        Miss(
            (np.array([[True, True, True, False]] * 4),),
            lambda mask: bool(np.all(mask == mask[:1])),
            "all queries see the same keys, and where padding begins in a block its first key is "
            "still seen.",
        ),
        Miss(
            (np.array([[False] * 4, [True] * 4, [False] * 4, [True] * 4]),),
            lambda mask: True,
            "in every block that shows anything, the last query sees the first key: hide that "
            "corner of one.",
        ),
    ),
    notice="A rule that was proved for one mask is a bug under the next: ask all of a block.",
)
