r"""The logarithm of the weights · medium · 10 min

Hints
1. Take the logarithm of the stable quotient by hand first: the logarithm of a quotient is a
   difference.
2. It is (s - m) minus ln Σ exp(s - m), each with the last axis kept (`keepdims=True`).
3. In a row of -inf, m is -inf and the sum is 0. Subtract 0 for such an m, and take the logarithm of
   1 for such a sum: two calls of np.where.

Why
From $A_j = e^{s_j - m} / \sum_l e^{s_l - m}$ follows
$\ln A_j = (s_j - m) - \ln \sum_l e^{s_l - m}$. The weight itself is never formed, so it cannot
underflow, and the maximum is subtracted from the scores, not added to the logarithm, so nothing is
rounded to the spacing of large numbers. Two guards settle the row in which all scores are −∞.

Notice
For (0, -1000) the second weight is 0 in a float64, and its logarithm is still exact.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.reference import logsumexp, softmax


def log_softmax(scores):
    """ln A_j = (s_j - m) - ln Σ_l exp(s_l - m); where nothing is visible -inf."""
    top = np.max(scores, axis=-1, keepdims=True)
    shifted = scores - np.where(np.isfinite(top), top, 0)
    total = np.sum(np.exp(shifted), axis=-1, keepdims=True)
    return shifted - np.log(np.where(total == 0, 1, total))


def unguarded(scores):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True))


def naive(scores):
    return scores - np.log(np.sum(np.exp(scores), axis=-1, keepdims=True))


def lse(scores):
    return logsumexp(scores)[..., None]


def by_logaddexp(scores):
    """The sum of exponentials by NumPy's own function of two logarithms, from the left."""
    wide = scores.astype(np.float64)
    top = wide.max(axis=-1, keepdims=True)
    shifted = wide - np.where(top == -np.inf, 0, top)
    lse = np.logaddexp.reduce(shifted, axis=-1, keepdims=True)
    kind = scores.dtype if scores.dtype.kind == "f" else np.float64
    return (shifted - np.where(lse == -np.inf, 0, lse)).astype(kind)


rng = np.random.default_rng(2)
TINY = np.log([1.0, 3.0, 4.0])

CASES = (
    case(scores=TINY, gives=np.log([1 / 8, 3 / 8, 4 / 8])),
    case(scores=np.array([5.0]), gives=np.array([0.0])),
    case(scores=np.array([TINY, np.log([2.0, 2.0, 4.0])])),
    case(scores=np.array([[0.0, 1.0], [2.0, -1.0]])),
    case(scores=rng.standard_normal((2, 3, 4))),
    case(scores=rng.standard_normal((3, 2, 1, 5))),
    case(scores=rng.standard_normal((2, 1, 3, 2, 2))),
    stress(scores=np.array([0.0, -1000.0]), gives=np.array([0.0, -1000.0])),
    stress(scores=np.array([0.0, 0.0, -740.0, -1000.0])),
    stress(scores=np.array([[-1000.0, -1001.0], [0.0, 1.0], [1000.0, 1001.0]])),
    stress(scores=np.array([1e4, -1e4, 0.0])),
    stress(scores=np.array([-1e4, -1e4])),
    stress(scores=np.array([-1e300, 1e300, 1e300])),
    stress(scores=np.array([-1e300, -1e300])),
    stress(scores=np.array([0.0, -np.inf, np.log(3.0)])),
    stress(scores=np.array([[-np.inf, -np.inf], [0.0, np.log(3.0)]])),
    stress(scores=np.array([-np.inf]), gives=np.array([-np.inf])),
    stress(scores=np.array([[1, 2, 3], [900, -900, 0]])),
    stress(scores=np.float32([10_000, 10_001.1, 10_001.4])),
    stress(scores=np.float32([[0, 1, -200], [3, 3, 3]])),
    stress(scores=np.float16([[1, 2, 3], [60_000, 50_000, 60_000]])),
)

MISTAKES = """
one sum serves all rows: each row has its own, axis=-1 and keepdims=True.
    np.sum(np.exp(shifted), axis=-1, keepdims=True) → np.sum(np.exp(shifted))
the maximum is subtracted from the scores, not inside the sum: both need the shift.
    np.exp(shifted) → np.exp(scores)
this is L of the row, once for each score: subtract it from the scores.
    = lse(scores) + 0 * scores
near huge scores L keeps too few digits, and in a row of -inf it is -inf, too: subtract the maximum
from the scores first, with guards, and then the logarithm of the sum of shifted exponentials.
    = scores - lse(scores) || scores - np.where(lse(scores) == -np.inf, 0, lse(scores))
the logarithm of a quotient is a difference, not a quotient.
    - np.log( → / np.log(
the scores stay, or are added up themselves: subtract the logarithm of the sum of exponentials.
    = scores * 1 || scores - scores.mean(-1, keepdims=True)
    = scores - scores.sum(-1, keepdims=True)
the weight itself is formed: it may be too small for a float, and 0, whose logarithm is -inf; and a
small number added to it is in every logarithm. Take the logarithm of the quotient by hand.
    = np.log(softmax(scores)) || np.log(softmax(scores) + 1e-12)
    shifted - np.log(np.where(total == 0, 1, total)) → np.log(np.exp(shifted) / total)
exp overflows or underflows: subtract each row's maximum before it.
    = np.log(np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True))
    np.max(scores, axis=-1, keepdims=True) → np.zeros_like(scores)
the sum goes over another axis: keys are the last one of any array, axis=-1.
    = np.moveaxis(log_softmax(np.moveaxis(scores, 0, -1)), -1, 0)
    = np.moveaxis(log_softmax(np.moveaxis(scores, 1, -1)), -1, 1)
the sum lost its axis, and one row meets another row's number: keepdims=True.
    np.sum(np.exp(shifted), axis=-1, keepdims=True) → np.sum(np.exp(shifted), axis=-1)
    axis=-1, keepdims=True ⇒ axis=-1
what is subtracted does not bound the largest score, and exp overflows: subtract the maximum.
    np.max( → np.min( || np.mean(
in a row of -inf, -inf - (-inf) is NaN, and two steps meet it: subtract 0 where the maximum is -inf,
and take the logarithm of 1 where the sum is 0, since that of 0 is -inf.
    = unguarded(scores)
    np.where(total == 0, 1, total) → total
    np.where(np.isfinite(top), top, 0) → top
"""

exercise = write(log_softmax, CASES, MISTAKES, drafts=(unguarded, naive), oracle=by_logaddexp)
