"""A test of whether a score depends on the distance alone, which tries one shift."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import positions as solutions
from attnbook.operation import describe


def scores_between(angles):
    """The score of each hand with each."""
    return np.cos(angles[:, None] - angles)


def seems_relative(angles):
    """The wrong version that the exercise shows."""
    scores = scores_between(angles)
    return bool(np.allclose(scores[4:, 4:], scores[:4, :4]))


def is_relative(angles):
    """Every shift is tried."""
    scores = scores_between(angles)
    return all(np.allclose(scores[t:, t:], scores[:-t, :-t]) for t in range(1, 8))


def _allowed(angles):
    real = isinstance(angles, np.ndarray) and angles.dtype.kind in "iuf"
    if not real or angles.shape != (8,):
        return f"angles is {describe(angles)}; expected eight numbers."
    if not np.all(np.abs(angles) <= 1e6):
        return "angles are finite, and at most a million."
    return None


one_shift = Break(
    name="positions.one_shift",
    title="A test of one shift",
    level="medium",
    minutes=8,
    wrong=seems_relative,
    right=is_relative,
    allowed=_allowed,
    solution_of=solutions.one_shift,
    hints=(
        "The test compares the scores among places 0 to 3 with those among places 4 to 7. What if "
        "the last four angles are the first four again?",
        "Then it says True, whatever those four are.",
        "Choose four angles in which a step does not always turn by as much.",
    ),
    explanation=(
        "What comes again after four places looks the same there, whatever it is: the angles 0, 1, "
        "4, 9, twice. From place 0 to 1 the hand turns by 1, from 1 to 2 by 3: the same distance "
        "has two scores. A shift by one place shows it."
    ),
    misconceptions=(
        Miss(
            (np.zeros(8),),
            lambda angles: np.allclose(scores_between(angles), 1),
            "all hands point the same way, so every score is 1, at any distance.",
        ),
        Miss(
            (0.3 * np.arange(8),),
            lambda angles: is_relative(angles),
            "the score of these angles depends on the distance alone, and the test is right: let "
            "some steps turn further than others.",
        ),
        Miss(
            (0.1 * np.arange(8) ** 2,),
            lambda angles: not seems_relative(angles),
            "the test finds these: among the last four places the scores are others than among "
            "the first four.",
        ),
    ),
    notice=(
        "A test that moves a text by 1000 places misses a hand that comes round in 1000. Try "
        "shifts without a common divisor."
    ),
)
