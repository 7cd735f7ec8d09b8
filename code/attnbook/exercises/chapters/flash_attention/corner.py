"""2. One look at each tile · medium · 6 min

Hints
1. The function looks at M[1, 0], M[1, 2], M[3, 0] and M[3, 2] alone.
2. Let something be visible in a block whose lower left corner is hidden.
3. Which mask of the chapter on masks hides the keys that lie too far back?

Why
Under a causal mask the last query of a block sees most, and its first key is seen by most, so this
corner is visible if anything is. Under a window the last query may have left the first key behind:
with the diagonal alone, query 1 sees key 1 and not key 0, and the block is skipped though two of
its keys are seen.

Notice
A rule that was proved for one mask is a bug under the next: ask all of a block.
"""

import numpy as np

from attnbook.arguments import describe
from attnbook.exercises.engine.module import break_it
from attnbook.masks import causal_mask
from attnbook.online import visible_blocks


def corner():
    """The diagonal alone: in each block on it, the last query does not see the first key."""
    return np.eye(4, dtype=bool)


def computed_by_the_corner(mask):
    """Blocks of 2 by 2 that are computed: those whose last query sees their first key."""
    return mask[1::2, ::2]


def computed(mask):
    """Blocks of 2 by 2 in which anything is visible."""
    return visible_blocks(mask, 2, 2)[0]


def is_mask_of_four(mask):
    if not isinstance(mask, np.ndarray) or mask.shape != (4, 4):
        return f"mask is {describe(mask)}; the check wants four rows of four booleans."
    if mask.dtype != bool and not np.isin(mask, (0, 1)).all():
        return "mask should hold True and False alone."
    return None if mask.dtype == bool else "mask holds numbers; the check wants True and False."


MISTAKES = """
nothing is visible, and every block is skipped rightly.
    np.zeros((4, 4), bool)
    if not mask.any()
everything is visible, in the corners too: hide something.
    np.ones((4, 4), bool)
    if mask.all()
for the causal mask the rule was made: there the lower left corner is the last to be hidden.
    causal_mask(4, 4)
    if np.array_equal(mask, causal_mask(4, 4))
all queries see the same keys, and where padding begins in a block its first key is still seen.
    np.array([[True, True, True, False]] * 4)
    if np.all(mask == mask[:1])
in every block that shows anything, the last query sees the first key: hide that corner of one.
    np.array([[False] * 4, [True] * 4] * 2)
    if True
"""

exercise = break_it(
    corner,
    MISTAKES,
    broken=computed_by_the_corner,
    right=computed,
    allowed=is_mask_of_four,
    stated=([[True, False], [False, True]], [[False, False], [False, False]]),
)
