r"""How long the gradient is · medium · 6 min

Hints
1. Two things differ between the cases: by how much the two scores differ, and which number stands in
   front of the keys. Write both down for each case.
2. If two scores differ by x, the ratio of their weights is e to the power x. Here the three ratios are
   3, 3⁴ and 3. Which weights α_0 and α_1 have these ratios and the sum 1?
3. Each length is α_0 (1 - α_0) times the length of one vector: the one whose product with the query
   is the difference between the scores. Which vector is that in each case?

Why
Each length is $\alpha_0(1 - \alpha_0) \cdot c\,|k_0 - k_1|$. With the scale the scores differ by
ln 3, the weights are 3/4 and 1/4, and the length is 3/16 · 1/4 · 4 = 3/16. Without it they differ by
4 ln 3, the weights are 81/82 and 1/82, and the length is 81/82² · 4 = 81/1681 = 0.048. With the
shorter query the weights are those of the first case, but in front of the keys stands the c of the
second, so that the length is 3/16 · 4 = 3/4.

Notice
A scale acts in two places, on the scores and in front of the keys, and a short query replaces it in
the first place alone. If the same gradient arrives at the weights and the learning rate is the same, a
step moves the short query 4 times as far as with the scale, and the difference between its scores 16
times as far. T5 has no scale and begins with short queries: such a model calls for another learning
rate.
"""

import numpy as np

from attnbook.exercises.engine import predict


def gradient_lengths():
    """α_0 (1 - α_0) c |k_0 - k_1|: with the scale, without it, and for a shorter query."""
    c = np.array([1 / 4, 1, 1])
    difference = np.log(3) * np.array([4, 4, 1])  # of the unscaled scores
    alpha = 1 / (1 + np.exp(-c * difference))
    return alpha * (1 - alpha) * c * 4


MISTAKES = """
these are the products α_0 (1 - α_0): each is still to be multiplied by c and by the length of
k_0 - k_1.
    [3 / 16, 81 / 6724, 3 / 16]
the length of k_0 - k_1 is missing: it is 4.
    [3 / 64, 81 / 6724, 3 / 16]
the length of k_0 - k_1 stands there squared: it counts once.
    [3 / 4, 4 * 81 / 1681, 3]
this is c |k_0 - k_1|, the gradient of the difference between the scores: the slope of softmax,
α_0 (1 - α_0), is missing.
    [1, 4, 4]
α_0 is multiplied by c |k_0 - k_1|, but the slope of softmax is α_0 (1 - α_0).
    [3 / 4, 4 * 81 / 82, 3]
these are weights: we ask how long the gradient of α_0 is.
    [1 / 4, 1 / 82, 1 / 4] || [3 / 4, 81 / 82, 3 / 4]
this is the size of the whole matrix ∂α/∂q, which has a row for each of the two weights: we ask for
the row of α_0 alone.
    [0.2652, 0.0681, 1.0607]
scores that differ by ln 3 make one weight 3 times the other: the weights are 3/4 and 1/4, not 2/3
and 1/3.
    [2 / 9, 320 / 6561, 8 / 9]
the first two are in the wrong order: with the scale comes first.
    [81 / 1681, 3 / 16, 3 / 4]
a length is not negative.
    [-3 / 16, -81 / 1681, -3 / 4]
with the scale, c stands in front of the keys as well as in the scores.
    at 0: 3 / 4
with the scale, c = 1/4 stands in front of the keys once, and their difference has the length 4.
    at 0: 3 / 64
with the scale the scores differ by 4 ln 3 / 4 = ln 3.
    at 0: 81 / 6724 || 81 / 1681
the first is divided by the width, 16: the scale is its root, c = 1/4.
    at 0: 0.0613
without the scale the scores differ by 4 ln 3, so that one weight is far larger than the other.
    at 1: 3 / 4 || 3 / 16
without the scale c is 1 in front of the keys, too.
    at 1: 81 / 6724
e to the power 4 ln 3 is 3⁴ = 81, and not 4 · 3 = 12.
    at 1: 48 / 169
the slope of softmax is α_0 (1 - α_0): the smaller weight alone is only near it.
    at 1: 4 / 82
81 is the ratio of the two weights: their sum is 1, so the smaller one is 1/82.
    at 1: 4 / 81
the third query has the weights of the first case, but not its gradient: q' is multiplied by the keys
themselves, and the query of the first case by keys that c makes shorter.
    at 2: 3 / 16
the scores of the third query differ by ln 3, not by 4 ln 3.
    at 2: 81 / 1681
the scores of the third query are q' · k_j, so the keys alone, without any 1/4, are their gradients with
respect to q'.
    at 2: 3 / 64
in the third case 1/4 counts twice, in the query and as a scale: there is no scale.
    at 2: 0.2453 || 0.9814
the third query is shorter, but the keys stay as they are: their difference has the length 4.
    at 2: 3 || 12
"""

exercise = predict(gradient_lengths, MISTAKES, stated=[3 / 16, 81 / 1681, 3 / 4], atol=0.00055)
