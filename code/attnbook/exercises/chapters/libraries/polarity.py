"""A test that misses the polarity · easy · 5 min

Hints
1. The scores are equal, so an output is the mean of the visible values.
2. The wrong version gives the mean of the hidden ones. Which pairs of keys have the same mean as the
   other two?
3. Show the first two keys.

Why
The visible keys 0 and 1 have the mean 2, the hidden ones the mean 10. The mask of the test showed
keys 0 and 3, with the mean 6, and hid keys 1 and 2, with the mean 6.

Notice
A test of polarity needs values of which no set has the same mean as the rest, or a causal mask,
which shows the future when it stands upside down.
"""

import numpy as np
import torch

from attnbook import pytorch
from attnbook.exercises.engine import a_mask, break_it
from attnbook.exercises.engine.tensors import differentiated_if_floats


def polarity():
    """The visible keys have the mean 2, the hidden ones 10."""
    return [[True, True, False, False]]


def converted(mask):
    """The right version: True = may look."""
    scores = torch.zeros(mask.shape)
    values = torch.tensor([[0.0], [4.0], [8.0], [12.0]])
    return pytorch.weighted_sum(pytorch.softmax(scores, mask), values)


def unconverted(mask):
    scores = torch.zeros(mask.shape)
    values = torch.tensor([[0.0], [4.0], [8.0], [12.0]])
    hidden = mask
    return pytorch.weighted_sum(pytorch.softmax(scores, ~hidden), values)


def shows_some_of_four(mask):
    if refusal := a_mask((None, 4), "rows of four booleans", mask):
        return refusal
    if not np.all(mask.any(axis=1) & ~mask.all(axis=1)):
        return "each row should show at least one key and hide at least one."
    return None


OUTER, INNER = [True, False, False, True], [False, True, True, False]

MISTAKES = """
keys 0 and 3 have the mean 6, and so have the keys that the mask hides.
    [OUTER]
    if np.array_equal(mask, np.broadcast_to(OUTER, mask.shape))
this is the mask of the test upside down: keys 1 and 2 have the mean 6 as well.
    [INNER]
    if np.array_equal(mask, np.broadcast_to(INNER, mask.shape))
each row is one of the two with the same mean; change one row.
    [OUTER, INNER]
    if True
"""

exercise = break_it(
    polarity,
    MISTAKES,
    broken=unconverted,
    right=converted,
    through=differentiated_if_floats,
    allowed=shows_some_of_four,
    stated=([[2.0]], [[10.0]]),
)
