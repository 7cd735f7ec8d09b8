"""Two equal blocks · easy · 3 min

Hints
1. What is the sum of exponentials of one block, written with its L? And of both together?
2. Take the logarithm of e² + e² = 2 e². The logarithm of a product is a sum.

Why
The sums add, not their logarithms: $e^2 + e^2 = 2 e^2$, and $\\ln(2 e^2) = 2 + \\ln 2$, about 2.69.
How many keys a block holds does not matter any more: $L$ has counted them.

Notice
Two equal blocks add ln 2 to the L of one, and each of them counts one half.
"""

import numpy as np

from attnbook.exercises.engine import predict


def merged():
    """Two equal sums make a sum twice as large."""
    return 2 + np.log(2)


MISTAKES = """
half is added: what the second block adds is ln 2, about 0.69.
    2.5
1 is added, as log2 of 2 is: L has the natural logarithm, ln 2.
    3
half of 2: two blocks make the sum larger, not smaller.
    1
log10 is another logarithm: exp goes with the natural one.
    2 + np.log10(2)
ln 2 is subtracted: that is half of one block's sum, and here two such sums add.
    2 - np.log(2)
e² is the sum of one block: add both, and take the logarithm.
    np.e**2
4 is L_a + L_b: the sums of exponentials add, their logarithms do not.
    4
2 is the L of one block: the other block makes the sum twice as large.
    2
that is the sum of exponentials itself: take its logarithm.
    2 * np.e**2
ln 2 is what the second block adds: add it to 2.
    np.log(2)
that is the logarithm of L_a + L_b: exponentiate both before you add.
    np.log(4)
that counts the scores, as if each were equal to 2: 2 is the L of a whole block.
    2 + np.log(2000) || 2 + np.log(1000)
"""

exercise = predict(merged, MISTAKES, stated=2.6931, atol=0.006)
