"""One after the other · easy · 4 min

Hints
1. The first call takes 10 ms, times the slowdown of each of its four measurements.
2. The median of four numbers is the mean of the middle two, so one slow measurement is not enough.
3. By what factor must the first half be slower, so that 10 ms look longer than 12?

Why
Somebody else uses the machine while the first call is measured, and all four of its times double.
Its median is 20 ms, and that of the slower call is 12. A median cannot mend this, because every
sample is wrong. Had the calls taken turns, each round would have shown 12 to 10.

Notice
Chips slow down as they get warm, and other users come and go; calls that take turns share both.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it


def one_after_the_other():
    """The machine is slow while the first call is measured, and fast for the second."""
    return np.array([2.0] * 4 + [1.0] * 4)


def second_is_faster(slowdown):
    first = 10 * np.median(slowdown[:4])  # four times the first call, of 10 ms
    second = 12 * np.median(slowdown[4:])  # then four times the second, of 12 ms
    return bool(second < first)


def never(slowdown):
    """It is not: 12 ms are more than 10."""
    return False


MISTAKES = """
the machine is equally slow throughout, which changes no ratio.
    [1] * 8
    if bool(np.all(slowdown == slowdown[0]))
one slow measurement does not move the median of four; slow down more of them.
    [4, 1, 1, 1, 1, 1, 1, 1]
    if np.median(slowdown[:4]) == 1 and slowdown[:4].max() > 1
the machine is slower for the second call, which makes it look even worse.
    [1] * 4 + [2] * 4
    if np.median(slowdown[4:]) > np.median(slowdown[:4])
the first half must be slower than the second by more than 12/10.
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
