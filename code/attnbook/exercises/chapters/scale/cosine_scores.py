"""Scores that cannot grow · medium · 10 min

Hints
1. Divide each query and each key by its own length; what is left is a product that you have written
   before.
2. `np.linalg.norm(x, axis=-1, keepdims=True)` has the length of each vector, in a shape that
   divides `x`.
3. Where the length is 0 divide by 1: `np.where(length == 0, 1, length)`.

Why
Each vector is divided by its length along the last axis, so that only its direction is left. A
vector of zeros has no direction; divided by 1 it stays zeros, and so do its scores.

Notice
These scores lie between -1 and 1 at every width, so no key can get more than e² = 7.4 times the
weight of another. A model that uses them multiplies them by a number that it learns.
"""

import numpy as np

from attnbook.exercises.engine import case, draw, stress, write
from attnbook.reference import softmax


def cosine_scores(q, k):
    """S_ij = q_i · k_j / (|q_i| |k_j|), and 0 where a length is 0."""
    length_q = np.linalg.norm(q, axis=-1, keepdims=True)
    length_k = np.linalg.norm(k, axis=-1, keepdims=True)
    q = q / np.where(length_q == 0, 1, length_q)
    k = k / np.where(length_k == 0, 1, length_k)
    return q @ np.swapaxes(k, -1, -2)


def divisor(x):
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.where(length == 0, 1, length)


def both_alike(q, k):
    return (q / divisor(q)) @ np.swapaxes(k / divisor(k), -1, -2)


def by_lengths_of_scores(q, k):
    lengths = np.linalg.norm(q, axis=-1) * np.linalg.norm(k, axis=-1)
    return q @ np.swapaxes(k, -1, -2) / lengths


def of_each_pair(q, k):
    """The product of each pair over the root of both squares."""
    squares = ((x * x).sum(axis=-1) for x in (q, k))
    sizes = np.sqrt(np.einsum("...i,...j->...ij", *squares))
    products = np.einsum("...id,...jd->...ij", q, k)
    return np.divide(products, sizes, out=np.zeros_like(sizes), where=sizes > 0)


rng = np.random.default_rng(0)
Q, K = np.array([[3.0, 4.0]]), np.array([[4.0, 3.0], [0.0, 2.0]])


def normal(q, k):
    return draw(rng, {"q": q, "k": k})


CASES = (
    case(
        q=Q, k=np.array([[4.0, 3.0], [-6.0, -8.0], [0.0, 2.0]]), gives=np.array([[0.96, -1, 0.8]])
    ),
    case(q=np.array([[2.0]]), k=np.array([[5.0], [-5.0]])),
    case(**normal((3, 4), (5, 4))),
    case(**normal((3, 3), (3, 3))),
    case(**normal((2, 3, 4), (2, 5, 4))),
    case(**normal((2, 3, 4, 5), (2, 3, 2, 5))),
    case(**normal((3, 3, 3), (3, 3, 3))),
    stress(q=np.array([[0.0, 0.0], [1.0, 0.0]]), k=np.array([[3.0, 4.0], [0.0, 0.0]])),
    stress(q=np.array([[1e-9, 0.0]]), k=np.array([[1.0, 1.0]])),
    *(stress(q=Q.astype(dtype), k=K.astype(dtype)) for dtype in (np.float32, np.float16, np.int64)),
    stress(q=np.array([[1e20, 0.0]]), k=np.array([[1e20, 1e20], [1e-20, 0.0]])),
)

MISTAKES = """
nothing is divided: these are plain dot products, which grow.
    = q @ np.swapaxes(k, -1, -2)
only one side has length 1: queries and keys both need it.
    k = k / np.where(length_k == 0, 1, length_k) → pass
    q = q / np.where(length_q == 0, 1, length_q) → pass
vectors are divided by another size: a length is the root of the sum of squares.
    np.where(length == 0, 1, length) → np.where(length == 0, 1, length**2)
    np.where(length == 0, 1, length) → np.where(length == 0, 1, np.sqrt(length))
    norm(x, axis=-1, keepdims=True) → norm(x, 1, axis=-1, keepdims=True)
the lengths run over the positions; each vector lies along the last axis.
    axis=-1 ⇒ axis=-2
all vectors are divided by one number, the size of the whole array; each has a length of its own.
    norm(x, axis=-1, keepdims=True) → norm(x)
this is large where vectors disagree, as a distance or an angle is: a score is large where they
agree.
    = 1 - cosine_scores(q, k) || np.arccos(np.clip(cosine_scores(q, k), -1, 1))
    = -cosine_scores(q, k)
the lengths lost their axis, and meet other numbers: keepdims=True divides each vector by its own.
    , keepdims=True ⇒
    = by_lengths_of_scores(q, k)
a key that points away has a cosine below 0, and keeps it.
    = np.abs(cosine_scores(q, k)) || (1 + cosine_scores(q, k)) / 2
the products are divided by the width; each vector has a length of its own.
    = q @ np.swapaxes(k, -1, -2) / q.shape[-1]
the products are forced between -1 and 1; divided by both lengths they lie there.
    = np.tanh(q @ np.swapaxes(k, -1, -2)) || np.clip(q @ np.swapaxes(k, -1, -2), -1, 1)
a vector of zeros gives 0/0 = NaN; its scores should be 0.
    np.where(length == 0, 1, length) → length
a small number is added to the length, or is its least: vectors that are as short do not get length
1. Guard against 0 alone.
    np.where(length == 0, 1, length) → length + 1e-8 || length + 1e-6 || np.maximum(length, 1e-8)
    np.where(length == 0, 1, length) → np.maximum(length, 1e-6)
"""

exercise = write(
    cosine_scores, CASES, MISTAKES, drafts=((divisor, both_alike),), oracle=of_each_pair
)
