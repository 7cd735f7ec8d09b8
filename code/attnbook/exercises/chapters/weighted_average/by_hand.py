"""1. Three weights by hand · easy · 2 min

Hints
1. What do the three affinities sum to?
2. Divide each affinity by that sum: these are the weights.

Why
The weights are 2/4, 1/4 and 1/4; the output is 0 · 2/4 + 4 · 1/4 + 8 · 1/4 = 3.

Notice
Only the ratios of the affinities matter: 20, 10, 10 would give the same 3.
"""

import numpy as np

from attnbook.exercises.engine.module import predict


def by_hand():
    """Affinities 2, 1, 1 sum to 4."""
    weights = np.array([2, 1, 1]) / 4
    return weights @ np.array([0.0, 4.0, 8.0])


MISTAKES = """
8 is the value of the last key alone: each key has weight.
    8
1 is the share of the second key alone: the third adds its own.
    1
2 is the share of the third key alone: the second adds its own.
    2
the output was divided once more: the weights 2/4, 1/4 and 1/4 sum to 1 already.
    3 / 4
12 is the sum of affinity times value: divide the affinities by their sum first.
    12
4 is the plain average, and 12 over the number of keys: divide by the sum of the affinities.
    4
0 is the value of the best key alone: the other two keys have weight as well.
    0
5 gives the weight 2/4 to the last key: it belongs to the first.
    5
5.5 belongs to the affinities 1, 3 and 4; here they are 2, 1 and 1.
    5.5
6 averages the last two keys alone, or divides by 2: all three have weight, and the affinities sum
to 4.
    6
2.54 belongs to the softmax of 2, 1 and 1: these are affinities already, and only have to be divided
by their sum.
    12 / (np.e + 2)
"""

exercise = predict(by_hand, MISTAKES, stated=3, atol=0.005)
