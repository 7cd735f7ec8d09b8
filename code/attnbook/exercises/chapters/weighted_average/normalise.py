"""From affinities to weights · easy · 5 min

Hints
1. Sum over the last axis: each row belongs to one query.
2. `keepdims=True` keeps the sums in a shape that divides row by row.
3. `np.where(total == 0, 1, total)` avoids 0/0 in a row without any affinity.

Why
`keepdims=True` keeps the summed axis as an axis of length 1, so that every row is divided by its
own sum. Dividing a row of zeros by 1 leaves it zero.

Notice
The output keeps the dtype that came in, and no row depends on another.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.reference import softmax


def normalise(affinities):
    """Weights that are proportional to the affinities of each row and sum to one."""
    total = affinities.sum(axis=-1, keepdims=True)
    return affinities / np.where(total == 0, 1, total)


def number_by_number(affinities):
    rows = affinities.reshape(-1, affinities.shape[-1]).tolist()
    weights = [[a / (sum(row) or 1) for a in row] for row in rows]
    return np.array(weights, np.result_type(affinities, np.float16)).reshape(affinities.shape)


rng = np.random.default_rng(1)

CASES = (
    case(affinities=np.array([[1.0, 3.0, 4.0]]), gives=np.array([[1 / 8, 3 / 8, 4 / 8]])),
    case(affinities=np.array([[1.0, 1.0], [1.0, 3.0]])),
    case(affinities=np.array([1.0, 3.0, 4.0])),
    case(affinities=np.array([[0.0, 1.0, 3.0]])),
    stress(affinities=np.array([[2.0, 2.0], [0.0, 0.0]])),
    case(affinities=np.array([[0.5, 0.5000001]])),
    case(affinities=np.array([[[1.0, 3.0]], [[2.0, 2.0]]])),
    case(affinities=np.array([1.0, 3.0, 4.0]) * 1e-9),
    case(affinities=rng.random((2, 3, 4, 5))),
    case(affinities=rng.random((2, 1, 3, 2, 2))),
    stress(affinities=np.array([[1, 3, 4], [2, 1, 1]])),
    stress(affinities=rng.random((3, 2)).astype(np.float32)),
    stress(affinities=rng.random((2, 3)).astype(np.float16)),
    stress(affinities=np.array([[1e-200, 3e-200], [1e200, 3e200]])),
    stress(affinities=np.array([[2.5e-309, 7.5e-309]])),
    stress(affinities=np.zeros((2, 1, 3))),
    stress(affinities=np.zeros(2)),
    stress(affinities=np.zeros((1, 2), np.float32)),
    stress(affinities=np.array([[0, 2], [0, 0]])),
)

MISTAKES = r"""
each row is divided by its length, the root of the sum of squares: divide by the sum.
    affinities.sum( → np.linalg.norm(affinities,
each row is divided by the number of keys: divide by its sum.
    = affinities / affinities.shape[-1]
this divides by the length of the first axis: divide each row by its sum.
    = affinities / len(affinities)
all is divided by the largest affinity: divide each row by its own sum.
    = affinities / affinities.max()
the largest weight is 1, but the weights of a row do not sum to 1.
    affinities.sum( → affinities.max(
axis=1 is the last axis of a matrix only: axis=-1 is the last of any array.
    axis=-1 → axis=1
a row of zeros became 0/0 = NaN; a query that matches nothing gets zeros.
    np.where(total == 0, 1, total) → total
a row of zeros became uniform: a query that matches nothing gets zeros.
    = np.where(affinities.any(-1, keepdims=True), normalise(affinities), 1 / affinities.shape[-1])
a small number is added to each sum, so rows no longer sum to one.
    keepdims=True) → keepdims=True) + 1e-6 || keepdims=True) + 1e-8 || keepdims=True) + 1e-9
    keepdims=True) → keepdims=True) + 1e-10 || keepdims=True) + 1e-12
this takes exponentials, which change the ratios of the affinities: divide by the sum alone.
    = softmax(affinities)
"""

exercise = write(normalise, CASES, MISTAKES, oracle=number_by_number, exact_zeros=True)
