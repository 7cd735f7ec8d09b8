"""Two keys that say the same · easy · 6 min

Hints
1. With all three keys the average is 0.45 · 8 + 0.45 · 8 + 0.1 · 0 = 7.2.
2. Without the first key the weights 0.45 and 0.1 are divided by their sum, 0.55.
3. Without the third only eights are left. Without the first two only the 0 is left.

Why
Without the first key the average is 0.45 · 8/0.55 = 6.55, which is 0.65 less than 7.2. Without the
third it is 8, which is 0.8 more. Without the first two it is 0, which is 7.2 less.

Notice
Where two keys say the same, each can stand in for the other, so removing one of them hardly shows.
The key with the smallest weight has the largest effect here.
"""

import numpy as np

from attnbook.exercises.engine import predict


def redundant():
    """How far the average moves without the first key, the third, and the first two."""
    weights, values = np.array([0.45, 0.45, 0.1]), np.array([8.0, 8.0, 0.0])
    kept = np.array([[0, 1, 1], [1, 1, 0], [0, 0, 1]]) * weights
    without = kept / kept.sum(axis=1, keepdims=True) @ values
    return abs(weights @ values - without).tolist()


MISTAKES = """
the weights that are left are divided by their sum: 0.45 of 0.55 lies on the second key then.
    [3.6, 0.8, 7.2] || [3.6, 0, 7.2] || [0.65, 0, 7.2]
the two keys have the same value, but without one of them the third has more weight than before.
    [0, 0.8, 7.2]
with the third key gone only eights are left, so the average is 8.
    [0.65, 0.1, 7.2] || [0.65, 0.72, 7.2]
without the first two there is only the third key, whose value is 0.
    [0.65, 0.8, 1.31] || [0.65, 0.8, 1.3] || [0.65, 0.8, 6.4] || [0.65, 0.8, 0]
a distance has no sign: how far the average moves is never below 0.
    [-0.65, 0.8, -7.2] || [0.65, -0.8, 7.2]
the weights that are left keep their proportions: they are divided by their sum, and not made equal.
    [3.2, 0.8, 7.2]
these are the averages; how far are they from 7.2?
    [6.55, 8, 0]
"""

exercise = predict(redundant, MISTAKES, stated=[0.6545, 0.8, 7.2], atol=0.006)
