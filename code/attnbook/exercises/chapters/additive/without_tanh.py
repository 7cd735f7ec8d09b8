"""The tanh is lost · easy · 5 min

Hints
1. Without its tanh the score is (a number of the query) + (a number of the key). Which of the two
   does the softmax ignore?
2. So the first answer needs no computation. For the second: what happens to a key's number when the
   key is doubled?
3. The differences of the keys' numbers are ln 3 and ln 4; doubled they are ln 9 and ln 16.

Why
The query adds one number to its whole row, and softmax ignores that: 1/8, 3/8, 4/8 for every query.
The keys' numbers double with the keys, so the exponentials are squared: 1, 9 and 16, out of 26.

Notice
Such a layer runs, and its weights favour some keys. Only two queries side by side show that it
does not listen.
"""

import numpy as np

from attnbook.exercises.engine import predict


def without_tanh():
    """The weights of a very different query, and those of doubled keys: only keys count."""
    exps = np.array([[1.0, 3.0, 4.0], [1.0, 3.0**2, 4.0**2]])
    return exps / exps.sum(axis=-1, keepdims=True)


EIGHTHS, SQUARED = [1 / 8, 3 / 8, 4 / 8], [1 / 26, 9 / 26, 16 / 26]

MISTAKES = """
the query is not doubled in the first case, and softmax ignores what it adds.
    [SQUARED, SQUARED]
the rows are in the wrong order: the other query comes first.
    [SQUARED, EIGHTHS]
these are percentages: the weights of a row sum to 1.
    [[12.5, 37.5, 50], [100 / 26, 900 / 26, 1600 / 26]]
these are the exponentials: divided by their sum, 8 or 26, they are weights.
    [[1, 3, 4], [1, 9, 16]]
a large query saturates a tanh, but there is none: it adds one number to its row.
    at 0: [1 / 3, 1 / 3, 1 / 3]
a large query does not sharpen a sum: it adds the same number to every score.
    at 0: [0, 0, 1] || [1, 0, 0]
a query with another sign does not turn the order round: it is added, not multiplied.
    at 0: [12 / 19, 4 / 19, 3 / 19] || EIGHTHS[::-1]
the query cancels, the keys do not: doubled keys double the differences of the scores.
    at 1: EIGHTHS
doubled keys double the scores' differences; that squares the ratios, no more.
    at 1: [0, 0, 1]
doubling a score squares its exponential: 3 becomes 9, not 6.
    at 1: [1 / 15, 6 / 15, 8 / 15] || [2 / 11, 4 / 11, 5 / 11] || [1 / 92, 27 / 92, 64 / 92]
no tanh saturates: doubled keys differ twice as much.
    at 1: [1 / 3, 1 / 3, 1 / 3]
"""

exercise = predict(
    without_tanh, MISTAKES, stated=[[0.125, 0.375, 0.5], [0.0385, 0.3462, 0.6154]], atol=0.006
)
