"""A mask on a tree of words: a word sees itself and its ancestors."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case
from attnbook.exercises.solutions import masks as solutions


def _without_a_root(parents):
    mask = np.eye(len(parents), dtype=bool)
    for i, parent in enumerate(parents):
        mask[i] |= mask[parent]
    return mask


def _own(parents):
    return np.eye(len(parents), dtype=bool)


def _with(start=np.eye, roots=lambda parent: parent < 0, join=np.logical_or):
    def mask(parents):
        found = start(len(parents)).astype(bool)
        for i, parent in enumerate(parents):
            if not roots(parent):
                found[i] = join(found[i], found[parent])
        return found

    return mask


def _children_taken_over(parents):
    mask = np.eye(len(parents), dtype=bool)
    for i, parent in enumerate(parents):
        if parent >= 0:
            mask[parent] |= mask[i]
    return mask


def _by_depth(parents):
    depth = solutions.tree_mask(parents).sum(axis=1)
    return (depth < depth[:, None]) | np.eye(len(parents), dtype=bool)


def _two_generations(parents):
    mask = _parent_only(parents)
    return (mask & (parents >= 0)[:, None]) @ mask | mask


def _same_tree(parents):
    mask = solutions.tree_mask(parents)
    roots = mask[:, parents < 0]
    return roots @ roots.T


def _parent_only(parents):
    return np.eye(len(parents), dtype=bool) | (parents[:, None] == np.arange(len(parents)))


tree_mask = Write(
    name="masks.tree_mask",
    title="Ancestors in a tree",
    level="medium",
    minutes=8,
    solution_of=solutions.tree_mask,
    explanation=(
        "A word sees itself and whatever its parent sees. A parent comes before its children, so "
        "its row is finished when a child takes it over. On a chain this is the causal mask."
    ),
    hints=(
        "np.eye(n, dtype=bool) shows every word itself. Go through the words in order.",
        "A word sees what the word before it sees: row i gets row parents[i] as well, by |.",
        "A first word has the parent -1, and mask[-1] is the last row: leave such rows alone.",
    ),
    misconceptions=(
        Misconception(
            _without_a_root,
            "a first word takes over the row of index -1, which NumPy reads as the last word.",
        ),
        Misconception(
            _parent_only,
            "only the parent is seen: its own ancestors are ancestors too.",
        ),
        Misconception(
            lambda parents: solutions.tree_mask(parents) & ~np.eye(len(parents), dtype=bool),
            "the diagonal is lost: a word may look at itself.",
        ),
        Misconception(
            lambda parents: solutions.tree_mask(parents).T,
            "the mask is transposed, and a word sees its descendants: rows are queries.",
        ),
        Misconception(
            lambda parents: solutions.causal_mask(len(parents), len(parents)),
            "this is the causal mask: a word must not see the other branches.",
        ),
        Misconception(
            lambda parents: (
                solutions.tree_mask(parents) | (parents[:, None] == parents) & (parents >= 0)
            ),
            "words with the same parent see each other: a sibling is no ancestor.",
        ),
        Misconception(
            _with(roots=lambda parent: parent <= 0),
            "word 0 is left out: 0 is a parent like any other, and only -1 means a first word.",
        ),
        Misconception(
            _with(join=lambda own, parent: parent),
            "a word takes over its parent's row and loses its own: join the two with |.",
        ),
        Misconception(
            _children_taken_over,
            "the parent takes over the row of the child: it is the child that sees the parent.",
        ),
        Misconception(
            _two_generations,
            "the ancestors end at the parent's parent: go on up to a first word.",
        ),
        Misconception(
            _by_depth,
            "every word nearer to the beginning is seen: one on another branch is no ancestor.",
        ),
        Misconception(
            _same_tree,
            "words that begin with the same first word all see each other: only ancestors count.",
        ),
        Misconception(
            lambda parents: _same_tree(parents) & np.tri(len(parents), dtype=bool),
            "all earlier words with the same first word are seen: those on another branch are no "
            "ancestors.",
        ),
        Misconception(
            lambda parents: np.ones((len(parents), len(parents)), dtype=bool),
            "everything is visible: a word sees itself and its ancestors only.",
        ),
        Misconception(
            lambda parents: solutions.tree_mask(parents) & ((parents >= 0) | _own(parents)),
            "first words are seen by themselves only: they are ancestors of all that follows them.",
        ),
        Misconception(
            lambda parents: _own(parents) | _own(parents)[parents],
            "only the parent is seen, and for a first word the row -1, which is the last word's.",
        ),
        Misconception(
            lambda parents: solutions.tree_mask(parents) & (parents >= 0)[:, None],
            "a first word sees nothing here: it sees itself.",
        ),
        Misconception(
            lambda parents: solutions.tree_mask(parents) | solutions.tree_mask(parents).T,
            "descendants are seen as well: a word sees itself and its ancestors only.",
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
