"""Which way is cheaper · medium · 6 min

Hints
1. From the left: n² · 64 multiplications for the scores, and n² · 128 for the outputs.
2. From the right: n · 64 · 128 for the state, and as many to read it.
3. From which whole n on is n² · 192 larger than n · 16,384? Softmax keeps a key and a value for
   each position.

Why
192 n² is more than 16,384 n above n = 85.3, so from 86 on. The state has 64 · 128 = 8192 numbers at
any n; 10,000 keys and values have 10,000 · (64 + 128) = 1,920,000.

Notice
A state as large as the keys and values of some 43 positions stands for 10,000 of them; something
has to be lost.
"""

import numpy as np

from attnbook.exercises.engine import predict


def costs():
    """Where the right way becomes cheaper, and how many numbers each kind of memory holds."""
    n, d_k, d_v = np.arange(1, 1000), 64, 128
    left, right = n**2 * d_k + n**2 * d_v, 2 * n * d_k * d_v
    return [n[left > right][0], d_k * d_v, 10_000 * (d_k + d_v)]


MISTAKES = """
at 85 the left way is still cheaper: 16,320 < 16,384.
    [85, 8192, 1_920_000]
there both ways cost the same; n is a whole number, and the next one makes the right way cheaper.
    [256 / 3, 8192, 1_920_000] || [85.3, 8192, 1_920_000]
n = d is the bound where both widths are d; here 192 n² meets 16,384 n.
    [64, 8192, 1_920_000] || [65, 8192, 1_920_000]
the left way costs n² · (64 + 128): the scores take 64 n² of it, the outputs 128 n², and both count.
    [128, 8192, 1_920_000] || [129, 8192, 1_920_000] || [256, 8192, 1_920_000]
    [257, 8192, 1_920_000]
reading the state costs as much as making it: n · 64 · 128 twice.
    [43, 8192, 1_920_000] || [42, 8192, 1_920_000]
this is half of the left side, or twice the right one: 192 n² stands against 16,384 n.
    [171, 8192, 1_920_000]
the mean width does not stand for both: the right way has the product 64 · 128.
    [96, 8192, 1_920_000]
that counts another column, of ones, for a denominator; the values here have 128 numbers.
    [86, 8256, 1_920_000]
the state has a row for each of 64 features and 128 columns.
    [86, 4096, 1_920_000]
16,384 multiplications belong to a position; the state has 64 · 128 numbers.
    [86, 16_384, 1_920_000]
192 numbers are one key and one value; the state is a matrix of 64 rows and 128 columns.
    [86, 192, 1_920_000]
the state has the same size at every n: no factor 10,000.
    [86, 81_920_000, 1_920_000]
these are the keys alone; softmax needs the values, too.
    [86, 8192, 640_000]
keys have 64 features and values 128: 192 for a position.
    [86, 8192, 1_280_000] || [86, 8192, 2_560_000]
that is the matrix of scores; one step needs the keys and values that it is made of.
    [86, 8192, 100_000_000]
that is a state for each position; softmax keeps a key and a value, 64 + 128 numbers.
    [86, 8192, 81_920_000]
that is kept for one position; softmax keeps all 10,000 of them.
    [86, 8192, 192]
the last two are exchanged: the state is the small one.
    [86, 1_920_000, 8192]
"""

exercise = predict(costs, MISTAKES, stated=[86, 8192, 1_920_000])
