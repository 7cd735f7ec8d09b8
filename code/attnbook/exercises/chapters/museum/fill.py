"""The price of a fill · easy · 4 min

Hints
1. Weights depend on differences of scores only: subtract −10000 − ln 2 from all three.
2. The scores become 0, ln 2 and ln 2. Which exponentials are these?

Why
The fill lies ln 2 above the visible score, so each of the two hidden exponentials is twice the
visible one, and the three are as 1, 2 and 2. The visible key gets 1/5, and the hidden ones 4/5 together.

Notice
However low a fill is, it hides only as well as it lies below the visible scores, and here it lies
above.
"""

import numpy as np

from attnbook.exercises.engine import predict


def fill():
    """The weight of a visible key, ln 2 below a fill that two hidden keys share."""
    exp = np.exp([0, np.log(2), np.log(2)])
    return float(exp[0] / exp.sum())


MISTAKES = """
so it should be, but nothing is hidden: a finite fill is a score.
    1
the fill is only ln 2 above the visible score, not 5000: the weight is not 0.
    0
this takes all three scores for equal, or counts one hidden key alone: the exponentials are 1, 2 and
2.
    1 / 3
you turned the ratio round: the fill is the *larger* score.
    1 / 2
one hidden key is missing, and the ratio is turned round.
    2 / 3
this is what the two hidden keys take together.
    4 / 5
this is the weight of one hidden key.
    2 / 5
this is the sum of the exponentials: which part of it is the visible key's?
    5
ln 2 is a difference of scores: exponentiate it first.
    1 / (1 + 2 * np.log(2))
this is the visible score; its weight lies between 0 and 1.
    -10000 - np.log(2)
this is the difference of the scores: exponentiate, and divide.
    np.log(2)
the exponentials are 1 and twice 2: the visible key has the 1.
    3 / 4
the sum 1 + 2 + 2 is right; the visible key has the exponential 1.
    3 / 5
each hidden exponential is twice the visible one: 1, 2 and 2.
    1 / 7
twice too large a step: exp(ln 2) is 2, not 4.
    1 / 9
the visible exponential is missing in the sum 1 + 2 + 2.
    1 / 4
"""

exercise = predict(fill, MISTAKES, stated=1 / 5, atol=0.001)
