r"""Which way the output moves · easy · 4 min

Hints
1. What is the output itself?
2. The derivative with respect to score l is A_l (v_l - out).

Why
The output is 0/8 + 24/8 + 6/2 = 6. Each score pulls it towards its own value, by $A_l (v_l -
\text{out})$: 1/8 · (0 − 6) = −3/4, 3/8 · (8 − 6) = 3/4 and 1/2 · (6 − 6) = 0. The key with the
largest weight does nothing: its value is the output already.

Notice
The three sum to 0: raising all scores alike moves nothing.
"""

import numpy as np

from attnbook.exercises.engine import predict


def pull():
    """A_l (v_l - out), for the weights 1/8, 3/8, 1/2 and the values 0, 8, 6."""
    weights, values = np.array([1, 3, 4]) / 8, np.array([0.0, 8.0, 6.0])
    return weights * (values - weights @ values)


MISTAKES = """
these are the weights times the values: subtract the output from each value first.
    [0, 3, 3]
these are the distances from the output: each counts by its key's weight.
    [-6, 2, 0]
the sign is turned: raising a score moves the output towards that key's value.
    [3 / 4, -3 / 4, 0]
that is A_l (1 - A_l) v_l: raising one score also lowers all other weights.
    [0, 15 / 8, 3 / 2]
these are the weights, the derivatives with respect to the values: we ask for the scores.
    [1 / 8, 3 / 8, 4 / 8]
these are the derivatives A_l (1 - A_l) of the weights: the values are missing.
    [7 / 64, 15 / 64, 16 / 64]
the distances are those from the plain mean of the values: the output weighs them.
    [-7 / 12, 5 / 4, 2 / 3]
"""

exercise = predict(pull, MISTAKES, stated=[-0.75, 0.75, 0], atol=0.006)
