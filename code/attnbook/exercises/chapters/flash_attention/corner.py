"""One look at each tile · medium · 6 min

Hints
1. The function looks only at M[1, 0], M[1, 2], M[3, 0] and M[3, 2].
2. Let something be visible in a tile whose lower left corner is hidden.
3. Which mask of the chapter on masks hides the keys that lie too far back?

Why
Under a causal mask the last query of a tile sees most, and its first key is seen by most, so this
corner is visible if anything in the tile is. Under a window the last query may have left the first
key behind: if each query sees only its own key, query 1 sees key 1 but not key 0, and the tile is
skipped although two of its pairs are visible.

Notice
A shortcut that is right for one mask is a bug under the next: look at all of a tile.
"""

import numpy as np

from attnbook.exercises.engine import a_mask, break_it
from attnbook.masks import causal_mask
from attnbook.online import visible_blocks


def corner():
    """The diagonal alone: in each tile on it, the last query does not see the first key."""
    return np.eye(4, dtype=bool)


def computed_by_the_corner(mask):
    """Tiles of 2 by 2 that are computed: those whose last query sees their first key."""
    return mask[1::2, ::2]


def computed(mask):
    """Tiles of 2 by 2 in which anything is visible."""
    return visible_blocks(mask, 2, 2)[0]


MISTAKES = """
nothing is visible, so every tile is skipped rightly.
    np.zeros((4, 4), bool)
    if not mask.any()
everything is visible, the corners too: hide something.
    np.ones((4, 4), bool)
    if mask.all()
the shortcut was made for the causal mask: there the lower left corner is the last to be hidden.
    causal_mask(4, 4)
    if np.array_equal(mask, causal_mask(4, 4))
all queries see the same keys, and a tile in which padding begins still shows its first key.
    np.array([[True, True, True, False]] * 4)
    if np.all(mask == mask[:1])
in every tile that shows anything the last query sees the first key: hide that corner of a tile.
    np.array([[False] * 4, [True] * 4] * 2)
    if True
"""

exercise = break_it(
    corner,
    MISTAKES,
    broken=computed_by_the_corner,
    right=computed,
    allowed=lambda mask: a_mask((4, 4), "four rows of four booleans", mask),
    stated=([[True, False], [False, True]], [[False, False], [False, False]]),
)
