"""Three programs, one cell · medium · 6 min

Hints
1. The cell holds what the last store leaves: the part of that program, added to what it had loaded.
2. A program may have loaded 0, or what any other program had stored until then.
3. The sum is right if each program stores before the next one loads. In how many orders of the three
   programs can they do that?

Why
Whoever stores last leaves its own part, on top of a chain of programs each of which loaded what the
one before it had stored; the others are lost. Any of the three may be lost, and any two, but never
all of them: so every sum of one, two or three parts can come out, 1 to 7. The sum is 7 only if the
programs follow one another, in one of 3 · 2 · 1 = 6 orders.

Notice
With two programs a third of the orders were right, with three it is one in fifteen; and an
interpreter, which runs one program after the other, shows only these.
"""

from itertools import permutations

import attnbook.kernels  # before Triton
from attnbook.exercises.engine import predict


def three_programs():
    """The smallest result, how many different ones there are, and how many orders give 7."""
    results = []
    for order in set(permutations((1, 1, 2, 2, 4, 4))):
        cell, loaded = 0, {}
        for part in order:  # each program has another part
            if part in loaded:
                cell = loaded[part] + part
            else:
                loaded[part] = cell
        results.append(cell)
    return [min(results), len(set(results)), results.count(7)]


MISTAKES = """
the parts of two programs may add up while the third is lost: 3, 5 and 6 come out as well.
    [1, 4, 6] || [1, 3, 6]
the cell is never 0 at the end: whoever stores last has added its own part.
    [0, 8, 6] || [0, 7, 6]
the last to store may be the program with the smallest part, and it may have loaded 0.
    [4, 7, 6] || [2, 7, 6] || [3, 7, 6] || [4, 4, 6]
nobody says which program comes first: one after another they can follow in six orders.
    [1, 7, 1] || [1, 7, 3]
of the orders of two programs a third was right; with three programs nothing is lost only if each of
them stores before the next one loads, and that is rarer.
    [1, 7, 30] || [1, 7, 45]
six steps in any order are too many to count: a program loads before it stores, which leaves 90 of
the orders.
    [1, 7, 48] || [1, 7, 720]
these are the orders in which something is lost; the question asks for the others.
    [1, 7, 84]
"""

exercise = predict(three_programs, MISTAKES, stated=[1, 7, 6])
