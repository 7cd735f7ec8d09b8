"""Right in all ten · easy · 5 min

Hints
1. Ten symbols are right together if the first is, and the second, and so on: what do independent
   probabilities do?
2. The second model is right if its day is. The other eight symbols never spoil a date.
3. The third model has nine right symbols of ten, and not one date without a mistake.

Why
The first is right in all ten with probability 0.98 to the power of ten, 0.817. The second has the
right one of 30 days, 1/30 = 0.033. The third has nine symbols of ten, 0.9, and no whole date: 0.

Notice
From 0.98 of the symbols to 0.817 of the dates, and from 0.9 to 0: the fraction of right symbols
alone doesn't say how many dates are right.
"""

from attnbook.exercises.engine import predict


def in_all_ten():
    """Exact match of the first and the second; symbols and exact match of the third."""
    return [0.98**10, 1 / 30, 9 / 10, 0.0]


MISTAKES = """
all ten symbols have to be right together, so the probabilities are multiplied, ten times.
    [0.98, 0.033, 0.9, 0] || [0.8, 0.033, 0.9, 0] || [9.8, 0.033, 0.9, 0]
all ten symbols of a date count for the first model.
    [0.851, 0.033, 0.9, 0] || [0.834, 0.033, 0.9, 0]
that is the chance that some symbol is wrong.
    [0.183, 0.033, 0.9, 0] || [0.817, 0.967, 0.9, 0]
the two digits of a day are one guess, among 30 days.
    [0.817, 0.1, 0.9, 0] || [0.817, 0.032, 0.9, 0] || [0.817, 0.01, 0.9, 0] || [0.817, 0.001, 0.9, 0] || [0.817, 0.067, 0.9, 0]
the second model is always right in eight symbols, but a date counts only if its day is right, too.
    [0.817, 0.8, 0.9, 0] || [0.817, 0.807, 0.9, 0]
one wrong symbol in every date: no date is right in all ten.
    [0.817, 0.033, 0.9, 0.9] || [0.817, 0.033, 0, 0.9] || [0.817, 0.033, 0.9, 0.349]
of ten symbols nine are right.
    [0.817, 0.033, 0, 0] || [0.817, 0.033, 0.1, 0]
"""

exercise = predict(in_all_ten, MISTAKES, stated=[0.8171, 0.0333, 0.9, 0.0], atol=0.0008)
