"""A test that can't see padding · easy · 5 min

Hints
1. Without a mask the padding gets a weight as well, and mixes its value, 4, into the result.
2. In the test the visible keys have equal weights, so they mix 0 and 8 to 4.
3. Let the visible keys have unequal scores, or show only the first.

Why
With the length 1 only the value 0 is visible, so the result should be 0. Without a mask three equal
scores give (0 + 8 + 4)/3 = 4. In the test the visible values average to 4, which is what the
padding holds, and whatever its weight is, the mean stays 4.

Notice
The test of the story checks a number that is right for another reason. In the chapter it was the
exact match that could not see the padding.
"""

import numpy as np

from attnbook import reference
from attnbook.exercises.engine import a_row, break_it, whole_numbers


def unseen_padding():
    """Equal scores, and one key that is visible."""
    return [0.0, 0.0, 0.0], 1


def unmasked(scores, length):
    """Three keys with the values 0, 8 and 4; the length is forgotten."""
    values = np.array([0.0, 8.0, 4.0])
    return reference.softmax(scores) @ values


def masked(scores, length):
    """The same keys, of which only the first `length` are visible."""
    values = np.array([0.0, 8.0, 4.0])
    return reference.softmax(scores, np.arange(3) < length) @ values


def are_scores_and_a_length(scores, length):
    return a_row(3, 3, -1000, 1000, scores=scores) or whole_numbers(1, 3, length=length)


def hidden_weight(scores, length):
    return reference.softmax(np.asarray(scores, float))[length:].sum()


MISTAKES = """
with the length 3 all keys are visible, and there is no padding to be hidden.
    [0.0, 1.0, 2.0], 3
    if length == 3
the padding has such a low score that its weight vanishes: raise it.
    [0.0, 1.0, -100.0], 2
    if hidden_weight(scores, length) < 1e-6
the two visible keys have the same weight and average to 4, which is what the padding holds: give
them different scores.
    [0.0, 0.0, -1.0], 2
    if True
"""

exercise = break_it(
    unseen_padding,
    MISTAKES,
    broken=unmasked,
    right=masked,
    allowed=are_scores_and_a_length,
    stated=(0.0, 4.0),
)
