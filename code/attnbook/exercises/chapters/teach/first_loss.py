"""A loss before any step · easy · 5 min

Hints
1. Equal logits give each of the 61 characters the same probability.
2. A loss in nats is −ln p, in bits it is −log₂ p: divide nats by ln 2.
3. The loss is a mean over all targets. What does a target cost that is foreseen with certainty?

Why
Each character has the probability 1/61, which costs ln 61 = 4.11 nats, or log₂ 61 = 5.93 bits. In
the last case half of the targets cost nothing, and the other half still cost 4.11 nats: the mean is
2.06.

Notice
The second model knows no more of the text than the first, and its loss is half as large. Count what
the mean is taken over before you compare two losses.
"""

import numpy as np

from attnbook.exercises.engine import predict


def first_loss():
    """In nats, in bits, and in nats with as much padding as text."""
    nats = np.log(61)
    return [nats, nats / np.log(2), nats / 2]


MISTAKES = """
a probability costs minus its logarithm: −ln(1/61), not 1/61.
    [1 / 61, 1 / 61, 1 / 122]
    at 0: 1 / 61
logits of 0 are no loss of 0: equal logits give equal probabilities, and each is below 1.
    [0, 0, 0]
    at 0: 0
the first is in nats and the second in bits: a bit is ln 2 = 0.69 nats, so there are more bits.
    [5.931, 4.111, 2.055] || [4.111, 2.85, 2.055] || [4.111, 4.111, 2.055]
bits need not be whole: −log₂ p is a loss as it is, and nothing rounds it up.
    [4.111, 6, 2.055]
a logarithm to the base 10 is in neither: nats are natural logarithms.
    [1.785, 5.931, 0.893]
the padding costs nothing, and it is counted in the mean: half of the targets cost 0.
    [4.111, 5.931, 4.111] || [4.111, 5.931, 8.222]
the characters are as unknown as before, and they are half of the mean.
    [4.111, 5.931, 0]
the last loss is in nats, too.
    [4.111, 5.931, 2.966]
the padding adds a token to the 61, but the model gives it no probability where a character comes.
    [4.111, 5.931, 2.064] || [4.127, 5.954, 2.064]
"""

exercise = predict(first_loss, MISTAKES, stated=[4.1109, 5.9307, 2.0554], atol=0.006)
