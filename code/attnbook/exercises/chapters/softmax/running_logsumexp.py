r"""A running log-sum-exp · medium · 10 min

Hints
1. The first entry is the first score. How does each entry follow from the one before it and one new
   score?
2. Merge with np.logaddexp(previous, score), in a loop over the last axis.
3. NumPy's two-argument functions have a method accumulate(array, axis=...) for such loops.

Why
$L_{0 \ldots j} = \ln(e^{L_{0 \ldots j-1}} + e^{s_j})$: each score is merged into what came before
it, as in the section on two blocks. `accumulate` of a NumPy function applies it in this way along
an axis. `np.logaddexp` shifts each pair by its own larger number, so no prefix depends on a score
that comes later.

Notice
No entry knows the scores after its own: the chapter on masks calls such a
view causal.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.reference import logsumexp


def running_logsumexp(scores):
    """L of the scores 0 … j, for every j."""
    return np.logaddexp.accumulate(scores, axis=-1)


def by_cumsum(scores):
    return np.log(np.cumsum(np.exp(scores), axis=-1))


def shifted(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    shift = np.where(np.isfinite(top), top, 0)
    return shift + np.log(np.cumsum(np.exp(scores - shift), axis=-1))


def neighbours(scores):
    pairs = np.logaddexp(scores[..., 1:], scores[..., :-1])
    return np.concatenate([scores[..., :1], pairs], axis=-1)


def one_behind(scores):
    first = np.full_like(scores[..., :1], -np.inf, dtype=float)
    return np.concatenate([first, running_logsumexp(scores)[..., :-1]], axis=-1)


def of_each_prefix(scores):
    """The log-sum-exp of each prefix, each by itself."""
    prefixes = [logsumexp(scores[..., : j + 1]) for j in range(scores.shape[-1])]
    return np.stack(prefixes, axis=-1)


rng = np.random.default_rng(2)
TINY = np.log([1.0, 3.0, 4.0])

CASES = (
    case(scores=TINY, gives=np.log([1.0, 4.0, 8.0])),
    case(scores=np.array([5.0])),
    case(scores=np.array([TINY, np.log([4.0, 3.0, 1.0])])),
    case(scores=np.array([[0.0, 1.0], [2.0, -1.0]])),
    case(scores=rng.standard_normal((2, 3, 4))),
    case(scores=rng.standard_normal((3, 2, 1, 5))),
    case(scores=rng.standard_normal((2, 1, 3, 2, 2))),
    case(scores=rng.standard_normal((2, 13))),
    stress(scores=np.array([-1000.0, 0.0])),
    stress(scores=np.array([[1000.0, 1000.0, -1000.0], [-1000.0, -1000.0, 1000.0]])),
    stress(scores=np.array([-1e4, 1e4, 1e4])),
    stress(scores=np.array([-1e300, -1e300, 1e300])),
    stress(scores=np.array([-np.inf, 0.0, -np.inf, 0.0])),
    stress(scores=np.array([[-np.inf, -np.inf], [0.0, np.log(3.0)]])),
    stress(scores=np.array([[1, 2, 3], [-900, 900, 0]])),
    stress(scores=np.float32([[0, 1, 2], [200, -200, 100]])),
    stress(scores=np.float16([[1, 2, 3], [-20, 20, 20]])),
)

MISTAKES = """
these are the running sums of exponentials: take their logarithm.
    = np.cumsum(np.exp(scores), axis=-1)
the scores are added: exponentiate before the sum.
    = np.log(np.cumsum(scores, axis=-1)) || np.cumsum(scores, axis=-1)
np.logaddexp exponentiates already: give it the scores.
    accumulate(scores → accumulate(np.exp(scores)
the sums start at the last score: entry j is about the scores 0 to j.
    accumulate(scores → accumulate(scores[..., ::-1]
    = running_logsumexp(scores[..., ::-1])[..., ::-1]
this is the logarithm of a mean: the sum is not divided.
    = np.log(np.cumsum(np.exp(scores), -1) / np.arange(1, scores.shape[-1] + 1))
exp overflows or underflows: merge logarithms with np.logaddexp instead.
    = by_cumsum(scores)
the maximum of the whole row comes later, and below it the first sums vanish: an entry may use only
the scores up to its own.
    = shifted(scores)
    np.where(np.isfinite(top), top, 0) → top
terms that were shifted by different maxima are added up: when the maximum rises, the sum so far has
to be shifted again.
    np.max(scores, axis=-1, keepdims=True) → np.maximum.accumulate(scores, axis=-1)
each entry is one score behind: entry j includes the score j itself.
    = one_behind(scores)
np.logaddexp2 takes powers of 2 and their logarithm: e goes with np.logaddexp.
    np.logaddexp → np.logaddexp2
that is the running maximum: the logarithm of the sum is missing.
    np.logaddexp → np.maximum
every entry is L of the whole row: entry j stops at the score j.
    = np.broadcast_to(logsumexp(scores)[..., None], scores.shape)
that is L of the whole row alone: there should be one entry for each score.
    = logsumexp(scores)
it runs on from one row into the next: each row starts afresh.
    = running_logsumexp(scores.ravel()).reshape(scores.shape)
each score is merged with one neighbour: merge it with all before it.
    = neighbours(scores)
"""

exercise = write(
    running_logsumexp, CASES, MISTAKES, drafts=(by_cumsum, shifted), oracle=of_each_prefix
)
