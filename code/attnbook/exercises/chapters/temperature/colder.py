"""Half the temperature · easy · 5 min

Hints
1. Dividing by 1/2 doubles each score. What happens to its exponential?
2. e^(2s) is the square of e^s: square the affinities 1, 3 and 4.
3. Divide 1, 9 and 16 by their sum.

Why
Dividing the scores by 1/2 doubles them, and $e^{2 s} = (e^s)^2$: the affinities 1, 3 and 4 become
1, 9 and 16. Their sum is 26, so the weights are 1/26, 9/26 and 16/26, or 0.04, 0.35 and 0.62.

Notice
Halving the temperature squares the ratios of the weights, so the leader gains on all the others.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.reference import softmax


def colder():
    """At T = 1/2 every affinity is squared."""
    affinities = np.array([1.0, 3.0, 4.0]) ** 2
    return affinities / affinities.sum()


MISTAKES = """
the last two are exchanged: the larger score has the larger weight.
    np.array([1, 16, 9]) / 26
the affinities are cubed: dividing by 1/2 squares them.
    np.array([1, 27, 64]) / 92
that is the limit of a large T: at T = 1/2 the weights are sharper.
    np.array([1, 1, 1]) / 3
these are the scores over T: their softmax is asked for.
    np.log([1, 3, 4]) * 2
the sum is that of T = 1: divide by 1 + 9 + 16.
    np.array([1, 9, 16]) / 8
these are the weights at T = 1: adding a number to all scores cancels, dividing them by a number
does not.
    np.array([1, 3, 4]) / 8
these are the weights at T = 2: dividing the scores by 1/2 makes them larger.
    np.sqrt([1, 3, 4]) / np.sqrt([1, 3, 4]).sum()
half of each weight does not sum to 1: T divides the scores, before the exponential.
    np.array([1, 3, 4]) / 16
twice each weight does not sum to 1: T divides the scores, before the exponential.
    np.array([1, 3, 4]) / 4
that is the limit of T going to 0: at T = 1/2 the other keys still have weight.
    [0, 0, 1]
these are the affinities: divide them by their sum, 26.
    [1, 9, 16]
the affinities are doubled: dividing by 1/2 squares them.
    [2, 6, 8]
the affinities were exponentiated once more: they are the e^s already.
    softmax(np.array([1.0, 3.0, 4.0])) || softmax(np.array([2.0, 6.0, 8.0]))
these are the scores divided by their sum: the exponential is missing.
    np.log([1, 3, 4]) / np.log(12)
the order is reversed: the last key has the largest score.
    np.array([16, 9, 1]) / 26
"""

exercise = predict(colder, MISTAKES, stated=[0.0385, 0.3462, 0.6154], atol=0.006)
