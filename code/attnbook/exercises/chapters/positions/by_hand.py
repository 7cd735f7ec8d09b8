"""A position by hand · easy · 5 min

Hints
1. There are three pairs. Their frequencies are 1000 to the power −2m/6, for m = 0, 1 and 2.
2. The frequencies are 1, 0.1 and 0.01, so at position 5 the angles are 5, 0.5 and 0.05.
3. Each pair gives two numbers, first the sine of its angle, then the cosine.

Why
The frequencies are 1, 1000^(−1/3) = 0.1 and 1000^(−2/3) = 0.01, and at position 5 the pairs have
turned by 5, 0.5 and 0.05 radians. So the row is sin 5, cos 5, sin 0.5, cos 0.5, sin 0.05, cos 0.05.

Notice
The slowest pair has hardly moved: its sine is nearly the angle, 0.05, and its cosine nearly 1. At
neighbouring positions only the first pair differs much.
"""

import numpy as np

from attnbook.exercises.engine import predict


def by_hand():
    """Sine and cosine of 5, 0.5 and 0.05."""
    return [wave(angle) for angle in (5, 0.5, 0.05) for wave in (np.sin, np.cos)]


def row(angles):
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).ravel()


ANGLES = np.array([5, 0.5, 0.05])
PAIRS = np.arange(3)

MISTAKES = """
the cosine comes first in each pair here: the sine should.
    np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=-1).ravel()
all sines stand before all cosines: the two numbers of a pair are neighbours.
    [*np.sin(ANGLES), *np.cos(ANGLES)]
all cosines stand before all sines: the two numbers of a pair are neighbours, sine first.
    [*np.cos(ANGLES), *np.sin(ANGLES)]
the angles were taken for degrees: they are radians.
    row(np.radians(ANGLES))
that is a base of 10000: here it is 1000.
    row(5 * 10000.0 ** (-PAIRS / 3))
that is position 6: positions are counted from 0.
    row(1.2 * ANGLES)
that is position 4: positions are counted from 0, and so the number is the position itself.
    row(0.8 * ANGLES)
that is position 1: the frequencies are still to be multiplied by the position, 5.
    row(ANGLES / 5)
each frequency is 1000 to the power −2m/d; the 2 is missing here.
    row(5 * 1000.0 ** (-PAIRS / 6))
each frequency is 1000 to the power −2m/d, where m counts the pairs from 0.
    row(5 * 1000.0 ** (-(PAIRS + 1) / 3))
that is sin and cos of features 0 to 5, each with a frequency of its own: a pair shares one angle.
    np.where(np.arange(6) % 2, np.cos(5 * 1000.0 ** (-np.arange(6) / 6)), np.sin(5 * 1000.0 ** (-np.arange(6) / 6)))
these are the angles: what is added is their sines and cosines.
    np.repeat(ANGLES, 2)
the pairs turn faster and faster here: a frequency is a negative power of the base.
    row(5 * 1000.0 ** (PAIRS / 3))
"""

exercise = predict(
    by_hand, MISTAKES, stated=[-0.9589, 0.2837, 0.4794, 0.8776, 0.05, 0.9988], atol=0.0051
)
