"""Hide the middle key · easy · 3 min

Hints
1. Write down the three exponentials, and cross out the hidden one.
2. Divide what is left by the sum of what is left.

Why
Hiding the middle key leaves the exponentials 1 and 4. Their sum is 5, so the weights are 1/5, 0 and
4/5. The ratio of the two visible weights stays 1 to 4.

Notice
The visible weights keep their ratio, 1 : 4: a mask removes keys and reorders nothing.
"""

import numpy as np

from attnbook.exercises.engine import predict


def middle_hidden():
    """The weights of scores (0, ln 3, ln 4) when the middle key is hidden."""
    visible = np.array([1, 0, 4])
    return visible / visible.sum()


MISTAKES = """
the order is reversed: the last key has the larger score.
    (4 / 5, 0, 1 / 5)
the zero stands at the wrong key: the middle one is hidden.
    (1 / 5, 4 / 5, 0)
the scores differ and one is hidden: the weights are neither equal nor all above 0.
    (1 / 3, 1 / 3, 1 / 3)
softmax is not argmax: the first key is visible, and keeps its share.
    (0, 0, 1)
the hidden weight went to the last key alone: it goes in proportion, 1 : 4.
    (1 / 8, 0, 7 / 8)
these are the scores: exponentiate, and divide by the sum.
    (0, 0, np.log(4))
every key is visible: the middle one must get 0.
    (1 / 8, 3 / 8, 4 / 8)
these sum to 5/8: the hidden key is still in the denominator. Divide by 1 + 4.
    (1 / 8, 0, 4 / 8)
a score of 0 hides nothing: exp(0) = 1 takes part. Only -inf is absent.
    (1 / 6, 1 / 6, 4 / 6)
the hidden weight went to the others in equal parts; it goes in proportion, 1 : 4.
    (5 / 16, 0, 11 / 16)
you show the middle key and hide the others: True = may look.
    (0, 1, 0)
here the last key is hidden, not the middle one.
    (1 / 4, 3 / 4, 0)
these are the visible exponentials: divide them by their sum.
    (1, 0, 4)
the visible scores, 0 and ln 4, differ: so do their weights.
    (1 / 2, 0, 1 / 2)
"""

exercise = predict(middle_hidden, MISTAKES, stated=(1 / 5, 0, 4 / 5), atol=0.001)
