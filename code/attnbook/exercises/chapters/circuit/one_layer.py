"""What a guess costs · easy · 5 min

Hints
1. The value that is wanted is one of those in the list, and nothing says which.
2. A model that gives each of n values the probability 1/n is right in one of n questions if it
   picks one of them, and pays -ln(1/n).
3. A model that doesn't use the list can only say that the answer is one of all 26 values.

Why
With 6 values the guess is right in 1/6 = 0.167 of the questions and costs ln 6 = 1.792. With 24 it
is 1/24 = 0.042 and ln 24 = 3.178. Without the list each of 26 values is equally likely, and the
loss is ln 26 = 3.258.

Notice
The plateaus of a loss are often such numbers. If you know them, you can read off a curve what a
model has found out so far.
"""

import numpy as np

from attnbook.exercises.engine import predict


def one_layer():
    """Recall and loss with 6 values in the list, the same with 24, and the loss without a list."""
    return np.array([1 / 6, np.log(6), 1 / 24, np.log(24), np.log(26)])


MISTAKES = """
the guess is among the values of the list alone, and not among all 26.
    [0.038, 3.258, 0.038, 3.258, 3.258] || [0.038, 1.792, 0.038, 3.178, 3.258]
among all 52 tokens only the 26 values can be an answer.
    [0.167, 1.792, 0.042, 3.178, 3.951]
the list has pairs: of its tokens only half are values.
    [0.083, 2.485, 0.021, 3.871, 3.258]
the cross-entropy is minus the natural logarithm of the probability.
    [0.167, 2.585, 0.042, 4.585, 4.700] || [0.167, 0.167, 0.042, 0.042, 0.038]
    [0.167, -1.792, 0.042, -3.178, -3.258] || [0.167, 0.833, 0.042, 0.958, 0.962]
a longer list has more values to guess among.
    [0.167, 1.792, 0.167, 1.792, 3.258]
without the list nothing is known but that the answer is a value.
    [0.167, 1.792, 0.042, 3.178, 0] || [0.167, 1.792, 0.042, 3.178, 1.792]
"""

exercise = predict(
    one_layer, MISTAKES, stated=[0.1667, 1.7918, 0.0417, 3.1781, 3.2581], atol=0.0008
)
