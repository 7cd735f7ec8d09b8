"""The mask of decays · hard · 12 min

Hints
1. On the diagonal no step lies between, so that the entry is exp(0) = 1. Below it, row i and column
   j have the g of the steps j + 1 to i.
2. In column j, the sum starts anew after row j. Put g_l in row l of each column, set it to 0 where
   l ≤ j, and np.cumsum along the rows gives all sums.
3. np.where(np.tri(n, k=-1, dtype=bool), log_decay[..., :, None], 0) is that matrix; the future
   above the diagonal is set to 0 at the end.

Why
In column j only the steps after j are kept, so the cumulative sum down the column is g_{j+1} + … +
g_i. Nothing is subtracted, so that −∞, which forgets everything before, gives exp(−∞) = 0 and no
NaN.

Notice
Times q kᵀ, entry by entry, this is the parallel form with decay.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def decay_mask(log_decay):
    """exp(g_{j+1} + … + g_i) for j ≤ i, from sums of what lies between."""
    n = log_decay.shape[-1]
    after = np.tri(n, k=-1, dtype=bool)
    sums = np.cumsum(np.where(after, log_decay[..., :, None], 0), axis=-2)
    return np.where(np.tri(n, dtype=bool), np.exp(sums), 0)


def by_difference(log_decay):
    n, totals = log_decay.shape[-1], np.cumsum(log_decay, axis=-1)
    between = totals[..., :, None] - totals[..., None, :]
    return np.where(np.tri(n, dtype=bool), np.exp(between), 0)


def by_distance(log_decay):
    n = log_decay.shape[-1]
    distance = np.arange(n)[:, None] - np.arange(n)
    return np.where(np.tri(n, dtype=bool), np.exp(distance * log_decay[..., :, None]), 0)


def of_each_pair(log_decay):
    """One sum for each query and each key."""
    n = log_decay.shape[-1]
    out = np.zeros((*log_decay.shape, n), log_decay.dtype)
    for i in range(n):
        for j in range(i + 1):
            out[..., i, j] = np.exp(log_decay[..., j + 1 : i + 1].sum(axis=-1))
    return out


rng = np.random.default_rng(2)

CASES = (
    case(log_decay=np.log([0.5, 0.25]), gives=np.array([[1, 0], [0.25, 1]])),
    case(
        log_decay=np.log([0.5, 0.25, 0.1]),
        gives=np.array([[1, 0, 0], [0.25, 1, 0], [0.025, 0.1, 1]]),
    ),
    case(log_decay=np.array([-1.0])),
    case(log_decay=-rng.random(6)),
    case(log_decay=-rng.random((2, 4))),
    case(log_decay=-rng.random((3, 3))),
    case(log_decay=-rng.random((2, 3, 1, 5))),
    case(log_decay=np.zeros((2, 3))),
    stress(
        log_decay=np.array([0.0, -np.inf, -1.0]),
        gives=np.array([[1, 0, 0], [0, 1, 0], [0, np.exp(-1), 1]]),
    ),
    stress(log_decay=np.array([[-np.inf, -1.0, -np.inf, -2.0]])),
    stress(log_decay=np.full(4, -800.0)),
    stress(log_decay=np.float32([-1.0, -0.5, -2.0])),
    stress(log_decay=np.float16([-1.0, -0.5, -2.0])),
    stress(log_decay=np.array([-0.3, -np.inf, -0.7, -0.1])),
    stress(log_decay=np.float32([-0.3, -np.inf, -0.7, -0.1])),
)

MISTAKES = """
g_j is in the sum: a step shrinks the state before it writes, so its own pair is not faded by it.
    np.exp(sums) → np.exp(sums + log_decay[..., None, :])
the sum runs from j to i - 1: each decay is one step late.
    np.exp(sums) → np.exp(sums - log_decay[..., :, None] + log_decay[..., None, :])
the sign is turned: log-decays are negative already.
    np.exp(sums) → np.exp(-sums)
g_j is subtracted from g_i; what lies between adds up, g_{j+1} + … + g_i.
    np.exp(sums) → np.exp(log_decay[..., :, None] - log_decay[..., None, :])
the future is -inf, which is for scores before a softmax; here it has to be 0.
    np.exp(sums), 0 → np.exp(sums), -np.inf
above the diagonal lies the future; it has to be 0 there.
    np.where(np.tri(n, dtype=bool), np.exp(sums), 0) → np.exp(sums)
    np.where(np.tri(n, dtype=bool), np.exp(between), 0) → np.exp(between)
only g_i is used; what lies between j and i adds up: np.cumsum down the rows.
    np.exp(sums) → np.exp(log_decay[..., :, None])
    np.cumsum(np.where(after, log_decay[..., :, None], 0), axis=-2) → np.where(after, log_decay[..., :, None], 0)
one decay stands for all steps between j and i; each has its own.
    is by_distance
    distance * log_decay[..., :, None] → distance * log_decay[..., :1, None]
    distance * log_decay[..., :, None] → distance * log_decay[..., None, :]
    distance * log_decay[..., :, None] → distance * np.mean(log_decay, axis=-1)[..., None, None]
the log-decays are taken in reverse order.
    = decay_mask(log_decay[..., ::-1])
the sum starts at the first step; it starts after the step that wrote.
    np.exp(sums) → np.exp(np.cumsum(log_decay, axis=-1)[..., :, None])
where g is -inf, -inf - (-inf) gives NaN, as 0/0 does: add up what lies between two steps, and
subtract or divide nothing.
    is by_difference
    np.exp(between) → np.exp(totals)[..., :, None] / np.exp(totals)[..., None, :]
    np.where(np.tri(n, dtype=bool), np.exp(between), 0) → np.exp(totals)[..., :, None] * np.exp(-totals)[..., None, :] * np.tri(n)
    np.where(np.tri(n, dtype=bool), np.exp(between), 0) → np.exp(totals)[..., :, None] * np.exp(-totals)[..., None, :] * np.tri(n, dtype=bool)
0 · -inf is NaN: take the triangle with np.where, not by multiplying with 0 and 1.
    np.where(after, log_decay[..., :, None], 0) → after * log_decay[..., :, None] ; np.where(np.tri(n, dtype=bool), np.exp(sums), 0) → np.exp(sums) * np.tri(n, dtype=bool)
    np.where(after, log_decay[..., :, None], 0) → np.tri(n, k=-1) * log_decay[..., :, None] ; np.where(np.tri(n, dtype=bool), np.exp(sums), 0) → np.exp(sums) * np.tri(n)
this works without batch axes only: `...` stands for any number of them.
    log_decay.shape[-1] → len(log_decay) ; (*log_decay.shape, n) → (n, n) ; out[..., i, j] → out[i, j] ; log_decay[..., j + 1 : i + 1].sum(axis=-1) → log_decay[j + 1 : i + 1].sum()
"""

exercise = write(
    decay_mask,
    CASES,
    MISTAKES,
    drafts=(by_difference, by_distance, of_each_pair),
    exact_zeros=True,
    oracle=of_each_pair,
)
