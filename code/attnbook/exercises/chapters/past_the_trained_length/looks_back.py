"""Where does the head look? · medium · 5 min

Hints
1. For which angle, in multiples of θ, is the score of this head highest?
2. In each case, how many words does it take to make this angle?
3. In the last case the angle is (i − j) θ instead of (j − i) θ.

Why
A score is a function of the angle between the two rotations, here 6 θ. With θ/2 this angle takes 12
words. Positions that are raised together keep their differences. With three positions for each word
it takes 2 words. If everything turns the other way, the angle of 6 words back is found 6 words
ahead.

Notice
It is heads of this kind that linear interpolation breaks, until they are trained again.
"""

from attnbook.exercises.engine import predict


def looks_back():
    """Half as fast, the same turn, three times as fast, the other way round."""
    return [6 * 2, 6, 6 // 3, -6]


MISTAKES = """
all signs are reversed: words back count as positive, words ahead as negative.
    [-12, -6, -2, 6]
in the first case the pairs turn half as fast: the same angle takes twice as many words.
    at 0: 3
    at 0: 6
    at 0: 8
    at 0: 24
in the second case both positions rise by 50, and their difference is what it was.
    at 1: 56
    at 1: -44
    at 1: 50
    at 1: 300
    at 1: 100
    at 1: 106
    at 1: 0
in the third case each word is three positions further on: two words are six positions, and the
angle is the same.
    at 2: 18
    at 2: 6
    at 2: 3
    at 2: 9
in the fourth case the angle between query and key has the other sign: six words ahead it is what it
was six words back.
    at 3: 6
    at 3: 0
    at 3: 12
"""

exercise = predict(looks_back, MISTAKES, stated=[12, 6, 2, -6])
