"""How far scores spread · easy · 5 min

Hints
1. The variance of one product of independent entries with mean 0 is the product of their variances.
2. The variances of 1024 independent products add up.
3. The standard deviation is the square root of that sum; the scale divides it by √1024 = 32.

Why
One product has variance 9. The sum of 1024 of them has variance 9216 and standard deviation 96.
Dividing by √1024 = 32 leaves 3.

Notice
The scale repairs the effect of the width alone. Large queries still make large scores, and with
them a model can sharpen its weights.
"""

import numpy as np

from attnbook.exercises.engine import predict


def spread():
    """Standard deviation of the scores, without and with the scale 1/√d_k."""
    d_k, spread_q, spread_k = 1024, 3, 1
    unscaled = d_k**0.5 * spread_q * spread_k
    return np.array([unscaled, unscaled / d_k**0.5])


MISTAKES = """
the first is the width itself; the variance of a sum is 1024 · 9, and its root 96.
    [1024, 3]
√1024 alone leaves the queries out: their entries are ±3.
    [32, 3] || [32, 1]
the scale divides by 32: 96 / 32 is left.
    [96, 32]
the second is right; without the scale nothing divides the sum of 1024 products by 32.
    [3, 3]
3² is the variance of the entries: a standard deviation takes 3 itself, 3 · 32.
    [288, 3] || [288, 9]
3 is the size of a query's entry: the variance of the entries is 9.
    [55.43, 1.73]
the scale undoes the width and nothing else: the 3 stays in.
    [96, 1]
9216 and 9 are variances; a standard deviation is the square root of one.
    [9216, 9] || [9216, 3] || [96, 9]
this divides by d_k = 1024; the scale is 1/√d_k = 1/32.
    [96, 0.09375]
standard deviations do not add up; variances do.
    [3072, 96]
the two numbers are in the wrong order: without the scale comes first.
    [3, 96]
"""

exercise = predict(spread, MISTAKES, stated=[96, 3], atol=0.05)
