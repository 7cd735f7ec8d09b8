"""A wave that seems to fall · easy · 5 min

Hints
1. A cosine falls until its angle is half a turn, π. How slow must a pair be to fall for 31 steps?
2. And how fast must it be to pass half a turn within 4096 words?
3. Two frequencies between 0.001 and 0.1 do.

Why
Up to an angle of π a cosine falls. With the frequencies 0.05 and 0.02 the angles are 1.55 and 0.62
after 31 words, so both waves fall through the whole test. After 63 words the first has made half a
turn and begins to rise, after 157 the second, and the score rises with them.

Notice
Any test of finite length has a wave that passes it. Training at 256 words is such a test, and the
slow pairs of RoPE pass it.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it


def falling():
    """Half a turn takes 63 and 157 words: longer than the test."""
    return np.array([0.05, 0.02])


def falls(theta):
    """Tested on texts twice as long as those of training, which had 16 words."""
    r = np.arange(32)
    scores = np.cos(r * theta[0]) + np.cos(r * theta[1])
    return bool(np.all(np.diff(scores) < 0))


def falls_on(theta):
    """Tested on 4096 words."""
    r = np.arange(4096)
    scores = np.cos(r * theta[0]) + np.cos(r * theta[1])
    return bool(np.all(np.diff(scores) < 0))


def are_two(theta):
    return a_row(2, 2, 0, 10, theta=theta)


MISTAKES = """
pairs that never turn score the same at every distance, which is no fall: the test returns False.
    np.zeros(2)
    if not theta.any()
the test finds these: the score rises, or stays as it is, somewhere within 32 words.
    np.array([1.0, 2.0])
    if not falls(theta)
these pairs do not even make half a turn in 4096 words, so the score falls all the way, and the test
is right.
    np.array([0.0004, 0.0002])
    if falls_on(theta)
"""

exercise = break_it(
    falling,
    MISTAKES,
    broken=falls,
    right=falls_on,
    allowed=are_two,
    stated=(False, True),
)
