"""A right gradient, rejected · easy · 4 min

Hints
1. Which of the two errors is large at a small step, and which at a large one?
2. The error must exceed 1e-6. The rounding is about 4e-15 / h, the truncation about 0.4 h².
3. Look at the figure with the two Vs: where is the error above 1e-7 of 8.9?

Why
The loss is near 44, where floats lie 7e-15 apart: at h = 1e-14 the difference of two is off by some
tenths. At h = 0.5 the truncation is about 0.1. A difference that disagrees may be the one that is
wrong: try other steps before you doubt the gradient.

Notice
A gradient check has a window of steps; outside of it, it tests the step.
"""

import numpy as np

from attnbook.exercises.engine import break_it, real_numbers

SLOPE = 10 * np.log(4) - 4.5 * np.log(
    3
)  # of the chapter's loss with respect to the query's first entry


def rejected():
    """Rounding makes the first wrong, truncation the second."""
    return 1e-14, 0.5


def some_step_agrees(small, large):
    """Whether the right gradient, 8.919, passes with one of the two steps at least."""

    def loss(first):
        exp = np.array([1.0, 3.0, 4.0]) ** first
        return 8 * (exp @ [0, 4, 8]) / exp.sum()

    found = [(loss(1 + h) - loss(1 - h)) / (2 * h) for h in (small, large)]
    return bool(np.any(np.abs(np.array(found) - SLOPE) < 1e-6))


def right_gradient_agrees(small, large):
    """It should pass with both: the gradient is right."""
    return True


def are_steps(small, large):
    if refusal := real_numbers(1e-16, 100, small=small, large=large):
        return refusal
    if not small < 1e-6 < 1e-4 < large:
        return "small should be below 1e-6, and large above 1e-4: the best step lies between."
    return None


MISTAKES = """
the small step is small enough, but with the large one the truncation is still below 1e-6: take a
larger one.
    1e-14, 1e-3
    if not some_step_agrees(small, small)
the large step is large enough, but with the small one the rounding is still below 1e-6: take a
smaller one.
    1e-7, 0.5
    if not some_step_agrees(large, large)
with both steps the difference is right to 1e-6: move them farther apart.
    1e-7, 2e-4
    if True
"""

exercise = break_it(
    rejected,
    MISTAKES,
    broken=some_step_agrees,
    right=right_gradient_agrees,
    allowed=are_steps,
    stated=(True, False),
)
