"""The mask of decays between any two steps."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import linear as solutions

rng = np.random.default_rng(2)
right = solutions.decay_mask


def _sums(g):
    """g_{j+1} + … + g_i in row i and column j ≤ i."""
    after = np.tri(g.shape[-1], k=-1, dtype=bool)
    return np.cumsum(np.where(after, g[..., :, None], 0), axis=-2)


def _from(sums):
    """A mask of exp of these sums, below and on the diagonal."""

    def mask(g):
        return np.where(np.tri(g.shape[-1], dtype=bool), np.exp(sums(g)), 0)

    return mask


def _totals(g):
    return np.cumsum(g, axis=-1)


def _differences(g):
    return _totals(g)[..., :, None] - _totals(g)[..., None, :]


def _ratios(g):
    products = np.exp(_totals(g))
    ratios = products[..., :, None] / products[..., None, :]
    return np.where(np.tri(g.shape[-1], dtype=bool), ratios, 0)


def _own_too(g):
    """g_j + … + g_i."""
    return _sums(g) + g[..., None, :]


def _mended(g):
    return np.nan_to_num(_from(_differences)(g))


def _patched(g):
    """NaN as 0, and 1 on the diagonal."""
    return np.where(np.eye(g.shape[-1], dtype=bool), 1, _mended(g)).astype(g.dtype)


def _clipped(lowest):
    """-inf as a finite number, so that differences are finite."""
    return lambda g: _from(_differences)(np.maximum(g, lowest)).astype(g.dtype)


def _multiplied(g):
    """Zeros and ones in the place of np.where."""
    n = g.shape[-1]
    sums = np.cumsum(np.tri(n, k=-1) * g[..., :, None], axis=-2)
    return np.exp(sums) * np.tri(n)


def _reciprocals(g):
    """The ratios again, as a product."""
    sums = _totals(g)
    return np.exp(sums)[..., :, None] * np.exp(-sums)[..., None, :] * np.tri(g.shape[-1])


def _distance(g):
    return np.arange(g.shape[-1])[:, None] - np.arange(g.shape[-1])


def _strict(g):
    return np.where(np.tri(g.shape[-1], k=-1, dtype=bool), right(g), 0)


def _one_sequence(g):
    n = len(g)
    out = np.zeros((n, n), g.dtype)
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = np.exp(g[j + 1 : i + 1].sum())
    return out


MINUS = (
    "where g is -inf, -inf - (-inf) gives NaN, as 0/0 does: add up what lies between two steps, "
    "and subtract or divide nothing."
)

decay_mask = Write(
    name="linear.decay_mask",
    title="The mask of decays",
    level="hard",
    minutes=12,
    solution_of=solutions.decay_mask,
    hints=(
        "On the diagonal nothing lies between: exp(0) = 1. Below it, the row i and the column j "
        "have the g of the steps j + 1 to i.",
        "In column j, the sum starts anew after row j. Put g_l in row l of each column, set it to "
        "0 where l ≤ j, and np.cumsum along the rows gives all sums.",
        "np.where(np.tri(n, k=-1, dtype=bool), log_decay[..., :, None], 0) is that matrix; the "
        "future above the diagonal is set to 0 at the end.",
    ),
    explanation=(
        "In column j only the steps after j are kept, so the cumulative sum down the column is "
        "g_{j+1} + … + g_i. Nothing is subtracted, so that −∞, which forgets everything before, "
        "gives exp(−∞) = 0 and no NaN."
    ),
    misconceptions=(
        Misconception(
            _from(_own_too),
            "g_j is in the sum: a step shrinks the state before it writes, so its own pair is not "
            "faded by it.",
        ),
        Misconception(
            _from(lambda g: _sums(g) - g[..., :, None] + g[..., None, :]),
            "the sum runs from j to i - 1: each decay is one step late.",
        ),
        Misconception(
            lambda g: np.where(np.tri(g.shape[-1], dtype=bool), _sums(g), 0),
            "these are the sums; a decay is their exponential.",
        ),
        Misconception(_sums, "these are the sums; a decay is their exponential."),
        Misconception(
            _from(lambda g: -_sums(g)), "the sign is turned: log-decays are negative already."
        ),
        Misconception(_strict, "the diagonal is 0: a step reads its own pair, unfaded."),
        Misconception(
            lambda g: np.swapaxes(right(g), -1, -2),
            "the mask is transposed: rows are queries i, columns keys j, and the future is j > i.",
        ),
        Misconception(
            _from(lambda g: g[..., :, None] - g[..., None, :]),
            "g_j is subtracted from g_i; what lies between adds up, g_{j+1} + … + g_i.",
        ),
        Misconception(
            lambda g: np.where(np.tri(g.shape[-1], dtype=bool), np.exp(_sums(g)), -np.inf),
            "the future is -inf, which is for scores before a softmax; here it has to be 0.",
        ),
        Misconception(
            lambda g: np.exp(_sums(g)), "above the diagonal lies the future; it has to be 0 there."
        ),
        Misconception(
            lambda g: np.exp(_differences(g)),
            "above the diagonal lies the future; it has to be 0 there.",
        ),
        Misconception(
            _from(lambda g: g[..., :, None] + 0 * g[..., None, :]),
            "only g_i is used; what lies between j and i adds up.",
        ),
        *(
            Misconception(
                _from(lambda g, one=one: _distance(g) * one(g)),
                "one decay stands for all steps between j and i; each has its own.",
            )
            for one in (
                lambda g: g[..., :1, None],
                lambda g: g[..., :, None],
                lambda g: g[..., None, :],
                lambda g: np.mean(g, axis=-1)[..., None, None],
            )
        ),
        Misconception(
            lambda g: np.tril(np.ones_like(_sums(g))),
            "this is the causal mask, without a decay: log_decay is not used.",
        ),
        Misconception(
            _from(lambda g: np.where(np.tri(g.shape[-1], k=-1, dtype=bool), g[..., :, None], 0)),
            "only g_i is used; what lies between j and i adds up: np.cumsum down the rows.",
        ),
        Misconception(lambda g: right(g[..., ::-1]), "the log-decays are taken in reverse order."),
        Misconception(
            _from(
                lambda g: np.cumsum(
                    np.where(np.tri(g.shape[-1], k=-1, dtype=bool), g[..., :, None], 0), axis=-1
                )
            ),
            "the sum runs along the columns; time runs down the rows.",
        ),
        Misconception(
            _from(lambda g: _totals(g)[..., :, None] + 0 * g[..., None, :]),
            "the sum starts at the first step; it starts after the step that wrote.",
        ),
        Misconception(
            _from(
                lambda g: np.cumsum(
                    np.where(np.tri(g.shape[-1], k=-1, dtype=bool), g[..., :, None], 0), axis=0
                )
            ),
            "the sum runs along axis 0, which is a batch axis where there is one: rows are "
            "axis -2.",
        ),
        Misconception(_from(_differences), MINUS),
        Misconception(_ratios, MINUS),
        Misconception(
            _mended,
            "a NaN became 0, and on the diagonal it should be 1: add up what lies between two "
            "steps, and subtract nothing.",
        ),
        Misconception(
            _patched,
            "a NaN became 0 wherever it stood: after a step with -inf the decays go on, and what "
            "lies between two later steps is not 0.",
        ),
        *(
            Misconception(
                _clipped(lowest),
                "a finite number stands for -inf: if it is small, something is left, and if it is "
                "large, the other log-decays are lost beside it in a sum.",
            )
            for lowest in (-1e3, -1e4, -1e9, -1e30, -100, -30)
        ),
        *(
            Misconception(
                version,
                "0 · -inf is NaN: take the triangle with np.where, not by multiplying with 0 and "
                "1.",
            )
            for version in (_multiplied, lambda g: _multiplied(g).astype(g.dtype))
        ),
        *(
            Misconception(version, MINUS)
            for version in (_reciprocals, lambda g: _reciprocals(g).astype(g.dtype))
        ),
        Misconception(
            lambda g: np.tril(np.exp(_differences(g))),
            MINUS,
        ),
        Misconception(
            _one_sequence,
            "this works without batch axes only: `...` stands for any number of them.",
        ),
        Misconception(
            lambda g: right(g).astype(np.float64),
            "the result is float64 whatever came in; keep the caller's float type.",
        ),
    ),
    notice="Times q kᵀ, entry by entry, this is the parallel form with decay.",
    cases=(
        case(log_decay=np.log([0.5, 0.25])),
        case(log_decay=np.log([0.5, 0.25, 0.1])),
        case(log_decay=np.array([-1.0])),
        case(log_decay=-rng.random(6)),
        case(log_decay=-rng.random((2, 4))),
        case(log_decay=-rng.random((3, 3))),
        case(log_decay=-rng.random((2, 3, 1, 5))),
        case(log_decay=np.zeros((2, 3))),
        stress(log_decay=np.array([0.0, -np.inf, -1.0])),
        stress(log_decay=np.array([[-np.inf, -1.0, -np.inf, -2.0]])),
        stress(log_decay=np.full(4, -800.0)),
        stress(log_decay=np.float32([-1.0, -0.5, -2.0])),
        stress(log_decay=np.float16([-1.0, -0.5, -2.0])),
        stress(log_decay=np.array([-0.3, -np.inf, -0.7, -0.1])),
        stress(log_decay=np.float32([-0.3, -np.inf, -0.7, -0.1])),
    ),
    exact_zeros=True,
)
