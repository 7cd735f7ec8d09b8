"""Dropout, in both states · medium · 6 min

Hints
1. In evaluation dropout does nothing at all: nothing is dropped, nothing divided.
2. In training what is kept is divided by 1 - p = 3/4, so that the mean stays.
3. The output is largest when nothing that counts is dropped. The hidden weight is 0 either way: how
   many weights have to be dropped until none is left?

Why
In evaluation the output is 1/4 · 0 + 3/4 · 4 = 3. The division by 1 − p keeps the mean of the
outputs there. Kept weights are 1/3 and 1, so the largest output is 4. The two visible weights are
both dropped with chance 1/4 · 1/4 = 1/16.

Notice
The mean over many rows is right, and a single row may be far off: training sees noise here,
evaluation must not.
"""

import torch

from attnbook.exercises.engine import predict


def dropout():
    """Output in evaluation, mean and largest output in training, chance that no weight is left."""
    p, weights = 0.25, torch.tensor([1 / 4, 3 / 4, 0])
    values = torch.tensor([0.0, 4.0, 8.0])
    evaluation = weights @ values
    largest = (weights / (1 - p)) @ values
    return [evaluation.item(), evaluation.item(), largest.item(), p**2]


MISTAKES = """
what is not dropped is divided by 1 - p = 3/4 while training, once: so the mean is kept.
    [3, 3, 16 / 3, 1 / 16] || [3, 2.25, 4, 1 / 16] || [3, 2.25, 3, 1 / 16] || [3, 3, 3, 1 / 16]
    [3, 3, 12, 1 / 16]
that is a chance for one weight, for one of them at least, or to keep both; here both are dropped.
    [3, 3, 4, 3 / 16] || [3, 3, 4, 7 / 16] || [3, 3, 4, 1 / 4] || [3, 3, 4, 3 / 4]
    [3, 3, 4, 9 / 16]
the last key is hidden: the weights are 1/4, 3/4 and 0, and its value never counts.
    [3, 3, 8, 1 / 16] || [3, 3, 10.67, 1 / 16] || [3, 3, 32 / 3, 1 / 16]
    [5.5, 5.5, 22 / 3, 1 / 64]
the division by 1 - p belongs to training; in evaluation dropout does nothing.
    [2.25, 3, 4, 1 / 16] || [4, 3, 4, 1 / 16]
both visible weights have to be dropped, each with chance 1/4 whatever the other does: 1/4 · 1/4.
    [3, 3, 4, 1 / 64] || [3, 3, 4, 1 / 15] || [3, 3, 4, 0.5]
"""

exercise = predict(dropout, MISTAKES, stated=[3, 3, 4, 0.0625], atol=0.003)
