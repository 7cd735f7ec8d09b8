"""Three weights by hand · easy · 2 min

Hints
1. The exponential of a score is an affinity. What are the three affinities?
2. What do the affinities sum to? Divide each of them by that sum: these are the weights.

Why
The affinities are 3, 1 and 6, because $e^0 = 1$, and they sum to 10. The weights are 3/10, 1/10 and
6/10, and the output is 0 · 3/10 + 4 · 1/10 + 8 · 6/10 = 5.2.

Notice
Take ln 3 off all three scores, and you get the same 5.2: only the ratios of the affinities matter.
"""

import numpy as np

from attnbook.exercises.engine import predict


def by_hand():
    """Scores ln 3, 0 and ln 6 have the affinities 3, 1 and 6, which sum to 10."""
    weights = np.array([3, 1, 6]) / 10
    return weights @ np.array([0.0, 4.0, 8.0])


MISTAKES = """
8 is the value of the best key alone: the other two keys have weight as well.
    8
4 is the plain average of the values: here the keys have different weights.
    4
4.8 is what the third key adds: the second key adds something, too.
    4.8
0.4 is what the second key adds: the third key adds something, too.
    0.4
5.33 gives the affinity 0 to the second key, but its score is 0, and e to the power 0 is 1.
    48 / 9
4.96 divides the scores by their sum: take the exponential of each score first.
    8 * np.log(6) / np.log(18)
52 is the sum of affinity times value: divide the affinities by their sum first.
    52
this is 52 divided by the number of keys: divide by the sum of the affinities, 10.
    52 / 3
0.52 was divided by 10 twice: the weights 3/10, 1/10 and 6/10 sum to 1 already.
    0.52
2.8 gives the largest weight to the first key: it belongs to the third.
    2.8
7.6 takes the exponential twice: the exponentials of the scores are 3, 1 and 6, and they only have
to be divided by their sum.
    (4 * np.e + 8 * np.e**6) / (np.e**3 + np.e + np.e**6)
5.5 belongs to the affinities 1, 3 and 4: here they are 3, 1 and 6.
    5.5
6 averages the last two values alone: all three keys have weight, and not the same.
    6
"""

exercise = predict(by_hand, MISTAKES, stated=5.2, atol=0.005)
