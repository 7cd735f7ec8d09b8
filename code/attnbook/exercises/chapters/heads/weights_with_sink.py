"""A sink in each head · hard · 15 min

Hints
1. The sink is one more score in every row of its head. What happens to its weight?
2. np.broadcast_to(sink[:, None, None], (*scores.shape[:-1], 1)) is a column of sinks, one for each
   row.
3. np.concatenate along the last axis, softmax, and drop the last column again.

Why
Each row gets the score of its head's sink as one more column; after the softmax the column is
dropped, and with it the weight that nobody reads. The maximum is taken over both, so nothing
overflows. The other way, softmax(scores) · σ(L − sink) with the log-sum-exp L of the row, is as
right if σ does not overflow either: 1 / (1 + np.exp(sink − L)) does for a very large sink, while
np.exp(−np.logaddexp(0, sink − L)) does not.

Notice
A head whose sink is high says something only where a key fits well. Without it, a head that finds
nothing must average all the same.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.reference import logsumexp, softmax


def weights_with_sink(scores, sink):
    """The sink is one more score in each row, whose weight is dropped."""
    column = np.broadcast_to(sink[:, None, None], (*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, column], axis=-1))[..., :-1]


def divided(scores, sink):
    sink = sink[:, None, None]
    m = top(scores)
    exp = np.exp(scores - m)
    return exp / (np.sum(exp, axis=-1, keepdims=True) + np.exp(sink - m))


def top(scores):
    largest = np.max(scores, axis=-1, keepdims=True)
    return np.where(np.isfinite(largest), largest, 0)


def by_share(scores, sink):
    """The softmax without a sink, times what the sink leaves: σ(L - sink)."""
    lse = logsumexp(scores.astype(np.float64))[..., None]
    weights = softmax(scores) * np.exp(-np.logaddexp(0, sink[:, None, None] - lse))
    return weights.astype(softmax(scores).dtype)


rng = np.random.default_rng(0)


def drawn(*shape, dtype=np.float64, size=1.0, kind=case):
    scores = size * rng.standard_normal(shape)
    sink = size * rng.standard_normal(shape[-3])
    return kind(scores=scores.astype(dtype), sink=sink.astype(dtype))


CASES = (
    case(
        scores=np.log([[[4.0, 1.0, 1.0]]]),
        sink=np.log([6.0]),
        gives=np.array([[[4 / 12, 1 / 12, 1 / 12]]]),
    ),
    case(scores=np.zeros((2, 1, 1)), sink=np.array([0.0, 1.0])),
    drawn(2, 3, 5),
    drawn(3, 3, 3),
    drawn(2, 2, 2),
    drawn(1, 4, 2),
    drawn(2, 3, 4, 5),
    drawn(3, 3, 2, 4),
    drawn(2, 3, 2, 3, 4),
    drawn(4, 2, 3, dtype=np.float32),
    drawn(2, 3, 5, size=3.0),
    stress(scores=np.array([[[1000.0, 999.0]]]), sink=np.array([1000.0])),
    stress(scores=np.array([[[-1000.0, -1001.0]]]), sink=np.array([-1000.0])),
    stress(scores=np.array([[[0.0, 1.0]]]), sink=np.array([900.0])),
    stress(scores=np.full((1, 1, 2), -np.inf), sink=np.array([-1e10])),
    stress(scores=np.array([[[1000.0, 999.0], [-1000.0, -999.0]]]), sink=np.array([-1000.0])),
    stress(scores=np.array([[[-np.inf, -np.inf], [0.0, -np.inf]]]), sink=np.array([0.0])),
    stress(scores=np.array([[[1, 2, 3]], [[0, 0, 0]]]), sink=np.array([2, 0])),
    drawn(2, 2, 3, dtype=np.float16, kind=stress),
)

MISTAKES = """
the weights of a row sum to 1, as if there were no sink: it is one more score, and what it takes is
not given back.
    = softmax(scores) || softmax(np.maximum(scores, sink[:, None, None]))
the sink's own weight is still there, or stands where that of a key is dropped: drop its column.
    [..., :-1] → [..., 1:]
    [scores, column] → [column, scores]
    [..., :-1] →
the sink is added to the denominator as it is: it is a score, so add its exponential.
    np.exp(sink - m) → sink
    np.exp(sink - m) → sink ; top(scores) → 0
    = weights_with_sink(scores, np.log(sink))
scores and sink both need the same shift, the maximum m: its exponential is exp(sink - m).
    np.exp(sink - m) → np.exp(sink)
    np.exp(sink - m) → np.exp(sink) ; top(scores) → np.maximum(top(scores), sink)
    np.exp(sink - m) → np.exp(sink - np.max(sink))
the sinks lie along the queries or the keys; each head has one.
    sink[:, None, None] → sink ; top(scores) → 0
    sink[:, None, None] → sink[:, None]
    = np.exp(scores - np.logaddexp(logsumexp(scores), sink)[..., None])
each score is compared with the sink alone: the keys and the sink share one denominator.
    = np.exp(scores - sink[:, None, None]) || 1 / (1 + np.exp(sink[:, None, None] - scores))
the sinks make one row for each head and no batch; a column has a row for every query.
    [scores, column] → [scores, sink[:, None, None]]
the shares have the shape (…, h, n_q), and meet weights of (…, h, n_q, n_k): give them one axis
more, at the end.
    = softmax(scores) / (1 + np.exp(sink[:, None] - logsumexp(scores)))
the sink is no threshold: a key below it keeps a small weight.
    = softmax(scores) * (scores > sink[:, None, None])
the sink counts twice, as exp(2 · sink) or 2 · exp(sink): its exponential is added once, as it is.
    = weights_with_sink(scores, 2 * sink)
    np.exp(sink - m) → 2 * np.exp(sink - m)
large scores overflow: subtract the maximum before the exponential, from the sink as well.
    top(scores) → 0
softmax(scores) times a share that does not depend on the scores: the sink competes with them.
    = softmax(scores) / (1 + np.exp(-sink[:, None, None]))
    = softmax(scores) / (1 + np.exp(sink[:, None, None]))
    = softmax(scores) * np.exp(-sink[:, None, None]) || softmax(scores) * (1 - sink[:, None, None])
that is the share of the sink; what the keys keep is exp(L) / (exp(L) + exp(sink)).
    = softmax(scores) / (1 + np.exp(logsumexp(scores)[..., None] - sink[:, None, None]))
"""

exercise = write(weights_with_sink, CASES, MISTAKES, drafts=(divided,), oracle=by_share)
