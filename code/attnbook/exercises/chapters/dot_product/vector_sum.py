"""Is the vector sum a better score? · medium · 6 min

Hints
1. Split the sum: the score is (sum of the query's entries) + (sum of the key's entries).
2. In one row, the query's part is the same number for every key. What does the softmax do with a
   number that is added to a whole row?
3. The sums of the keys are 0, ln 3 and ln 4.

Why
The score is one number of the query plus one number of the key. Softmax ignores what is added to a
whole row, so both rows are softmax(0, ln 3, ln 4).

Notice
The query has cancelled: whatever it asks, the answer is the same. A vector sum ranks the keys
without asking the query, unless something that is not linear stands between the sum and the score.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.reference import softmax


def vector_sum():
    """The weights of two opposite queries when a score sums all entries of query and key."""
    q = np.array([[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])
    k = np.outer(np.log([1.0, 3.0, 4.0]), [1.0, 0.0, 0.0, 0.0])
    scores = np.sum(q[:, None, :] + k, axis=-1)
    return softmax(scores)


MISTAKES = """
both queries cancel alike: the keys differ in both rows.
    [[1 / 3, 1 / 3, 1 / 3], [1 / 8, 3 / 8, 4 / 8]] || [[1 / 8, 3 / 8, 4 / 8], [1 / 3, 1 / 3, 1 / 3]]
these are the exponentials: divide them by their sum, 8.
    [[1, 3, 4], [1, 3, 4]]
these are the weights of the dot product; here query and key are added, not multiplied.
    [[1 / 8, 3 / 8, 4 / 8], [12 / 19, 4 / 19, 3 / 19]]
the opposite query does not turn the order round: it adds -1 to every score of its row.
    [[1 / 8, 3 / 8, 4 / 8], [4 / 8, 3 / 8, 1 / 8]]
no scale is asked for: the score is the plain sum.
    [softmax(np.log([1.0, 3.0, 4.0]) / 2)] * 2
the query has no say, but the keys' sums differ: 0, ln 3, ln 4.
    [[1 / 3, 1 / 3, 1 / 3]] * 2
these are the scores; the weights are their softmax.
    [[1.0, 1 + np.log(3), 1 + np.log(4)], [-1.0, np.log(3) - 1, np.log(4) - 1]]
the keys are (s_j, 0, 0, 0) here, not (2 s_j, 0, 0, 0).
    [[1 / 26, 9 / 26, 16 / 26]] * 2
"""

exercise = predict(vector_sum, MISTAKES, stated=[[0.125, 0.375, 0.5]] * 2, atol=0.006)
