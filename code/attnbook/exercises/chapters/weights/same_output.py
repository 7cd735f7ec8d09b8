"""Which rows can't be told apart? · easy · 5 min

Hints
1. The output of a row is its weighted average of 1, 3, 5 and 7.
2. Row b averages all four values evenly; in row d the products are 0.1, 1.8, 0 and 2.1.
3. Four weights are unknown. There is one equation for the output, and one for the sum of 1.

Why
Row a mixes 3 and 5 evenly, which makes 4; b makes (1 + 3 + 5 + 7)/4 = 4, and d makes 0.1 + 1.8 +
2.1 = 4. Only c makes something else, 2.25 + 1.25 = 3.5. Four unknowns with two equations leave two
directions.

Notice
Row d has most of its weight on a key that the model's own row doesn't look at.
"""

import numpy as np

from attnbook.exercises.engine import predict


def same_output():
    """The outputs of the four rows, and how many directions leave an output as it is."""
    values = np.array([1, 3, 5, 7])
    a, b = [0, 0.5, 0.5, 0], [0.25, 0.25, 0.25, 0.25]
    c, d = [0, 0.75, 0.25, 0], [0.1, 0.6, 0, 0.3]
    rows = np.array([a, b, c, d])
    return [*(rows @ values).tolist(), len(values) - 1 - 1]


MISTAKES = """
these are the right numbers in another order: the number of directions comes last.
    [2, 4, 4, 3.5, 4]
a mixes 3 and 5 evenly.
    [3, 4, 3.5, 4, 2] || [5, 4, 3.5, 4, 2] || [8, 4, 3.5, 4, 2]
b is the plain mean of 1, 3, 5 and 7. What is it?
    [4, 3.5, 3.5, 4, 2] || [4, 16, 3.5, 4, 2]
c has more weight on the 3 than on the 5, so it lies nearer to 3.
    [4, 4, 4.5, 4, 2] || [4, 4, 4, 4, 2]
the products of d are 0.1, 1.8, 0 and 2.1; add them.
    [4, 4, 3.5, 3, 2] || [4, 4, 3.5, 3.9, 2] || [4, 4, 3.5, 1.8, 2]
the weights must still sum to 1: that is an equation, too.
    [4, 4, 3.5, 4, 3]
a value here is one number, so the output is one equation, not four.
    [4, 4, 3.5, 4, 0]
there are four weights here, not three: two equations leave two directions.
    [4, 4, 3.5, 4, 1]
"""

exercise = predict(same_output, MISTAKES, stated=[4, 4, 3.5, 4, 2])
