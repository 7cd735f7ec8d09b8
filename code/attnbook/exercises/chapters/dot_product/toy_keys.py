"""One key of the textbook example changes · easy · 5 min

Hints
1. The valid length is 2: only two keys take part, (1, 1) and (2, 2).
2. With two keys, the weight of the second is 1 / (1 + exp(s_0 - s_1)).
3. Dot product: the scores are 2/√2 and 4/√2. Gaussian kernel: they are 0 and −1.

Why
The scaled dot products are √2 and 2√2, so the changed key's weight is 1 / (1 + exp(−√2)) = 0.8044.
The Gaussian scores are 0 and −1, so its weight there is 1 / (1 + exp(1)) = 0.2689.

Notice
The two scorers now disagree about which key is the better one: the dot product takes the longer
key, the Gaussian kernel the nearer one.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.reference import dot_product_scores, gaussian_scores, softmax


def toy_keys():
    """The changed key's weight under the dot product and under the Gaussian kernel."""
    q = np.array([[1.0, 1.0]])
    k = np.array([[1.0, 1.0], [2.0, 2.0]])
    scores = np.concatenate([dot_product_scores(q, k), gaussian_scores(q, k)])
    return softmax(scores)[:, 1]


MISTAKES = """
the Gaussian scores differ: (1, 1) lies at the query, and (2, 2) does not.
    [0.8044, 0.5]
the dot products differ: the longer key has the larger one.
    [0.5, 0.2689]
a Gaussian score is minus half the squared distance: not a quarter of it, not all of it, and not
half the distance itself.
    [0.8044, 0.3775] || [0.8044, 0.1192] || [0.8044, 0.3302]
these are the weights for the query (1, 0): here it is (1, 1).
    [0.6698, 0.1192]
the first is a weight of the softmax, for the query (1, 1): not a share of the scores, 4 of 6.
    [0.6667, 0.2689]
the first is the weight of the key that stays; give that of (2, 2).
    [0.1956, 0.2689]
the dot products are multiplied by √2; the scale divides by it.
    [0.9442, 0.2689]
the dot products are not divided by √d_k: 4 - 2 becomes 2 / √2.
    [0.8808, 0.2689]
the dot products are divided by d_k = 2; the scale is 1/√d_k = 1/√2.
    [0.7311, 0.2689]
the Gaussian kernel prefers the nearer key, and (1, 1) lies at the query itself.
    [0.8044, 0.7311]
the two numbers are in the wrong order: the dot product comes first.
    [0.2689, 0.8044]
these are the weights of the key that stays; give those of (2, 2).
    [0.1956, 0.7311]
    [0.1192, 0.7311] || [0.2689, 0.7311] || [0.1192, 0.8808]
    [0.7311, 0.1956]
these are percentages: a weight is a number from 0 to 1.
    [80, 27] || [80.4, 26.9] || [80.44, 26.89]
the keys are no longer equal, so the weights are not: only equal keys tie.
    [0.5, 0.5]
all ten keys take part here: a key beyond the valid length has no weight.
    [0.3136, 0.0393]
"""

exercise = predict(toy_keys, MISTAKES, stated=[0.8044, 0.2689], atol=0.005)
