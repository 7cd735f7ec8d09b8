"""Find the hot loop · hard · 12 min

Hints
1. Which jumps go back? Those whose target is at most their own index.
2. matrix[target[i] : i + 1].any() says whether a product stands from target[i] to i, both included.
3. Take the shortest of the loops that are left.

Why
A loop is a jump back together with everything between its target and itself. We want the innermost
one that does the work, so we take the shortest that contains a product. A real listing needs more
care, because a wait that stands behind the end jumps back too, and what lies between is no loop.

Notice
The package asks which block can follow which; here the order of the instructions is enough.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def hot_loop(target, matrix):
    """The first and the last instruction of the shortest loop that holds a matrix product."""
    jumps = np.flatnonzero((target >= 0) & (target <= np.arange(target.size)))
    loops = [(target[i], i) for i in jumps if matrix[target[i] : i + 1].any()]
    return np.array(min(loops, key=lambda loop: loop[1] - loop[0]))


def from_the_shortest(target, matrix):
    """All places that lie as far apart, then those that lie one further, until a loop is found."""
    for length in range(target.size):
        for end in range(length, target.size):
            start = end - length
            if target[end] == start and any(matrix[start : end + 1]):
                return np.array([start, end])


def listing(n, jumps, products):
    """n instructions: who jumps where, and which are matrix products."""
    target, matrix = np.full(n, -1), np.zeros(n, dtype=bool)
    target[list(jumps)] = list(jumps.values())
    matrix[products] = True
    return {"target": target, "matrix": matrix}


CASES = (
    case(**listing(6, {4: 1}, [2]), gives=np.array([1, 4])),
    case(**listing(9, {6: 3, 8: 1}, [4]), gives=np.array([3, 6])),
    case(**listing(10, {4: 0, 9: 1}, [2])),
    case(**listing(12, {2: 1, 9: 4, 11: 0}, [5, 7])),
    case(**listing(14, {3: 5, 11: 6, 13: 0}, [0, 7, 9])),
    case(**listing(16, {3: 8, 10: 2, 13: 12, 15: 1}, [5, 9, 14])),
    case(**listing(21, {5: 1, 12: 10, 19: 7}, [2, 11])),
    case(**listing(23, {6: 3, 19: 11}, [4, 12, 13, 14, 15, 16, 17, 18])),
    stress(**listing(7, {5: 0, 6: 4}, [4])),
    stress(**listing(9, {2: 2, 8: 4}, [2, 6])),
    stress(**listing(300, {250: 200, 299: 10}, [220, 290])),
)

MISTAKES = """
that is the loop with most products, or the one where they stand closest together; we are looking
for the shortest loop that contains one.
    min(loops, key=lambda loop: loop[1] - loop[0]) → max(loops, key=lambda loop: np.sum(matrix[loop[0] : loop[1] + 1]))
    min(loops, key=lambda loop: loop[1] - loop[0]) → max(loops, key=lambda loop: np.mean(matrix[loop[0] : loop[1] + 1]))
that is the shortest loop of all, or the first: such a loop may hold no product, and only wait.
    if matrix[target[i] : i + 1].any() →
    loop[1] - loop[0] → loop[1] ; if matrix[target[i] : i + 1].any() →
that is the loop that begins or ends first, or last; a shorter one with a product may stand
elsewhere.
    loop[1] - loop[0] → loop[0] || -loop[1] || loop[1] || -loop[0]
a jump forward skips something; only a jump back makes a loop.
    & (target <= np.arange(target.size)) → ; (target[i], i) → sorted((target[i], i)) ; target[i] : i + 1 → min(target[i], i) : max(target[i], i) + 1
0 is the index of the first instruction; only −1 says that an instruction does not jump.
    target >= 0 → target > 0
that is the shortest loop around the first product; another product may stand in a shorter one.
    matrix[target[i] : i + 1].any() → target[i] <= np.argmax(matrix) <= i
the first jump back around a product is not always the nearest: loops may overlap.
    [(target[i], i) for i in jumps if matrix[target[i] : i + 1].any()] → [loop for p in np.flatnonzero(matrix) for loop in [(target[i], i) for i in jumps if target[i] <= p <= i][:1]]
the second number is the index of the jump back, which is the last instruction of the loop.
    = hot_loop(target, matrix) + [0, 1] || hot_loop(target, matrix) - [0, 1]
    = hot_loop(target, matrix) @ [[1, -1], [0, 1]] + [0, 1]
these are the first and the last product: a loop goes from a jump's target to the jump.
    = np.flatnonzero(matrix)[[0, -1]]
"""

exercise = write(hot_loop, CASES, MISTAKES, oracle=from_the_shortest)
