"""Wrong versions of weights with a sink, with what is wrong in them."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.reference import logsumexp, softmax


def _top(scores):
    largest = np.max(scores, axis=-1, keepdims=True)
    return np.where(np.isfinite(largest), largest, 0)


def _divided(total, shift=_top):
    """exp(s - m) over a total of its own."""

    def weights(scores, sink):
        exp = np.exp(scores - shift(scores))
        return exp / (np.sum(exp, axis=-1, keepdims=True) + total(scores, sink[:, None, None]))

    return weights


def _column(scores, sink):
    column = np.broadcast_to(sink[:, None, None], (*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, column], axis=-1))


def _right(scores, sink):
    return _column(scores, sink)[..., :-1]


def _divided_again(scores, sink):
    weights = _right(scores, sink)
    return weights / weights.sum(axis=-1, keepdims=True)


def _for_queries(scores, sink):
    """The sinks along the queries, where there are as many."""
    column = np.broadcast_to(sink[:, None], (*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, column], axis=-1))[..., :-1]


def _for_batches(scores, sink):
    column = np.broadcast_to(sink.reshape(-1, *[1] * (scores.ndim - 1)), (*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, column], axis=-1))[..., :-1]


def _one_for_all(scores, sink):
    return _right(scores, np.full_like(sink, sink[0]))


def _mean_for_all(scores, sink):
    return _right(scores, np.full_like(sink, sink.mean()))


def _in_front(scores, sink):
    """The sink's column in front, and the last one dropped."""
    column = np.broadcast_to(sink[:, None, None], (*scores.shape[:-1], 1))
    return softmax(np.concatenate([column, scores], axis=-1))[..., :-1]


def _off_by_one(scores, sink):
    return _right(scores, np.zeros_like(sink))


def _plain(total):
    """As `_divided`, and nothing is subtracted from the scores."""
    return _divided(total, shift=lambda scores: 0)


def _for_keys(scores, sink):
    """The sinks along the keys, where there are as many."""
    exp = np.exp(scores)
    return exp / (np.sum(exp, axis=-1, keepdims=True) + np.exp(sink))


def _all_sinks(scores, sink):
    columns = np.broadcast_to(sink, (*scores.shape[:-1], len(sink)))
    weights = softmax(np.concatenate([scores, columns], axis=-1))
    return weights[..., : scores.shape[-1]]


def _both_shifted(scores, sink):
    """The maximum of scores and sink is subtracted from the scores alone."""
    sink = sink[:, None, None]
    exp = np.exp(scores - np.maximum(_top(scores), sink))
    return exp / (np.sum(exp, axis=-1, keepdims=True) + np.exp(sink))


def _shifted(shift):
    """One shift for scores and sink, of which some rows see nothing."""

    def weights(scores, sink):
        sink = sink[:, None, None]
        m = shift(scores, sink)
        exp = np.exp(scores - m)
        return exp / (np.sum(exp, axis=-1, keepdims=True) + np.exp(sink - m))

    return weights


def _over(axes):
    """Denominators that run over other axes than the keys."""

    def weights(scores, sink):
        exp = np.exp(scores - np.max(_top(scores)))
        total = np.exp(sink[:, None, None] - np.max(_top(scores)))
        return exp / (np.sum(exp, axis=axes, keepdims=True) + total)

    return weights


def _times_share(share):
    def weights(scores, sink):
        return softmax(scores) * share(logsumexp(scores)[..., None], sink[:, None, None])

    return weights


def _without_its_axis(scores, sink):
    return softmax(scores) * (1 / (1 + np.exp(sink[:, None] - logsumexp(scores))))


def _lse_along_the_queries(scores, sink):
    return np.exp(scores - np.logaddexp(logsumexp(scores), sink)[..., None])


def _column_alone(scores, sink):
    """A column with one row for each head, which meets as many as there are queries."""
    return softmax(np.concatenate([scores, sink[:, None, None]], axis=-1))[..., :-1]


def _scaled(scores, sink):
    return _right(scores / np.sqrt(scores.shape[-1]).astype(sink.dtype), sink)


def _in_double(scores, sink):
    return _right(scores, sink).astype(np.float64)


_SUMMING_TO_1 = (
    lambda scores, sink: softmax(scores),
    _divided_again,
    lambda scores, sink: softmax(scores + sink[:, None, None]),
    lambda scores, sink: softmax(np.maximum(scores, sink[:, None, None])),
)
_WITHOUT = (
    "the weights of a row sum to 1, as if there were no sink: it is one more score, and what it "
    "takes is not given back."
)
_SHARE = (
    "softmax(scores) times a share that does not depend on the scores: the sink competes with them."
)
_NO_EXP = "the sink is added to the denominator as it is: it is a score, so add its exponential."
_LOST = (
    "the scores have lost their maximum m and the sink has not: its exponential is exp(sink - m)."
)
_OWN_MAXIMUM = (
    "one maximum is subtracted in all rows, and the exponentials of a lower row vanish: each row "
    "has its own."
)

MISTAKES = (
    *(Misconception(known, _WITHOUT) for known in _SUMMING_TO_1),
    Misconception(
        _column, "the sink's own weight is still there: it has no value, so drop its column."
    ),
    *(
        Misconception(known, _NO_EXP)
        for known in (
            _divided(lambda scores, sink: sink),
            _plain(lambda scores, sink: sink),
            lambda scores, sink: _right(scores, np.log(sink)),
        )
    ),
    *(
        Misconception(known, _LOST)
        for known in (_divided(lambda scores, sink: np.exp(sink)), _both_shifted)
    ),
    Misconception(
        _divided(lambda scores, sink: np.exp(sink - np.max(sink))),
        "the scores have lost their maximum and the sink another number: both need the same shift.",
    ),
    Misconception(
        _shifted(lambda scores, sink: np.max(scores, axis=-1, keepdims=True)),
        "where all scores are −∞ their maximum is −∞, and −∞ − (−∞) is NaN: let the sink take "
        "part in the maximum.",
    ),
    *(
        Misconception(known, _OWN_MAXIMUM)
        for known in (
            _shifted(lambda scores, sink: max(np.max(scores), np.max(sink))),
            _shifted(lambda scores, sink: np.max(scores)),
        )
    ),
    *(
        Misconception(known, "the same is added to every denominator, whatever the sink is.")
        for known in (_divided(lambda scores, sink: 1.0), _off_by_one)
    ),
    Misconception(
        _divided(lambda scores, sink: np.exp(-sink - _top(scores))),
        "the sign of the sink is wrong: a larger sink takes more.",
    ),
    *(
        Misconception(known, "the sinks lie along the queries; each head has one.")
        for known in (_for_queries, _lse_along_the_queries)
    ),
    Misconception(
        lambda scores, sink: np.exp(scores - sink[:, None, None]),
        "a score is compared with the sink alone: divide by the sum over all keys and the sink.",
    ),
    Misconception(_for_batches, "the sinks lie along the first axis; the heads are on axis -3."),
    Misconception(
        lambda scores, sink: _right(np.where(scores == -np.inf, -1e9, scores), sink),
        "a large negative number stands for −∞: where the sink is lower still, hidden keys get "
        "all the weight.",
    ),
    Misconception(_for_keys, "the sinks lie along the keys; each head has one."),
    Misconception(
        _all_sinks, "each row gets the sinks of all heads; it has that of its own head alone."
    ),
    Misconception(
        _column_alone,
        "the sinks make one row for each head and no batch; a column has a row for every query.",
    ),
    Misconception(
        _without_its_axis,
        "the shares have the shape (…, h, n_q), and meet weights of (…, h, n_q, n_k): give them "
        "one axis more, at the end.",
    ),
    Misconception(_one_for_all, "the sink of head 0 is used for all heads."),
    Misconception(_mean_for_all, "one mean sink is used for all heads; each has its own."),
    Misconception(
        lambda scores, sink: _column(scores, sink)[..., 1:],
        "the sink's column stands last, but the first one is dropped: that is a key.",
    ),
    Misconception(
        lambda scores, sink: 1 / (1 + np.exp(sink[:, None, None] - scores)),
        "each score competes with the sink alone; the keys and the sink share one denominator.",
    ),
    Misconception(
        lambda scores, sink: softmax(scores) * (scores > sink[:, None, None]),
        "the sink is no threshold: a key below it keeps a small weight.",
    ),
    Misconception(
        lambda scores, sink: _right(scores, sink[::-1]),
        "the sinks are in reverse order: head 0 has the first.",
    ),
    Misconception(
        lambda scores, sink: _right(scores, 2 * sink),
        "the sink counts twice, as exp(2 · sink): its exponential is added once, as it is.",
    ),
    Misconception(
        lambda scores, sink: _right(scores, sink + np.log(2).astype(sink.dtype)),
        "the exponential of the sink is added twice; it is one more score, added once.",
    ),
    Misconception(_scaled, "the scores are scaled already; they are used as they are."),
    Misconception(
        _over(-2),
        "the denominator runs over the queries; it is the sum over the keys of a query.",
    ),
    *(
        Misconception(_over(axes), "one denominator serves several rows; each query has its own.")
        for axes in ((-1, -2), (-1, -2, -3))
    ),
    Misconception(
        _in_front,
        "the sink's column stands in front, but the last one is dropped: that is a key.",
    ),
    Misconception(
        _plain(lambda scores, sink: np.exp(sink)),
        "large scores overflow: subtract the maximum before the exponential, from the sink as "
        "well.",
    ),
    Misconception(_in_double, "the result is float64 whatever came in; keep the float type."),
    *(
        Misconception(_times_share(share), _SHARE)
        for share in (
            lambda lse, sink: 1 / (1 + np.exp(-sink)),
            lambda lse, sink: 1 / (1 + np.exp(sink)),
            lambda lse, sink: np.exp(-sink),
            lambda lse, sink: 1 - sink,
        )
    ),
    Misconception(
        _times_share(lambda lse, sink: 1 / (1 + np.exp(lse - sink))),
        "that is the share of the sink; what the keys keep is exp(L) / (exp(L) + exp(sink)).",
    ),
)
