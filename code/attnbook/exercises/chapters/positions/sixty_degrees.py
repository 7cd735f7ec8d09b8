"""Keys that turn by 60 degrees · easy · 5 min

Hints
1. Only the difference of two angles counts. How far behind the last query is each key?
2. The cosines of 0, 60, 120, 180 and 240 degrees are 1, 1/2, −1/2, −1 and −1/2.
3. exp(ln 4 · 1/2) is the root of 4.

Why
The keys point 240, 180, 120, 60 and 0 degrees behind the query; the cosines of these angles are −1/2, −1, −1/2, 1/2 and 1.
Times ln 4 these are the logarithms of 1/2, 1/4, 1/2, 2 and 4, which sum to 29/4: the weights are
2/29, 1/29, 2/29, 8/29 and 16/29.

Notice
Key 0 is the farthest from the query, and yet it weighs twice as much as key 1: at 180 degrees a key
is as far behind as it can be, and from there on it catches up.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.reference import softmax


def sixty_degrees():
    """The weights of keys 4, 3, 2, 1 and 0 positions back."""
    back = np.array([4, 3, 2, 1, 0])
    return softmax(np.log(4) * np.cos(np.pi / 3 * back))


BACK = np.array([4, 3, 2, 1, 0])
COS = np.array([-1 / 2, -1, -1 / 2, 1 / 2, 1])

MISTAKES = """
these are in reverse order: the last query stands at position 4, and the key of position 4 points the
same way.
    sixty_degrees()[::-1]
these weights know no positions: keys at different angles have different scores.
    [1 / 5, 1 / 5, 1 / 5, 1 / 5, 1 / 5]
the query turns the other way here: like the keys it turns forwards, so it points where key 4 points.
    softmax(np.log(4) * np.cos(np.pi / 3 * (8 - BACK)))
key 0 scores more than key 1: its angle, 240 degrees, is past half a turn, and the cosine is −1/2.
    softmax(np.log(4) * np.array([-1, -1, -1 / 2, 1 / 2, 1]))
these are the scores, or their exponentials: the weights are the exponentials over their sum.
    np.log(4) * COS
    4**COS
these are the cosines: times ln 4 they are scores, which softmax makes weights of.
    COS
that is the sine of 60 degrees, 0.87: the cosine is 1/2.
    softmax(np.log(4) * np.array([-(3**0.5) / 2, -1, -(3**0.5) / 2, 3**0.5 / 2, 1]))
these keys turn by 30 degrees with each position: π/3 are 60.
    softmax(np.log(4) * np.cos(np.pi / 6 * BACK))
these are cut off, not rounded: 2/29 is 0.069, so 0.07.
    [0.06, 0.03, 0.06, 0.27, 0.55]
the scores are too small: each is ln 4 times a cosine, without a scale.
    softmax(COS)
the cosines of 120, 180 and 240 degrees are −1/2, −1 and −1/2: those keys point away.
    softmax(np.log(4) * np.abs(COS))
that is the quarter turn of the chapter; here a position turns by π/3, a sixth of a turn.
    softmax(np.log(4) * np.cos(np.pi / 2 * BACK))
these fall by the same factor with each position, as ALiBi's do: under RoPE the score follows the
cosine of the angle.
    softmax(-np.log(4) * BACK)
these are the weights of sines: the dot product of two unit vectors is the cosine of the angle
between them.
    softmax(np.log(4) * np.sin(np.pi / 3 * BACK))
60 was taken for radians: π/3 radians are 60 degrees.
    softmax(np.log(4) * np.cos(60 * BACK))
"""

exercise = predict(
    sixty_degrees, MISTAKES, stated=[2 / 29, 1 / 29, 2 / 29, 8 / 29, 16 / 29], atol=0.0051
)
