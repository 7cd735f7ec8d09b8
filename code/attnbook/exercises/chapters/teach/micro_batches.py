"""A mean of means · easy · 5 min

Hints
1. When is the mean of two means the mean of all numbers?
2. In the test both micro-batches have three tokens.
3. Give one of them a single token, with another loss than the others.

Why
With the losses (6) and (1, 2, 3) the means are 6 and 2, and their mean is 4. The four tokens have
the mean 3. In a mean of means the single token counts as much as the three others together.

Notice
Well-known trainers have computed this. Neither loss looks wrong by itself; a comparison tells them
apart: the same texts, in one batch and in several, must give the same loss.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it


def micro_batches():
    """One token, and three."""
    return [6.0], [1.0, 2.0, 3.0]


def mean_of_means(a, b):
    """The losses of two micro-batches, averaged one after the other."""
    return (np.mean(a) + np.mean(b)) / 2


def mean_of_tokens(a, b):
    """The mean loss of all tokens."""
    return np.mean(np.concatenate([a, b]))


MISTAKES = """
both have as many tokens, so each mean counts as much as its tokens do.
    [6.0, 1.0], [2.0, 3.0]
    if np.size(a) == np.size(b)
every token has the same loss, and so has each mean of them.
    [2.0], [2.0, 2.0, 2.0]
    if np.ptp([*a, *b]) == 0
both means are the same, so that it doesn't matter how much each counts.
    [2.0], [1.0, 2.0, 3.0]
    if True
"""

exercise = break_it(
    micro_batches,
    MISTAKES,
    broken=mean_of_means,
    right=mean_of_tokens,
    allowed=lambda a, b: a_row(1, 8, 0, 100, a=a, b=b),
    stated=(3.0, 4.0),
)
