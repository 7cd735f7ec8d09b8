"""Two other averages · easy · 6 min

Hints
1. The weights are 7/9, 1/9 and 1/9: all three words take part, and the minus has number 0.
2. The left average is (7 · 9 + 27) / 9.
3. Subtract the second average from the first. By what factor is the difference too small?

Why
(7 · 9 + 27)/9 = 10 and (9 + 7 · 27)/9 = 22. Their difference is −12, and the right one is −18, so
the factor is 18/12 = 1.5. In general it is (a + 2)/(a − 1) for the affinity a: near 1 for sharp
weights; for a = 1 both averages are equal, and no factor exists.

Notice
A model that learns its output projection can find this factor by itself.
"""

import numpy as np

from attnbook.exercises.engine import predict


def two_averages():
    """Both averages of 9 − 27 with the affinity 7, and the factor that makes them a difference."""
    numbers = np.array([9, 0, 27])
    left = np.array([7, 1, 1]) @ numbers / 9
    right = np.array([1, 1, 7]) @ numbers / 9
    return [left, right, (9 - 27) / (left - right)]


MISTAKES = """
the two averages are exchanged: that of the left number comes first.
    [22, 10, 1.5] || [22, 10, -1.5]
the minus takes part too: its affinity is 1 and its number 0, so the denominator is 7 + 1 + 1.
    [11.25, 24.75, 4 / 3]
    at 0: 11.25
    at 1: 24.75
12 is the average with equal weights; here one word has the affinity 7.
    at 0: 12
    at 1: 12
9 and 27 are the numbers themselves; the others have weight too.
    at 0: 9
    at 1: 27
these are the numbers times their affinities: divide by the sum, 9.
    at 0: 90
    at 1: 198
7 · 9 / 9 and 7 · 27 / 9 leave out the other number, whose weight is 1/9.
    at 0: 7
    at 1: 21
that is for 2 and 10; the text is 9 − 27 here.
    at 0: 24 / 9
    at 1: 72 / 9
2 is the factor of the affinity 4; here the averages lie 12 apart.
    at 2: 2
the factor turns −12 into −18, and yours turns −18 into −12: divide the other way.
    at 2: 2 / 3
32 is the sum of the averages; W_o takes their difference, −12.
    at 2: 18 / 32 || -18 / 32
both differences are negative, so the factor is positive.
    at 2: -1.5
the averages lie 12 apart and the numbers 18: some factor is needed.
    at 2: 1
the averages differ by −12; by which factor must that be multiplied to become −18?
    at 2: 12 || -12
the difference itself is −18; by which factor must 10 − 22 be multiplied to become −18?
    at 2: -18 || 18
9/7 undoes one weight; each average holds some of the other number.
    at 2: 9 / 7
"""

exercise = predict(two_averages, MISTAKES, stated=[10, 22, 1.5], atol=0.01)
