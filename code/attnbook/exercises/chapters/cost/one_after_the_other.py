"""6. One after the other · easy · 4 min

Hints
1. The first call takes 10 ms times the slowdown of the first four calls.
2. The median of four is the mean of the middle two: more than one of them must be slow.
3. Which slowdown in the first half makes 10 ms look longer than 12?

Why
While the first call is measured somebody else uses the machine, and all of its times double: its
median is 20 ms, that of the slower call 12. No median mends it, since every sample is wrong. In
turns each round would have shown 12 to 10.

Notice
Clocks fall as a chip warms up, and others come and go: take turns.
"""

import numpy as np

from attnbook.exercises.engine.break_it import a_row
from attnbook.exercises.engine.module import break_it


def one_after_the_other():
    """The machine is slow while the first call is measured, and quick for the second."""
    return np.array([2.0] * 4 + [1.0] * 4)


def second_is_faster(slowdown):
    first = 10 * np.median(slowdown[:4])  # four times the first call, of 10 ms
    second = 12 * np.median(slowdown[4:])  # then four times the second, of 12 ms
    return second < first


def never(slowdown):
    """The truth: 12 ms are more than 10."""
    return np.bool_(False)


MISTAKES = """
the machine is equally slow throughout, and no ratio changes.
    [1] * 8
    if bool(np.all(slowdown == slowdown[0]))
one slow call does not move the median of four: slow down more of them.
    [4, 1, 1, 1, 1, 1, 1, 1]
    if np.median(slowdown[:4]) == 1 and slowdown[:4].max() > 1
the machine is slower for the second call, which makes it look even worse.
    [1] * 4 + [2] * 4
    if np.median(slowdown[4:]) > np.median(slowdown[:4])
the first half must be slower by more than 12/10.
    [1.1] * 4 + [1] * 4
    if True
"""

exercise = break_it(
    one_after_the_other,
    MISTAKES,
    broken=second_is_faster,
    right=never,
    allowed=lambda slowdown: a_row(8, 8, 1, 4, slowdown=slowdown),
    stated=(False, True),
)
