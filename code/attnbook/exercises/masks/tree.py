"""A mask on a tree: a node sees itself and its ancestors."""

import numpy as np

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import masks as solutions
from attnbook.exercises.write import Write, case


def _without_a_root(parents):
    mask = np.eye(len(parents), dtype=bool)
    for i, parent in enumerate(parents):
        mask[i] |= mask[parent]
    return mask


def _parent_only(parents):
    return np.eye(len(parents), dtype=bool) | (parents[:, None] == np.arange(len(parents)))


tree_mask = Write(
    name="masks.tree_mask",
    title="Ancestors in a tree",
    level="medium",
    minutes=8,
    solution_of=solutions.tree_mask,
    explanation=(
        "A node sees itself and whatever its parent sees. A parent comes before its children, so "
        "its row is finished when a child takes it over. On a chain this is the causal mask."
    ),
    hints=(
        "np.eye(n, dtype=bool) shows every node itself. Go through the nodes in order.",
        "A node sees what its parent sees: row i gets row parents[i] as well, by |.",
        "A root has the parent -1, and mask[-1] is the last row: leave roots alone.",
    ),
    misconceptions=(
        Misconception(
            _without_a_root,
            "a root takes over the row of index -1, which NumPy reads as the last node.",
        ),
        Misconception(
            _parent_only,
            "only the parent is seen: its own ancestors are ancestors too.",
        ),
        Misconception(
            lambda parents: solutions.tree_mask(parents) & ~np.eye(len(parents), dtype=bool),
            "the diagonal is lost: a node may look at itself.",
        ),
        Misconception(
            lambda parents: solutions.tree_mask(parents).T,
            "the mask is transposed, and a node sees its descendants: rows are queries.",
        ),
        Misconception(
            lambda parents: solutions.causal_mask(len(parents), len(parents)),
            "this is the causal mask: a node must not see the other branches.",
        ),
        Misconception(
            lambda parents: (
                solutions.tree_mask(parents) | (parents[:, None] == parents) & (parents >= 0)
            ),
            "nodes with the same parent see each other: a sibling is no ancestor.",
        ),
        Misconception(
            lambda parents: ~solutions.tree_mask(parents),
            "the polarity is inverted: True = may look.",
        ),
        Misconception(
            lambda parents: solutions.tree_mask(parents).astype(float),
            "these are the numbers 1.0 and 0.0; a mask is boolean.",
        ),
    ),
    notice="Several continuations of one text fit into one sequence, and none sees another.",
    cases=(
        case(parents=np.array([-1])),
        case(parents=np.array([-1, 0])),
        case(parents=np.array([-1, 0, 0])),
        case(parents=np.array([-1, 0, 1])),
        case(parents=np.array([-1, -1, 0])),
        case(parents=np.array([-1, 0, 0, 1, 1, 2])),
        case(parents=np.array([-1, 0, 1, -1, 3, 3, 5, 0])),
        case(parents=np.array([-1, *np.arange(40) // 3])),
    ),
)
