"""Three rules by hand · easy · 6 min

Hints
1. The key (1, 0) writes into the first number of H alone, the key (0, 1) into the second.
2. The decay halves both numbers at each of the three steps, before the step writes.
3. By the delta rule with β = 1 the key reads its newest value afterwards.

Why
The sum: 2 + 5 = 7 and 6. With the decay the 2 is halved by two steps, the 6 by one: 2/4 + 5 = 5.5
and 6/2 = 3. By the delta rule the third step reads 2, misses 3, and writes 3: the first number is
5, and the second is left alone.

Notice
Each rule remembers something else: the sum keeps everything added up, decay keeps what is recent,
and the delta rule keeps the newest value of each key.
"""

import numpy as np

from attnbook import linear
from attnbook.exercises.engine import predict


def states():
    """H after three writes: by the sum, with a halving decay, by the delta rule."""
    k = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    v = np.array([[2.0], [6.0], [5.0]])
    rules = {}, {"log_decay": np.full((3, 1), np.log(0.5))}, {"beta": np.ones(3)}
    return [linear.recurrent(k, k, v, **rule)[1][:, 0] for rule in rules]


MISTAKES = """
the plain sum overwrites nothing: the key's second value is added to its first.
    at 0: [5, 6]
the decay comes before a step writes: what a step writes is halved by later steps only.
    at 1: [2.75, 1.5]
the first value is halved by two steps, the second and the third: 2/4 of it is left.
    at 1: [6, 3]
the whole state is halved at each step, not only the number that is written to.
    at 1: [6, 6]
the third step halves the second number too: the whole state fades.
    at 1: [5.5, 6]
nothing is halved in the second row: that is the plain sum.
    at 1: [7, 6]
the first number is halved too, twice before the 5 is added: the whole state fades.
    at 1: [7, 3]
with a decay nothing is overwritten: 2/4 of the first value is left beside the 5.
    at 1: [5, 3]
that is halved once too often: the first step halves zeros, and no step follows the third.
    at 1: [5.25, 1.5]
this halves the sum at the end; each step halves what stands there before it writes.
    at 1: [3.5, 3]
the delta rule first subtracts what the key reads, 2, so that 3 is written.
    at 2: [7, 6]
3 is what the third step writes; it is added to the 2 that stands there.
    at 2: [3, 6]
that is the average of the two values, as β = 1/2 would give on the second write.
    at 2: [3.5, 6]
there is no decay in the third row: the delta rule subtracts what the key (1, 0) reads, and leaves
the other key's 6 alone.
    at 2: [5, 3]
the second number belongs to another key, and the third step does not touch it.
    at 2: [5, 0]
nothing is divided here: H holds sums, not averages.
    at 0: [3.5, 6]
the two numbers are exchanged: the key (1, 0) writes into the first.
    [[6, 7], [3, 5.5], [6, 5]]
the second and the third row are exchanged.
    [[7, 6], [5, 6], [5.5, 3]]
"""

exercise = predict(states, MISTAKES, stated=[[7, 6], [5.5, 3], [5, 6]], atol=0.006)
