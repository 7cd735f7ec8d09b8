"""What can't be told apart · medium · 8 min

Hints
1. Without positions `a−b=` and `b−a=` are the same to the model. Do the two have the same answer?
2. There are 10 texts with a = b, and 45 pairs of two texts that can't be told apart.
3. 6a + b and 6b + a end in the same digit where 5(a - b) is a multiple of 10.

Why
The sum is the same both ways, so nothing is lost: 100. The first digit is right for the 10 texts
with a = b, and in one of two for each of the 45 pairs: 55. For 6a + b the pairs whose difference is
even agree: 20 pairs with both texts right, 25 with one of two, and the 10: 75.

Notice
A task that a model solves without a part says nothing about that part. To test whether positions
work, the order has to matter.
"""

from collections import Counter, defaultdict
from itertools import product

from attnbook.exercises.engine import predict


def alike():
    """Of 100 texts, how many are right at best where those of the same digits are answered alike."""
    tasks = lambda a, b: a + b, lambda a, b: a, lambda a, b: (6 * a + b) % 10
    right = []
    for task in tasks:
        groups = defaultdict(Counter)
        for a, b in product(range(10), repeat=2):
            groups[frozenset((a, b))][task(a, b)] += 1
        right.append(sum(max(answers.values()) for answers in groups.values()))
    return right


MISTAKES = """
the sum is the same in either order: no answer is lost.
    [60, 55, 75] || [55, 55, 75] || [50, 55, 75]
where a = b there is only one text, and its first digit is known.
    [100, 50, 75] || [100, 45, 75]
one of two texts that can't be told apart is still right: the model gives both the same answer.
    [100, 10, 50] || [100, 10, 75] || [100, 55, 50]
60 is the number for a - b, which agrees for digits that are 5 apart. Here others agree.
    [100, 60, 75] || [100, 55, 60]
6a + b and 6b + a differ by 5(a - b), which ends in 0 wherever the digits differ by an even number.
    [100, 55, 55] || [100, 55, 100]
the first digit can't be read without positions: nothing says which of the two it is.
    [100, 100, 75]
"""

exercise = predict(alike, MISTAKES, stated=[100, 55, 75])
