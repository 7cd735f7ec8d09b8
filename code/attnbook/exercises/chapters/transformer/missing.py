"""Five costs, one fault · medium · 6 min

Hints
1. What does each token leave open? With nothing missing, `a` and `b` cost ln 10 each, and the rest
   costs nothing.
2. Ask of each model what it cannot tell apart: two positions, two texts, all of them? There it must
   answer alike.
3. Whoever knows the last token alone finds a digit in three positions, and after it another digit,
   `=` or `.`, each a third of the time.

Why
A says the same everywhere: three of five targets are digits, 3/50 for each, which costs 2.8, and
`=` and `.` cost ln 5. B can't tell the order of `a` and `b`, which costs 0.8 ln 2 for `c`. C has seen
what nobody can guess. D knows the last token alone: after a digit `=` and `.` cost ln 3, and `b`
ln 30. E knows the position, too, but not the digits.

Notice
Five costs of a model with a fault are a diagnosis, if you know what each of them can be at best.
"""

import math
from collections import Counter, defaultdict
from itertools import product

from attnbook.exercises.engine import predict

COSTS = {
    "A": (2.8, 2.8, 1.6, 2.8, 1.6),
    "B": (2.3, 2.3, 0, 0.6, 0),
    "C": (0, 0, 0, 0, 0),
    "D": (2.3, 3.4, 1.1, 2.3, 1.1),
    "E": (2.3, 2.3, 0, 2.3, 0),
}
TEXTS = [("−", a, b, "=", (a - b) % 10, ".") for a, b in product(range(10), repeat=2)]


def least_costs(view):
    """Of the five questions, for a model that answers alike whatever looks the same to it."""
    asked = [(view(text[:i], text[i]), text[i], i - 1) for text in TEXTS for i in range(1, 6)]
    targets = defaultdict(Counter)
    for seen, target, _ in asked:
        targets[seen][target] += 1
    costs = [0.0] * 5
    for seen, target, i in asked:
        costs[i] -= math.log(targets[seen][target] / targets[seen].total()) / len(TEXTS)
    return costs


def missing():
    """The model of each row: its least costs are those of the row."""
    views = {
        1: lambda seen, target: (seen[-1], len(seen)),
        2: lambda seen, target: frozenset(Counter(seen).items()),
        3: lambda seen, target: seen[-1],
        4: lambda seen, target: target,
        5: lambda seen, target: None,
    }
    least = {model: least_costs(view) for model, view in views.items()}

    def nearest(row):
        return min(least, key=lambda model: math.dist(least[model], row))

    return [nearest(row) for row in COSTS.values()]


MISTAKES = """
A and D: after `−` comes `a`, for certain a digit. Whoever sees a token knows that, and pays ln 10.
    [3, 2, 4, 5, 1]
A: `a` costs more than ln 10, so this model doesn't know that a digit comes after `−`.
    at 0: 1 || 2 || 3 || 4
B: 0.6 for `c` is less than ln 10, so this model has read the digits, but not their order.
    at 1: 1 || 3 || 4 || 5
C: this model knows even `a` and `b`, which no token before them tells.
    at 2: 1 || 2 || 3 || 5
D: `b` costs more than ln 10, so this model doesn't know that a digit comes after `a`.
    at 3: 1 || 2 || 4 || 5
E: after `−ab` it is sure of `=`, so it knows the position, but `c` costs what a guess costs.
    at 4: 2 || 3 || 4 || 5
"""

exercise = predict(missing, MISTAKES, stated=[5, 2, 4, 3, 1])
