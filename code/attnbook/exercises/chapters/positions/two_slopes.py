"""ALiBi in two heads · easy · 4 min

Hints
1. The slopes shrink by the same factor from head to head, beginning with that factor. What is the
   factor if there are four heads?
2. The slopes of the first two heads are 1/4 and 1/16. How many steps is each key away from the
   query, whichever way one walks?
3. The distances are 16, 0 and 32, so in the first head the penalties are 4, 0 and 8.

Why
For four heads the factor is $2^{-8/4} = 1/4$, so the first two slopes are 1/4 and 1/16. The keys are
16, 0 and 32 steps away from position 20. In the first head this subtracts 4, 0 and 8 from the scores
5, 3 and 4, and in the second only 1, 0 and 2.

Notice
Without the penalty the first key would lead, with 5. In the first head it falls behind the key at
the query's own position, and in the second it still leads: the slope decides how far a head looks.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.reference import softmax


def two_slopes():
    """The slope times the distance is subtracted, in the first two of four heads."""
    slopes = 2.0 ** (-8 * np.array([[1], [2]]) / 4)
    distances = np.abs(20 - np.array([4, 20, 52]))
    return np.array([5, 3, 4]) - slopes * distances


SCORES, AT = np.array([5, 3, 4]), np.array([4, 20, 52])
BACK, FAR = 20 - AT, np.abs(20 - AT)
FOUR, EIGHT, TWO = (2.0 ** (-8 * np.array([[1], [2]]) / heads) for heads in (4, 8, 2))

MISTAKES = """
the rows are exchanged: the first head comes first, and its slope is the largest.
    two_slopes()[::-1]
    (SCORES + FOUR * FAR)[::-1] || (SCORES - FOUR * BACK)[::-1] || (SCORES + FOUR * BACK)[::-1]
these are the penalties: subtract them from the scores 5, 3 and 4.
    FOUR * FAR || -FOUR * FAR || FOUR * BACK || -FOUR * BACK
the penalty is added: the farther a key is, the less it should score.
    SCORES + FOUR * FAR
    at 0: SCORES + FAR / 4
    at 1: SCORES + FAR / 16
the last key gains what it should lose: ALiBi subtracts for a distance on either side.
    SCORES - FOUR * BACK
    at 0: SCORES - BACK / 4
    at 1: SCORES - BACK / 16
the first key gains what it should lose: ALiBi subtracts for a distance on either side.
    SCORES + FOUR * BACK
    at 0: SCORES + BACK / 4
    at 1: SCORES + BACK / 16
nothing is subtracted from the last key: without a mask the query sees it.
    SCORES - FOUR * np.maximum(BACK, 0)
nothing is subtracted from the first key: it is not at the query's position.
    SCORES - FOUR * np.maximum(-BACK, 0)
the last key is hidden here, but there is no mask: ALiBi extends to keys on the right of the query.
    [[1, 3, -np.inf], [4, 3, -np.inf]]
    [[1, 3, 0], [4, 3, 0]]
the distance is counted from the beginning of the text: count it from the query, at position 20.
    SCORES - FOUR * AT
    SCORES + FOUR * AT
the distance is counted in keys: count it in positions, 20 − 4 for the first key.
    SCORES - FOUR * [1, 0, 1]
    SCORES - FOUR * [2, 1, 0]
    SCORES - FOUR * [0, 1, 2]
these are the slopes of eight heads: with four heads, even the first slope is smaller.
    SCORES - EIGHT * FAR || SCORES + EIGHT * FAR || SCORES - EIGHT * BACK || SCORES + EIGHT * BACK
    -EIGHT * FAR || EIGHT * FAR
both heads have the same slope: from head to head it shrinks by the same factor.
    SCORES - FAR / [[8], [8]] || SCORES - FAR / [[2], [2]] || SCORES - FAR / [[32], [32]]
the first slope is 1/2 here, as with eight heads: with four heads it is smaller.
    at 0: SCORES - FAR / 2
the first slope is 1/8 here: with four heads it is larger.
    at 0: SCORES - FAR / 8
    [[3, 3, 0], [4, 3, 0]]
the first slope is 1/16 here: with four heads it is larger.
    at 0: SCORES - FAR / 16
these are the slopes of two heads: with four heads, even the first slope is larger.
    SCORES - TWO * FAR || SCORES + TWO * FAR || SCORES - TWO * BACK || SCORES + TWO * BACK
    -TWO * FAR || TWO * FAR
the second slope is 1/8 here: with four heads, the slope shrinks faster from head to head.
    at 1: SCORES - FAR / 8
    [[1, 3, 0], [3, 3, 0]]
the second slope is 1/4 here: with four heads it is smaller.
    at 1: SCORES - FAR / 4
the heads are counted from 0 here: the first slope is not 1, but the factor itself.
    SCORES - 4 * FOUR * FAR
    SCORES + 4 * FOUR * FAR
    SCORES - 4 * FOUR * BACK
    at 0: SCORES - FAR
these are the slopes of the last two heads: the first head has the largest slope.
    SCORES - FAR / [[256], [64]]
    SCORES - FAR / [[64], [256]]
these are the slopes of the second and the third head.
    SCORES - FOUR / 4 * FAR
this takes the exponent for the slope: the slope is 2 to the power −8/4 in the first head.
    SCORES - [[2], [4]] * FAR
    at 0: SCORES - 2 * FAR
the penalty is the distance times the slope, which is a negative power of 2, and so below 1.
    SCORES - [[4], [16]] * FAR
    at 0: SCORES - 4 * FAR
nothing is subtracted: these are the scores before the penalty.
    [[5, 3, 4], [5, 3, 4]]
in one head nothing is subtracted: these are the scores before the penalty.
    at 0: SCORES
    at 1: SCORES
every sign is turned: subtract the penalties from the scores, not the scores from the penalties.
    FOUR * FAR - SCORES
the scores are multiplied: subtract slope times distance from them.
    SCORES * FOUR * FAR
    SCORES * np.exp(-FOUR * FAR)
these are exponentials or weights: the scores themselves are asked for.
    np.exp(two_slopes())
    softmax(two_slopes())
"""

exercise = predict(two_slopes, MISTAKES, stated=[[1, 3, -4], [4, 3, 2]], atol=0.001)
