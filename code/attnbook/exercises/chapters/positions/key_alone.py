"""A bias that knows only the key · medium · 8 min

Hints
1. Where a query sees no key ahead of it, |i − j| is i − j. What is the difference of the two biases
   in that row?
2. It is c·i, the same for all its keys, and softmax does not notice a constant. So you need a query
   that looks ahead.
3. It should see at least two keys, since a single key has the weight 1 whatever its bias.

Why
For a key that is not ahead, −c|i − j| = c j − c i: the two biases differ by a constant of the row,
which softmax does not see. Under a causal mask they are the same. In a sentence that may look both
ways, cj goes on growing past the query, where ALiBi falls again.

Notice
So a program that only ever writes from left to right may add c·j and need no query at all. The same
line in an encoder would favour the end of the text.
"""

import numpy as np

from attnbook.exercises.engine import a_mask, break_it
from attnbook.reference import softmax


def key_alone():
    """Two words that both see both."""
    return np.ones((2, 2), dtype=bool)


def weights_of_the_key(mask):
    """The bias is c·j with c = ln 2, and all scores are 0."""
    j = np.arange(len(mask))
    bias = np.log(2) * (j + 0 * j[:, None])
    return softmax(bias, mask)


def weights_of_the_distance(mask):
    """The bias is −c·|i − j| with c = ln 2, and all scores are 0."""
    j = np.arange(len(mask))
    return softmax(-np.log(2) * np.abs(j - j[:, None]), mask)


def is_square_mask(mask):
    wanted = "a square of booleans, at most 20 by 20"
    refusal = a_mask((None, None), wanted, mask)
    if refusal is None and not len(mask) == mask.shape[1] <= 20:
        return f"the mask has the shape {mask.shape}; expected {wanted}."
    return refusal


MISTAKES = """
nothing is visible here, and without a visible key all weights are 0.
    np.zeros((3, 3), dtype=bool)
    if not mask.any()
no query looks ahead, and there |i − j| is i − j: in each row the two biases differ by a constant,
which softmax does not notice.
    np.tri(3, dtype=bool)
    if not np.triu(mask, 1).any()
the queries that see a key ahead see nothing else, and a single key has the weight 1 whatever its
bias.
    np.eye(3, k=1, dtype=bool)
    if (mask[np.triu(mask, 1).any(axis=1)].sum(axis=1) < 2).all()
"""

exercise = break_it(
    key_alone,
    MISTAKES,
    broken=weights_of_the_key,
    right=weights_of_the_distance,
    allowed=is_square_mask,
    stated=([[2 / 3, 1 / 3], [1 / 3, 2 / 3]], [[1 / 3, 2 / 3], [1 / 3, 2 / 3]]),
)
