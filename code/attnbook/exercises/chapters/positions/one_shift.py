"""A test of one shift · medium · 8 min

Hints
1. Which scores does the test compare? Those among positions 0 to 3 with those among positions 4 to 7,
   and no others.
2. What if the last four angles are the first four again? Then it says True, whatever those four are.
3. Choose the four angles so that a step does not always turn by the same amount.

Why
Angles that repeat after four positions look the same there, whatever they are: 0, 1, 4, 9, twice.
From position 0 to 1 the pair turns by 1 and from 1 to 2 by 3, so that the same distance has two
scores. A shift by one position shows it.

Notice
A test that moves a text by 1000 positions misses whatever repeats after 1000. Try shifts without a
common divisor.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it


def one_shift():
    """Squares, twice: what is four positions apart points the same way."""
    return np.array([0.0, 1.0, 4.0, 9.0, 0.0, 1.0, 4.0, 9.0])


def seems_relative(angles):
    scores = np.cos(angles[:, None] - angles)
    return bool(np.allclose(scores[4:, 4:], scores[:4, :4]))


def is_relative(angles):
    """Every shift is tried."""
    scores = np.cos(angles[:, None] - angles)
    return all(np.allclose(scores[t:, t:], scores[:-t, :-t]) for t in range(1, 8))


MISTAKES = """
all eight point the same way, or so nearly that every score is 1 to four decimals, at any distance.
    np.zeros(8)
    if np.allclose(np.cos(angles - angles[0]), 1)
the score of these angles depends on the distance alone, and the test is right: let some steps turn
further than others.
    0.3 * np.arange(8)
    if is_relative(angles)
the test finds these: among the last four positions the scores differ from those among the first four.
    0.1 * np.arange(8) ** 2
    if not seems_relative(angles)
"""

exercise = break_it(
    one_shift,
    MISTAKES,
    broken=seems_relative,
    right=is_relative,
    allowed=lambda angles: a_row(8, 8, -1e6, 1e6, angles=angles),
    stated=(False, True),
)
