"""Ancestors in a tree · medium · 8 min

Hints
1. Under np.eye(n, dtype=bool) each word sees itself. Begin with it, and go through the words in order.
2. A word sees what the word before it sees: row i gets row parents[i] as well, by |.
3. A first word has the parent -1, and mask[-1] is the last row: leave such rows alone.

Why
A word sees itself and whatever its parent sees. A parent comes before its children, so its row is
finished when a child takes it over. On a chain this is the causal mask.

Notice
Several continuations of one text fit into one sequence, and none sees another.
"""

import numpy as np

from attnbook.exercises.engine import case, write


def tree_mask(parents):
    """True where key j is node i itself or one of its ancestors; a root has the parent -1."""
    mask = np.eye(len(parents), dtype=bool)
    for i, parent in enumerate(parents):
        if parent >= 0:
            mask[i] |= mask[parent]
    return mask


def walked(parents):
    """Each word walks up to its first word, and marks where it passes."""
    mask = np.zeros((len(parents), len(parents)), dtype=bool)
    for i in range(len(parents)):
        j = i
        while j != -1:
            mask[i, j] = True
            j = parents[j]
    return mask


CASES = (
    case(parents=np.array([-1])),
    case(parents=np.array([-1, 0]), gives=np.array([[True, False], [True, True]])),
    case(parents=np.array([-1, 0, 0])),
    case(parents=np.array([-1, 0, 1])),
    case(parents=np.array([-1, -1, 0])),
    case(parents=np.array([-1, 0, 0, 1, 1, 2])),
    case(parents=np.array([-1, 0, 1, -1, 3, 3, 5, 0])),
    case(parents=np.array([-1, *np.arange(40) // 3])),
)

MISTAKES = """
a first word takes over the row of index -1, which NumPy reads as the last word.
    if parent >= 0 → if True
only the parent is seen: its own ancestors are ancestors too.
    mask[i] |= mask[parent] → mask[i, parent] = True
the diagonal is lost: a word may look at itself.
    return mask → return mask & ~np.eye(len(parents), dtype=bool)
the mask is transposed, and a word sees its descendants: rows are queries.
    return mask → return mask.T
this is the causal mask: a word must not see the other branches.
    = np.tri(len(parents), dtype=bool)
words with the same parent see each other: a sibling is no ancestor.
    return mask → return mask | (parents[:, None] == parents) & (parents >= 0)
a word takes over its parent's row and loses its own: join the two with |.
    mask[i] |= → mask[i] =
the parent takes over the row of the child: it is the child that sees the parent.
    mask[i] |= mask[parent] → mask[parent] |= mask[i]
the ancestors end at the parent's parent: go on up to a first word.
    mask[i] |= mask[parent] → mask[i, [j for j in (parent, parents[parent]) if j >= 0]] = True
every word nearer to the beginning is seen: one on another branch is no ancestor.
    return mask → return (mask.sum(1) < mask.sum(1)[:, None]) | np.eye(len(parents), dtype=bool)
words that begin with the same first word all see each other: only ancestors count.
    return mask → return mask[:, parents < 0] @ mask[:, parents < 0].T
all earlier words with the same first word are seen: those on another branch are no ancestors.
    return mask → return np.tril(mask[:, parents < 0] @ mask[:, parents < 0].T)
everything is visible: a word sees itself and its ancestors only.
    np.eye → np.ones ; len(parents), → (len(parents), len(parents)),
first words are seen by themselves only: they are ancestors of all that follows them.
    if parent >= 0 → if parent >= 0 and parents[parent] >= 0
only the parent is seen, and for a first word the row -1, which is the last word's.
    = np.eye(len(parents), dtype=bool) | np.eye(len(parents), dtype=bool)[parents]
a first word sees nothing here: it sees itself.
    return mask → return mask & (parents >= 0)[:, None]
descendants are seen as well: a word sees itself and its ancestors only.
    return mask → return mask | mask.T
the polarity is inverted: True = may look.
    return mask → return ~mask
these are the numbers 1.0 and 0.0; a mask is boolean.
    return mask → return mask.astype(float)
"""

exercise = write(tree_mask, CASES, MISTAKES, oracle=walked)
