"""As sharp as it gets · hard · 10 min

Hints
1. A hidden unit lies between -1 and 1. What is the largest score that w_v allows, and the smallest?
2. The largest weight belongs to a key with the largest score while the other seven have the
   smallest.
3. Its weight is exp(c) / (exp(c) + 7 exp(-c)) with c = |1| + |-1| + |0.5|.

Why
No score is above c = 2.5 or below −2.5. One key at the top and seven at the bottom give exp(c) /
(exp(c) + 7 exp(−c)) = 1 / (1 + 7 exp(−5)) = 0.955. Only infinite inputs reach it.

Notice
More keys make it worse: with 1000 of them the best weight is 0.13. A dot product has no such
ceiling.
"""

import numpy as np

from attnbook.exercises.engine import predict


def sharpest():
    """The limit of the largest of 8 weights: one key at +bound, the others at -bound."""
    bound = np.abs([1.0, -1.0, 0.5]).sum()
    return 1 / (1 + 7 * np.exp(-2 * bound))


MISTAKES = """
0.5 is the sum of w_v with its signs, or an even share of two: neither is the limit.
    0.5
the other seven add up: their exponential counts 7 times, not 1/7.
    1 / (1 + np.exp(-5) / 7)
7/8 is what the other seven share where all are equal.
    7 / 8
this takes 3 for the largest score; the third unit counts half: 2.5.
    1 / (1 + 7 * np.exp(-6))
this is the exponential of the largest score; divide by the sum of all eight.
    np.exp(2.5)
the scores are bounded, so their softmax cannot come as near to 1 as you like.
    1
this adds up w_v with its signs; a unit may be -1 where w_v is negative, so the sizes add up.
    1 / (1 + 7 * np.exp(-1))
this leaves the other scores at 0; they can sink as far as the first can rise.
    1 / (1 + 7 * np.exp(-2.5))
one unit alone gives this; all three can point the same way.
    1 / (1 + 7 * np.exp(-2))
there are 8 keys in all, so 7 others, not 8.
    1 / (1 + 8 * np.exp(-5))
this is for two keys; 7 others share in the sum, not one.
    1 / (1 + np.exp(-5))
this takes 1.5 for the largest score; all units can add up, to 1 + 1 + 1/2.
    1 / (1 + 7 * np.exp(-3))
this leaves out the unit with 1/2: it counts as well.
    1 / (1 + 7 * np.exp(-4))
w_v is added up with its signs, and the other scores stay at 0: neither is the limit.
    1 / (1 + 7 * np.exp(-0.5))
this is the largest ratio of two weights; give the weight.
    np.exp(5) || 148 || 148.4 || 148.41
this is the largest score; its weight is asked for.
    2.5
this bends the largest score alone; a weight needs all eight.
    np.tanh(2.5) || 1 / (1 + np.exp(-2.5))
this is the largest step between two scores; give the weight.
    5
this is what the other seven get; the largest gets the rest.
    7 / (7 + np.exp(5))
this is the weight of each where all scores are equal: the smallest.
    1 / 8
this is a percentage: a weight lies between 0 and 1.
    95.5 || 95.496
this is near; give three decimals.
    0.95 || 0.96
"""

exercise = predict(sharpest, MISTAKES, stated=0.955, atol=0.0006)
