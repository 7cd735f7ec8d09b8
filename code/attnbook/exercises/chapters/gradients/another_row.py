r"""Another row · easy · 5 min

Hints
1. A value counts by its weight: G_V is 4 times the weights.
2. G_A is 4 times the values: 32, 0, 16. What is its average under the weights?
3. G_S is each weight times how far its G_A lies above that average.

Why
$G_V$ is the weights times 4. $G_A$ is the values times 4: 32, 0, 16, and its average under the
weights is 20, four times the output 5. So $G_S$ is ½ · 12, ¼ · (−20) and ¼ · (−4). Its sum is 0, as
the sum of each row of $G_S$ is.

Notice
Each row of G_S sums to 0: to raise all scores alike changes nothing.
"""

import numpy as np

from attnbook import gradients
from attnbook.exercises.engine import predict


def another_row():
    """G_V and G_S for the weights 1/2, 1/4, 1/4, the values 8, 0, 4 and G_O = 4."""
    weights, grad_out = np.array([[2, 1, 1]]) / 4, 4.0
    values = np.array([[8.0, 0.0, 4.0]])
    grad_scores = gradients.softmax_backward(grad_out * values, weights)
    return np.concatenate([grad_out * weights, grad_scores])


MISTAKES = """
the rows are in the wrong order: G_V comes first.
    [[6, -5, -1], [2, 1, 1]]
that is G_A, 4 times the values: G_V is 4 times the weights.
    at 0: [32, 0, 16]
these are the values: G_V is 4 times the weights.
    at 0: [8, 0, 4]
these are the weights: G_O = 4 is a factor of every gradient, and is left out.
    at 0: [0.5, 0.25, 0.25]
a value counts by its weight: 4 times the weight of each.
    at 0: [4, 4, 4]
that is weight times value; a value counts by its weight times G_O.
    at 0: [4, 0, 1]
that is weight times G_A: the gradient of a value is A G_O.
    at 0: [16, 0, 4]
that is as with the chapter's G_O = 8: here it is 4.
    at 0: [4, 2, 2]
    at 1: [12, -10, -2]
the average is subtracted from A ∘ G_A; subtract it from G_A, then take times A.
    at 1: [-4, -20, -16]
that is the average r of G_A; a score gets A ∘ (G_A - r).
    at 1: [20, 20, 20]
in the second row G_O = 4 is a factor of every gradient, and is left out.
    at 1: [1.5, -1.25, -0.25]
that is A ∘ G_A: the average of G_A under the weights is not subtracted.
    at 1: [16, 0, 4]
A (1 - A) is the diagonal of J alone: the other weights move as well.
    at 1: [8, 0, 3]
the plain mean 16 is subtracted: the average under the weights is 20.
    at 1: [8, -4, 0]
G_O is a factor twice: G_A has it already.
    at 1: [24, -20, -4]
the factor A is missing: a score moves its own weight so far.
    at 1: [12, -20, -4]
that is G_A: go on through the softmax.
    at 1: [32, 0, 16]
the sign is turned: raising a score pulls towards its value.
    at 1: [-6, 5, 1]
the output 5 is subtracted from G_A; its average is 4 · 5 = 20.
    at 1: [13.5, -1.25, 2.75]
"""

exercise = predict(another_row, MISTAKES, stated=[[2, 1, 1], [6, -5, -1]])
