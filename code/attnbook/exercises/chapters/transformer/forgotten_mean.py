"""A test that both norms pass · easy · 4 min

Hints
1. What does LayerNorm do first, which RMSNorm leaves out?
2. The mean of (1, -1, 2, -2) is 0, so subtracting it changes nothing.
3. Any vector whose mean is not 0 will do, if it isn't near 0 in all its features.

Why
On vectors whose mean is 0 the two norms are the same, and the test has such a vector. On (3, 1, 1,
3) LayerNorm subtracts 2 and divides by 1, RMSNorm divides by √5.

Notice
On vectors whose mean is 0 a test can't tell the two norms apart. Test with numbers for which each
step of the equation does something.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it


def forgotten_mean():
    """The mean is 2."""
    return [3.0, 1.0, 1.0, 3.0]


def layer_norm(x):
    """LayerNorm with scale 1 and shift 0."""
    centred = x - np.mean(x)
    return centred / np.sqrt(np.mean(centred**2) + 1e-5)


def without_mean(x):
    """Divide by the root of the mean square."""
    size = np.sqrt(np.mean(x**2) + 1e-5)
    return x / size


MISTAKES = """
this is the vector of the test, and its mean is 0.
    [1.0, -1.0, 2.0, -2.0]
    if sorted(np.abs(x)) == [1, 1, 2, 2] and sum(x) == 0
a vector of zeros stays one under either norm.
    [0.0, 0.0, 0.0, 0.0]
    if not np.any(x)
the mean of this vector is 0, so subtracting it changes nothing, and the two norms agree.
    [3.0, -1.0, -1.0, -1.0]
    if True
"""

exercise = break_it(
    forgotten_mean,
    MISTAKES,
    broken=without_mean,
    right=layer_norm,
    allowed=lambda x: a_row(4, 4, -1000, 1000, x=x),
    stated=(
        np.array([1, -1, -1, 1]) / np.sqrt(1 + 1e-5),
        np.array([3, 1, 1, 3]) / np.sqrt(5 + 1e-5),
    ),
)
