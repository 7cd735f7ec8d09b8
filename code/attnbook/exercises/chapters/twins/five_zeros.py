"""Five zeros · medium · 5 min

Hints
1. Write down the slope of each step at the number that it is given: log and √ at 0?
2. What does where send back to what it did not choose? Not nothing: 0.
3. 0 · ∞ is NaN, and ∞ alone is not.

Why
Backward multiplies the slopes of the steps. In 1 the choice sends 0 to the logarithm, and 0 · ∞ is
NaN; in 2 the logarithm sees 1, whose slope is finite. In 3 the factor 0 meets the root's slope ∞;
in 4 that slope arrives alone, as ∞. In 5 the exponential has the slope 0, and 1/|x| an infinite
one: NaN.

Notice
A finite result says nothing about its gradient.
"""

import torch

from attnbook.exercises.engine import predict


def five_zeros():
    """Whether the gradient of each of five zeros is NaN."""
    x = torch.zeros(5, requires_grad=True)
    zeros = (
        torch.where(x[0] > 0, torch.log(x[0]), 0),
        torch.log(torch.where(x[1] > 0, x[1], 1)),
        0 * torch.sqrt(x[2]),
        torch.sqrt(x[3]),
        torch.exp(-1 / x[4].abs()),
    )
    sum(zeros).backward()
    return x.grad.isnan().tolist()


MISTAKES = """
the slope of the root arrives alone in the fourth: ∞, which is not NaN.
    [True, False, True, True, True]
in the first the choice sends 0 back to the logarithm, whose slope at 0 is ∞.
    [False, False, True, False, True]
in the second the choice stands before the logarithm, which is given 1.
    [True, True, True, False, True]
a factor of 0 does not switch the third off: 0 times the slope of the root is NaN.
    [True, False, False, False, True]
in the fifth the exponential has the slope 0, but what it multiplies is infinite.
    [True, False, True, False, False]
all five numbers are 0, and three of their gradients are NaN.
    [False, False, False, False, False]
here True stands for what is not NaN: it should stand for NaN.
    [False, True, False, True, False]
"""

exercise = predict(five_zeros, MISTAKES, stated=[True, False, True, False, True])
