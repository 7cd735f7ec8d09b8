"""Clipped apart · easy · 5 min

Hints
1. Two gradients together have the length √(|a|² + |b|²).
2. Where one of the two is 0, the length of both together is that of the other.
3. Take (3, 4) and (0, 12): how long is each, and how long are they together?

Why
(3, 4) and (0, 12) are 5 and 12 long, and 13 together. Shortened together, both are divided by 13,
and b stays 2.4 times as long as a. Shortened apart, both get the length 1: the step goes another
way.

Notice
Shortening all gradients by one factor keeps their direction, and that is what `clip_grad_norm_`
does with the parameters that it is given. Given them one by one it does something else.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it


def clipped_apart():
    """Lengths 5 and 12, together 13."""
    return [3.0, 4.0], [0.0, 12.0]


def together(a, b):
    """Both gradients, shortened by one factor if they are longer than 1 together."""
    both = np.concatenate([a, b])
    return both / max(1.0, np.sqrt(np.sum(both**2)))


def apart(a, b):
    """Each of two gradients is shortened on its own."""
    short = [g / max(1.0, np.sqrt(np.sum(g**2))) for g in (a, b)]
    return np.concatenate(short)


MISTAKES = """
both gradients are 0, and nothing can be too long.
    [0.0, 0.0], [0.0, 0.0]
    if not np.any(a) and not np.any(b)
together these two are no longer than 1, so neither function shortens anything.
    [0.3, 0.4], [0.0, 0.5]
    if np.sum(np.square(a)) + np.sum(np.square(b)) <= 1
one of the two is 0, so the length of both together is that of the other.
    [3.0, 4.0], [0.0, 0.0]
    if not np.any(a) or not np.any(b)
"""

exercise = break_it(
    clipped_apart,
    MISTAKES,
    broken=apart,
    right=together,
    allowed=lambda a, b: a_row(1, 4, -1000, 1000, a=a, b=b),
    stated=([3 / 13, 4 / 13, 0.0, 12 / 13], [0.6, 0.8, 0.0, 1.0]),
)
