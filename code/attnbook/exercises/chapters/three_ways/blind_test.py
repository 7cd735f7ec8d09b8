"""A test that looks at one word · medium · 8 min

Hints
1. Which entries of a 4 × 4 mask show the future? Which of them does the test see?
2. The test changes word 3, so it sees column 3 of the mask, above the diagonal.
3. Start from causal_mask(4, 4) and make one other entry above the diagonal True.

Why
The test sees the mask's last column alone. Query 0 may look at key 1, its future, and nothing that
happens to word 3 shows it. Three words can leak, 1, 2 and 3, and each has to be changed.

Notice
The last word alone is enough to find a mask that is inverted as a whole. To look for every leak,
change every word. Even then standing still is evidence and no proof: if query 0 sees key 1, and
words 0 and 1 are (−9, −9, −9) and (9, 9, 9), the leak has the weight 1e-122, and no earlier row
moves.
"""

import numpy as np

from attnbook.exercises.engine import a_mask, break_it
from attnbook.masks import causal_mask
from attnbook.reference import scaled_dot_product_attention


def blind_test():
    """Causal, but query 0 sees key 1; the last key stays hidden from all earlier queries."""
    mask = causal_mask(4, 4)
    mask[0, 1] = True
    return mask


WORDS = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -1.0], [1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])


def leaks(mask):
    changed = WORDS.copy()
    changed[3] += [1.0, 2.0, 3.0]
    before, after = (scaled_dot_product_attention(x, x, x, mask=mask) for x in (WORDS, changed))
    return bool(np.any(before[:3] != after[:3]))


def leaks_anywhere(mask):
    """Whether a change of any word moves a row before it."""
    before = scaled_dot_product_attention(WORDS, WORDS, WORDS, mask=mask)
    for t in range(4):
        changed = WORDS.copy()
        changed[t] += [1.0, 2.0, 3.0]
        after = scaled_dot_product_attention(changed, changed, changed, mask=mask)
        if np.any(before[:t] != after[:t]):
            return True
    return False


def future(mask):
    return np.triu(mask, 1)


MISTAKES = """
this mask hides everything, so nothing can move.
    np.zeros((4, 4), dtype=bool)
    if not mask.any()
this mask shows no future, and the test is right to find none: make an entry above the diagonal
True.
    causal_mask(4, 4)
    if not future(mask).any()
every row before it sees word 3, the one that the test changes: it finds this leak.
    np.ones((4, 4), dtype=bool)
    if mask[:3, 3].all()
a row before it sees word 3, the one that the test changes: it finds this leak. Let an earlier word
leak instead.
    causal_mask(4, 4) | np.eye(4, k=3, dtype=bool)
    if future(mask)[:, 3].any()
"""

exercise = break_it(
    blind_test,
    MISTAKES,
    broken=leaks,
    right=leaks_anywhere,
    allowed=lambda mask: a_mask((4, 4), "booleans of shape (4, 4)", mask),
    stated=(True, False),
)
