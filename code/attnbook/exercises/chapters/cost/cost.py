"""What fused attention costs · medium · 10 min

Hints
1. Each query meets each key, with two operations for each feature of the key, and once more with two
   for each feature of the value.
2. For the bytes, write down the shape of each of Q, K, V and O: heads, positions, features.
3. L has one number for each query of each head, and always takes 4 bytes for it.

Why
Every query head takes $2 n_q n_k d_k$ operations for its scores, $2 n_q n_k d_v$ to mix the values,
and $n_q n_k$ exponentials. $Q$ and $O$ have $h$ heads, $K$ and $V$ have $h_{kv}$, and $L$ takes 4
bytes for each query of each head.

Notice
With n_q = 1 the function counts a step of writing, in which h/h_kv queries meet each key.
"""

from math import prod

import numpy as np

from attnbook.exercises.engine import case, write


def cost(n_q, n_k, d_k, d_v, h, h_kv, itemsize):
    """Operations, exponentials and bytes of fused attention."""
    operations = 2 * h * n_q * n_k * (d_k + d_v)
    numbers = h * n_q * (d_k + d_v) + h_kv * n_k * (d_k + d_v)
    counts = operations, h * n_q * n_k, itemsize * numbers + 4 * h * n_q
    return np.array(counts, float)


def from_shapes(n_q, n_k, d_k, d_v, h, h_kv, itemsize):
    """From the shape of each array, and the operations that each number of a product takes."""
    q, k, v, out = (h, n_q, d_k), (h_kv, n_k, d_k), (h_kv, n_k, d_v), (h, n_q, d_v)
    scores, lse = prod((h, n_q, n_k)), prod((h, n_q))
    operations = scores * 2 * d_k + prod(out) * 2 * n_k
    return np.array(
        [operations, scores, itemsize * sum(map(prod, (q, k, v, out))) + 4 * lse], float
    )


CASES = (
    case(n_q=1, n_k=1, d_k=1, d_v=1, h=1, h_kv=1, itemsize=4, gives=np.array([4.0, 1.0, 20.0])),
    case(n_q=2, n_k=3, d_k=4, d_v=5, h=1, h_kv=1, itemsize=4, gives=np.array([108.0, 6.0, 188.0])),
    case(n_q=3, n_k=2, d_k=5, d_v=4, h=1, h_kv=1, itemsize=8),
    case(n_q=2, n_k=3, d_k=4, d_v=5, h=6, h_kv=2, itemsize=2),
    case(n_q=1, n_k=7, d_k=2, d_v=3, h=4, h_kv=1, itemsize=2),
    case(n_q=4096, n_k=4096, d_k=128, d_v=128, h=32, h_kv=8, itemsize=2),
)

MISTAKES = """
L has one float32, of 4 bytes whatever the itemsize, for each query of each of the h query heads; it
is written and not read.
    4 * h * n_q → 4 * n_q || 4 * h_kv * n_q || 4 * h * n_k || 4 || 8 * h * n_q
    + 4 * h * n_q →
    4 * h * n_q → itemsize * h * n_q || 4 * itemsize * h * n_q
each score takes one exponential, and each of the h query heads has n_q n_k scores of its own.
    , h * n_q * n_k, → , 2 * h * n_q * n_k, || , h * n_q, || , n_q * n_k, || , h_kv * n_q * n_k,
Q and K have the width of the keys, d_k; V and O have that of the values, d_v, and so has mixing.
    h * n_q * (d_k + d_v) → h * n_q * 2 * d_k
    h_kv * n_k * (d_k + d_v) → h_kv * n_k * 2 * d_k || h_kv * n_k * 2 * d_v
    = cost(n_q, n_k, d_k, d_k, h, h_kv, itemsize)
each term of a sum is two operations, a multiplication and an addition, and by convention the first
term counts like the others: not one, and not four.
    2 * h * → h * || 4 * h *
    2 * h * n_q * n_k * (d_k + d_v) → h * n_q * (n_k * (2 * d_k - 1) + d_v * (2 * n_k - 1))
mixing is a second product, of weights and values; it takes 2 n_q n_k d_v operations, not d_k again.
    n_q * n_k * (d_k + d_v) → n_q * n_k * 2 * d_k || n_q * n_k * d_k
all h query heads do their operations: sharing keys saves bytes and no arithmetic.
    2 * h * → 2 * h_kv * || 2 *
the steps of the softmax are no operations of products; leave them out, and count the exponentials
separately.
    2 * h * n_q * n_k * (d_k + d_v) → h * n_q * n_k * (2 * (d_k + d_v) + 5)
    2 * h * n_q * n_k * (d_k + d_v) → h * n_q * n_k * (2 * (d_k + d_v) + 1)
K and V have h_kv heads, and are read once for all the heads that share them; Q and O have h.
    h_kv * n_k → h * n_k
    h * n_q * (d_k + d_v) + h_kv → h_kv * n_q * (d_k + d_v) + h
each number of Q, K, V and O takes itemsize bytes, and each number of L takes 4.
    itemsize * numbers → numbers || 4 * numbers
    itemsize * numbers + 4 * → numbers +
the scores and weights stay on the chip, so the fused form neither writes nor reads them.
    itemsize * numbers → itemsize * (numbers + 4 * h * n_q * n_k)
    itemsize * numbers → itemsize * (numbers + 2 * h * n_q * n_k)
that is the count of a single head; there are h of them, and h_kv of keys and values.
    = cost(n_q, n_k, d_k, d_v, 1, 1, itemsize)
that is in bits; the question asks for bytes.
    = cost(n_q, n_k, d_k, d_v, h, h_kv, itemsize) * [1, 1, 8]
"""

exercise = write(cost, CASES, MISTAKES, oracle=from_shapes)
