"""The loop that counts, found among all jumps of a listing."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import machine_code as solutions


def _listing(n, jumps, products):
    """n instructions: who jumps where, and which are matrix products."""
    target, matrix = np.full(n, -1), np.zeros(n, dtype=bool)
    for start, end in jumps.items():
        target[start] = end
    matrix[list(products)] = True
    return {"target": target, "matrix": matrix}


def _loops(target):
    return [(end, i) for i, end in enumerate(target) if 0 <= end <= i]


def _choice(key, loops=lambda target, matrix: _loops(target), holds=True):
    def hot_loop(target, matrix):
        found = loops(target, matrix)
        if holds:
            found = [loop for loop in found if matrix[loop[0] : loop[1] + 1].any()]
        return np.array(min(found, key=key))

    return hot_loop


def _length(loop):
    return loop[1] - loop[0]


def _with_forward_jumps(target, matrix):
    return [(min(i, end), max(i, end)) for i, end in enumerate(target) if end >= 0]


def _without_ends(target, matrix):
    return [(end, i) for i, end in enumerate(target) if 0 <= end < i]


def _without_place_0(target, matrix):
    return [(end, i) for i, end in enumerate(target) if 0 < end <= i]


def _around_the_first(target, matrix):
    first = np.flatnonzero(matrix)[0]
    return [(end, i) for i, end in enumerate(target) if 0 <= end <= first <= i]


def _first_around_each(target, matrix):
    places = np.flatnonzero(matrix)
    around = ([loop for loop in _loops(target) if loop[0] <= i <= loop[1]] for i in places)
    return [loops[0] for loops in around if loops]


def _most(share):
    """The loop with most products, or with the largest share of them."""

    def hot_loop(target, matrix):
        def number(loop):
            return (np.mean if share else np.sum)(matrix[loop[0] : loop[1] + 1])

        return np.array(max(_loops(target), key=number))

    return hot_loop


MISTAKES = (
    Misconception(
        _most(share=False),
        "that is the loop with most products: an outer one has those of the inner ones too.",
    ),
    Misconception(
        _most(share=True),
        "that is where products stand closest: asked is the shortest loop that holds one.",
    ),
    Misconception(
        _choice(lambda loop: -_length(loop)),
        "that is the longest loop: the outer one runs the inner one many times.",
    ),
    Misconception(
        _choice(_length, holds=False),
        "that is the shortest loop of all, and it holds no product: it only waits.",
    ),
    Misconception(
        _choice(lambda loop: loop[0]), "that is the loop that begins first: it may be an outer one."
    ),
    Misconception(
        _choice(lambda loop: loop[1]),
        "that is the loop that ends first: a shorter one with a product may come later.",
    ),
    Misconception(
        _choice(lambda loop: -loop[0]),
        "that is the loop that begins last: a shorter one with a product may come before it.",
    ),
    Misconception(
        _choice(lambda loop: -loop[1]), "that is the loop that ends last: it may be an outer one."
    ),
    Misconception(
        _choice(_length, _with_forward_jumps),
        "a jump forward skips something; only a jump back makes a loop.",
    ),
    Misconception(
        _choice(_length, _without_place_0),
        "0 is a place, the first: only −1 says that an instruction jumps nowhere.",
    ),
    Misconception(
        _choice(_length, _without_ends),
        "a jump to itself is a loop, and may be the product: target[i] <= i, and both ends in.",
    ),
    Misconception(
        _choice(_length, _around_the_first),
        "that is the shortest loop around the first product: another may have a shorter one.",
    ),
    Misconception(
        _choice(_length, _first_around_each),
        "the first jump back around a product is not always the nearest: loops may overlap.",
    ),
    Misconception(
        lambda target, matrix: solutions.hot_loop(target, matrix) + np.array([0, 1]),
        "the second number is one past the loop: the jump back is its last instruction.",
    ),
    Misconception(
        lambda target, matrix: solutions.hot_loop(target, matrix) - np.array([0, 1]),
        "the jump back belongs to the loop: it is its last instruction.",
    ),
    Misconception(
        lambda target, matrix: solutions.hot_loop(target, matrix) @ [[1, -1], [0, 1]] + [0, 1],
        "the second number is the loop's length: asked is the place of its last instruction.",
    ),
    Misconception(
        lambda target, matrix: solutions.hot_loop(target, matrix)[::-1],
        "turned round: the first instruction comes first, the jump back second.",
    ),
    Misconception(
        lambda target, matrix: np.array([np.flatnonzero(matrix)[0], np.flatnonzero(matrix)[-1]]),
        "these are the first and the last product: a loop goes from a jump's target to the jump.",
    ),
    Misconception(
        _choice(lambda loop: loop[1], holds=False),
        "that is the first jump back in the listing; its loop may hold no product.",
    ),
)

hot_loop = Write(
    name="machine_code.hot_loop",
    title="Find the hot loop",
    level="hard",
    minutes=12,
    solution_of=solutions.hot_loop,
    explanation=(
        "A loop is a jump back together with all between its target and itself. Of those with a "
        "product in them the shortest lies within the others. A real listing needs more care: a "
        "wait that stands behind the end jumps back too, and makes no loop of what lies between."
    ),
    hints=(
        "Which jumps go back? Those whose target is at most their own place.",
        "From target[i] to i, both in: matrix[target[i] : i + 1].any() says if a product is there.",
        "Of the loops that are left take the shortest.",
    ),
    misconceptions=MISTAKES,
    notice="The package finds loops by which block leads to which; here the order is enough.",
    cases=(
        case(**_listing(6, {4: 1}, [2])),
        case(**_listing(9, {6: 3, 8: 1}, [4])),
        case(**_listing(10, {4: 0, 9: 1}, [2])),
        case(**_listing(12, {2: 1, 9: 4, 11: 0}, [5, 7])),
        case(**_listing(14, {3: 5, 11: 6, 13: 0}, [0, 7, 9])),
        case(**_listing(16, {1: 15, 6: 4, 12: 8, 14: 2}, [0, 9])),
        case(**_listing(16, {3: 8, 10: 2, 13: 12, 15: 1}, [5, 9, 14])),
        case(**_listing(21, {5: 1, 12: 10, 19: 7}, [2, 11])),
        case(**_listing(22, {5: 3, 12: 0, 20: 15}, [4, 17])),
        case(**_listing(23, {6: 3, 19: 11}, [4, 12, 13, 14, 15, 16, 17, 18])),
        case(**_listing(20, {4: 4, 12: 5, 17: 14, 19: 3}, [6, 10, 19])),
        stress(**_listing(7, {5: 0, 6: 4}, [4])),
        stress(**_listing(9, {2: 2, 8: 4}, [2, 6])),
        stress(**_listing(300, {250: 200, 299: 10}, [220, 290])),
    ),
)
