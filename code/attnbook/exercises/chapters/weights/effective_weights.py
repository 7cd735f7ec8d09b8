"""The part of the weights that arrives · hard · 12 min

Hints
1. Two vectors of weights make the same average if their difference z has zᵀ V = 0.
2. The shortest vector with the same average has nothing in the null space: it is V times something.
3. np.linalg.pinv(values) is V⁺, and V V⁺ projects on what V can reach, whatever the rank.

Why
V V⁺ projects on the columns of V. What it takes off, z, is orthogonal to every column, so zᵀ V = 0
and the average stays. Any other vector with this average has something orthogonal added to it, and
is longer.

Notice
Its numbers need not sum to 1, and some may be negative: what arrives of the weights is no row of
weights. If V has as many independent columns as rows, all of the weights arrive.
"""

import numpy as np

from attnbook.exercises.engine import case, draw, stress, write


def effective_weights(weights, values):
    """The shortest vector with the same average: V V⁺ a."""
    return values @ np.linalg.pinv(values) @ weights


def by_least_squares(weights, values):
    """The solution of Vᵀ x = Vᵀ a that is shortest, as LAPACK finds it."""
    return np.linalg.lstsq(values.T, values.T @ weights)[0]


rng = np.random.default_rng(4)


def drawn(n, d):
    weights = rng.random(n)
    return {"weights": weights / weights.sum(), **draw(rng, {"values": (n, d)})}


repeated = drawn(5, 2)
repeated["values"] = np.repeat(repeated["values"], 2, axis=1)

CASES = (
    case(
        weights=np.array([1.0, 0.0]),
        values=np.array([[1.0], [1.0]]),
        gives=np.array([0.5, 0.5]),
    ),
    case(
        weights=np.array([0.5, 0.5]),
        values=np.array([[1.0, 0.0], [0.0, 2.0]]),
        gives=np.array([0.5, 0.5]),
    ),
    case(**drawn(3, 1)),
    case(**drawn(4, 2)),
    case(**drawn(6, 3)),
    case(**drawn(3, 5)),
    case(
        weights=np.array([1.0, 0.0, 0.0, 0.0]),
        values=np.array([[1, 1], [1, -1], [1, 1], [1, -1]]) * [2**-12, 2**-19],
        gives=np.array([0.5, 0.0, 0.5, 0.0]),
    ),
    stress(**repeated),
    stress(weights=np.array([0.3, 0.7]), values=np.zeros((2, 3)), gives=np.zeros(2)),
)

MISTAKES = """
the weights may have another sum, and only the average has to stay: V is not to be centred.
    return values @ np.linalg.pinv(values) @ weights → return (lambda v: v @ np.linalg.pinv(v))(values - values.mean(axis=0)) @ weights
the weights may have another sum, and only the average has to stay: V gets no column of ones.
    return values @ np.linalg.pinv(values) @ weights → return (lambda v: v @ np.linalg.pinv(v))(np.c_[values, np.ones(len(values))]) @ weights
small numbers in V count as well: what is cut off is only what rounding has left of a 0.
    np.linalg.pinv(values) → np.linalg.pinv(values, rcond=0.1) || np.linalg.pinv(values, rcond=0.01)
    values @ np.linalg.pinv(values) @ weights → (lambda u, s: u[:, s > 0.1] @ (u[:, s > 0.1].T @ weights))(*np.linalg.svd(values, full_matrices=False)[:2])
    values @ np.linalg.pinv(values) @ weights → (lambda u, s: u[:, s > 1e-3] @ (u[:, s > 1e-3].T @ weights))(*np.linalg.svd(values, full_matrices=False)[:2])
V Vᵀ projects only where the columns of V are orthogonal and of length 1: V V⁺ always does.
    values @ np.linalg.pinv(values) @ weights → values @ values.T @ weights
a weight times the size of its value says nothing of what cancels in the average.
    values @ np.linalg.pinv(values) @ weights → weights * np.linalg.norm(values, axis=1)
this is the part that doesn't arrive: subtract it from the weights.
    values @ np.linalg.pinv(values) @ weights → weights - values @ np.linalg.pinv(values) @ weights
these are the weights as they were; some of them may not arrive.
    values @ np.linalg.pinv(values) @ weights → weights
the shortest vector may have negative numbers, and cutting them off changes the average.
    values @ np.linalg.pinv(values) @ weights → np.maximum(values @ np.linalg.pinv(values) @ weights, 0)
    return values @ np.linalg.pinv(values) @ weights → return (lambda x: x / x.sum())(np.maximum(values @ np.linalg.pinv(values) @ weights, 0))
the shortest vector need not sum to 1, and dividing by its sum changes the average.
    return values @ np.linalg.pinv(values) @ weights → return (lambda x: x / x.sum())(values @ np.linalg.pinv(values) @ weights)
where the columns of V depend on each other, as they must where there are more of them than rows,
VᵀV has no inverse: the pseudoinverse needs none.
    np.linalg.pinv(values) → np.linalg.inv(values.T @ values) @ values.T
    return values @ np.linalg.pinv(values) @ weights → try:\\n        return values @ np.linalg.inv(values.T @ values) @ (values.T @ weights)\\n    except np.linalg.LinAlgError:\\n        return values @ np.linalg.pinv(values) @ weights
"""

exercise = write(effective_weights, CASES, MISTAKES, oracle=by_least_squares)
