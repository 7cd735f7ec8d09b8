"""A very wide kernel · easy · 3 min

Hints
1. What is exp(-x) for a tiny x?
2. Three affinities that are almost equal: what are the weights?

Why
Seen through a kernel a million wide all three keys are equally near: each affinity is almost
exactly 1, each weight 1/3, and the output is the plain average of 0, 4 and 8.

Notice
A kernel that is too wide is the plain average again: the query has no influence.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.reference import softmax


def very_wide():
    """The query, compared with the keys through a kernel a million wide."""
    scores = -0.5 * ((2.5 - np.array([1.0, 2.0, 3.0])) / 1e6) ** 2
    return softmax(scores) @ np.array([0.0, 4.0, 8.0])


MISTAKES = """
8 is the value of one key alone: this kernel sees all three alike.
    8
2 averages the first two values: all three keys are equally near.
    2
5 is pulled to the nearer keys: this kernel is far too wide to tell them apart.
    5
the width only sets how fast affinities fall: it is no factor of the output.
    1e6
2.5 is the query: the output is an average of values.
    2.5
6 averages the two nearest keys: a kernel this wide cannot tell them from key 1.
    6
0 would need affinities that vanish, but exp(-x) is close to 1 for a tiny x.
    0
12 adds the three values: affinities close to 1 are divided by their sum, 3.
    12
5.07 is the output at width 1; a wider kernel levels the weights.
    5.07
"""

exercise = predict(very_wide, MISTAKES, stated=4, atol=0.005)
