"""Zero, then divide · medium · 6 min

Hints
1. With exact arithmetic there is no such input. What do floats lose?
2. The softmax subtracts the largest of all three scores before it exponentiates.
3. Let exp(visible - hidden) underflow: the chapter on softmax found where exp becomes 0 in
   float64.

Why
In real numbers the two agree. In floats the hidden score still chooses the maximum: 1000 above the
visible scores, it turns both of their exponentials into 0, and 0/0 is NaN. A language library met
it in 2017 (allenai/allennlp, pull request 437). What is hidden must be gone before the maximum is
taken.

Notice
What is hidden after the softmax has already had its influence: hide before.
"""

import numpy as np

from attnbook.exercises.engine import break_it
from attnbook.exercises.families.three_scores import hide_the_last, not_three
from attnbook.reference import softmax


def renormalised():
    """Scores whose hidden key is so high that the visible exponentials vanish."""
    return np.array([0.0, 1.0, 1000.0])


def zero_then_divide(scores):
    """Softmax over all three keys; the last weight set to 0; the others divided by their sum."""
    weights = softmax(scores) * np.array([1.0, 1.0, 0.0])
    return weights / np.sum(weights)


def is_three_finite(scores):
    if refusal := not_three(scores):
        return refusal
    if not np.all(np.isfinite(scores)):
        return "scores has an infinite entry or a NaN; this one can be broken with finite numbers."
    return None


MISTAKES = """
all scores are equal: each weight is 1/3, and dividing by 2/3 mends it exactly.
    [1.0, 1.0, 1.0]
    if np.ptp(scores) == 0
the largest score is visible here, so the visible exponentials do not vanish.
    [0.0, 800.0, 5.0]
    if scores[2] <= max(scores[:2])
the hidden score is the largest, which is the right idea, but a visible weight is still a number
above 0 that can be divided: go further.
    [0.0, 1.0, 100.0]
    if scores[2] > max(scores[:2])
"""

exercise = break_it(
    renormalised,
    MISTAKES,
    broken=zero_then_divide,
    right=hide_the_last,
    allowed=is_three_finite,
    stated=([0.2689, 0.7311, 0], [np.nan, np.nan, np.nan]),
)
