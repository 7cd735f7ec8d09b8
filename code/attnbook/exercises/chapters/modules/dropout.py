"""2. Dropout, in both states · medium · 6 min

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

from attnbook.exercises.engine.module import predict


def dropout():
    """Output in evaluation, mean and largest output in training, chance that no weight is left."""
    p, weights, values = 0.25, torch.tensor([1 / 4, 3 / 4, 0]), torch.tensor([0.0, 4.0, 8.0])
    evaluation = weights @ values
    largest = (weights / (1 - p)) @ values
    return [evaluation.item(), evaluation.item(), largest.item(), p**2]


MISTAKES = """
a kept weight is divided by 3/4 once: 3/4 becomes 1, and the output 4.
    [3, 3, 16 / 3, 1 / 16]
that is the chance that one given weight is dropped and the other kept; here both are dropped.
    [3, 3, 4, 3 / 16]
the last key is hidden: its value never counts.
    [3, 3, 8, 1 / 16]
    [3, 3, 10.67, 1 / 16]
    [3, 3, 32 / 3, 1 / 16]
nothing is scaled in evaluation: the division by 1 - p in training made up for it.
    [2.25, 3, 4, 1 / 16]
the division by 1 - p belongs to training; in evaluation dropout does nothing.
    [4, 3, 4, 1 / 16]
the mean is kept: what is not dropped is divided by 1 - p = 3/4.
    [3, 2.25, 4, 1 / 16]
what is not dropped is divided by 1 - p = 3/4 while training.
    [3, 2.25, 3, 1 / 16]
a row of dropped weights may sum to more than one: kept weights are divided by 3/4.
    [3, 3, 3, 1 / 16]
kept weights are divided by 1 - p = 3/4, not by p = 1/4.
    [3, 3, 12, 1 / 16]
the third weight is hidden and 0 already: two have to be dropped, not three.
    [3, 3, 4, 1 / 64]
each of two weights is dropped with chance 1/4, whatever the other does: 1/4 · 1/4.
    [3, 3, 4, 1 / 15]
the two chances are multiplied, not added: both have to be dropped.
    [3, 3, 4, 0.5]
that is the chance that at least one of the two is dropped; here both are.
    [3, 3, 4, 7 / 16]
that is the chance that one given weight is dropped; here both have to be.
    [3, 3, 4, 1 / 4]
that is the chance that one given weight is kept; here both are dropped.
    [3, 3, 4, 3 / 4]
that is the chance that both visible weights are kept; here both are dropped.
    [3, 3, 4, 9 / 16]
the last key is hidden: the weights are 1/4, 3/4 and 0.
    [5.5, 5.5, 22 / 3, 1 / 64]
"""

exercise = predict(dropout, MISTAKES, stated=[3, 3, 4, 0.0625], atol=0.003)
