r"""The gradient of log-sum-exp · medium · 5 min

Hints
1. Differentiate ln(e^a + e^b + e^c) with respect to a. Which familiar quotient appears?
2. Adding the two results does not mix the rows: each score appears in one of them.
3. In the second row the last score appears nowhere: its gradient is 0.

Why
The derivative of $\ln \sum_l e^{s_l}$ with respect to $s_j$ is $e^{s_j} / \sum_l e^{s_l} = A_j$:
the gradient of log-sum-exp is softmax. Each row has its own sum, so its gradient is its own
weights: 1/8, 3/8, 4/8, and with the last key hidden 1/4, 3/4, 0.

Notice
The gradient of log-sum-exp is softmax: SciPy's documentation defines softmax so.
"""

import torch

from attnbook import pytorch
from attnbook.exercises.engine import predict


def lse_gradient():
    """What reaches the scores (0, ln 3, ln 4) of two queries, one of which sees two keys."""
    affinities = torch.tensor([[1.0, 3.0, 4.0], [1.0, 3.0, 4.0]])
    scores = torch.log(affinities).requires_grad_()
    mask = torch.tensor([[True, True, True], [True, True, False]])
    pytorch.logsumexp(scores, mask).sum().backward()
    return scores.grad.tolist()


MISTAKES = """
the scores differ, and so do the weights: only equal ones share evenly.
    [[1 / 3, 1 / 3, 1 / 3], [1 / 2, 1 / 2, 0]]
the hidden key appears in no sum: its gradient is 0.
    [[1 / 8, 3 / 8, 4 / 8], [1 / 4, 3 / 4, 4 / 8]]
these are the scores: the gradient is their softmax.
    [[0, 1.0986, 1.3863], [0, 1.0986, 0]]
the hidden key has left the sum as well: the second row is divided by 1 + 3, and its weights are 1/4
and 3/4.
    [[1 / 8, 3 / 8, 4 / 8], [1 / 8, 3 / 8, 4 / 8]] || [[1 / 8, 3 / 8, 4 / 8], [1 / 8, 3 / 8, 0]]
the rows are in the wrong order: the first query sees all three keys.
    [[1 / 4, 3 / 4, 0], [1 / 8, 3 / 8, 4 / 8]]
these are the weights over 2: sum() adds the two results, and a mean would divide by their number.
    [[1 / 16, 3 / 16, 4 / 16], [1 / 8, 3 / 8, 0]] || [[1 / 16, 3 / 16, 4 / 16], [1 / 16, 3 / 16, 0]]
these are the exponentials: the logarithm divides them by their sum.
    [[1, 3, 4], [1, 3, 0]]
that is the derivative of the logarithm alone: the inner derivative, e^s_j, is due.
    [[1 / 8, 1 / 8, 1 / 8], [1 / 4, 1 / 4, 0]]
that is the gradient of a plain sum: log-sum-exp divides one unit among the scores.
    [[1, 1, 1], [1, 1, 0]]
the rows do not share a sum: each result has its own logarithm.
    [[1 / 12, 3 / 12, 4 / 12], [1 / 12, 3 / 12, 0]]
zeros are the gradient of the sum of the weights, which is always 1; this is the sum of two
logarithms.
    [[0, 0, 0], [0, 0, 0]]
"""

exercise = predict(
    lse_gradient, MISTAKES, stated=[[0.125, 0.375, 0.5], [0.25, 0.75, 0]], atol=0.001
)
