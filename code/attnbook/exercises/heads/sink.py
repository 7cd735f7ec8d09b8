"""Weights that may sum to less than one: a sink in each head."""

import numpy as np

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import heads as solutions
from attnbook.exercises.write import Write, case, stress
from attnbook.reference import softmax

rng = np.random.default_rng(0)


def _drawn(*shape, dtype=np.float64, size=1.0):
    scores = size * rng.standard_normal(shape)
    sink = size * rng.standard_normal(shape[-3])
    return {"scores": scores.astype(dtype), "sink": sink.astype(dtype)}


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


def _unshifted(scores, sink):
    exp = np.exp(scores)
    return exp / (np.sum(exp, axis=-1, keepdims=True) + np.exp(sink)[:, None, None])


def _in_double(scores, sink):
    return _right(scores, sink).astype(np.float64)


def _as_a_gate(scores, sink):
    return softmax(scores) / (1 + np.exp(-sink[:, None, None]))


_SUMMING_TO_1 = (
    lambda scores, sink: softmax(scores),
    _divided_again,
    lambda scores, sink: softmax(scores + sink[:, None, None]),
)
_WITHOUT = (
    "the weights of a row sum to 1, as if there were no sink: it is one more score, and what it "
    "takes is not given back."
)
_SHARE = (
    "softmax(scores) times a share that does not depend on the scores: the sink competes with them."
)

weights_with_sink = Write(
    name="heads.weights_with_sink",
    title="A sink in each head",
    level="hard",
    minutes=15,
    solution_of=solutions.weights_with_sink,
    hints=(
        "The sink is one more score in every row of its head. What happens to its weight?",
        "np.broadcast_to(sink[:, None, None], (*scores.shape[:-1], 1)) is a column of sinks, one "
        "for each row.",
        "np.concatenate along the last axis, softmax, and drop the last column again.",
    ),
    explanation=(
        "Each row gets the score of its head's sink as one more column; after the softmax the "
        "column is dropped, and with it the weight that nobody reads. The maximum is taken over "
        "both, so nothing overflows. The other way, softmax(scores) · σ(L − sink) with the "
        "log-sum-exp L of the row, is as right."
    ),
    misconceptions=(
        *(Misconception(known, _WITHOUT) for known in _SUMMING_TO_1),
        Misconception(
            _column, "the sink's own weight is still there: it has no value, so drop its column."
        ),
        Misconception(
            _divided(lambda scores, sink: sink),
            "the sink is added to the denominator as it is: it is a score, so add its exponential.",
        ),
        Misconception(
            _divided(lambda scores, sink: np.exp(sink)),
            "the scores have lost their maximum m and the sink has not: its exponential is "
            "exp(sink - m).",
        ),
        *(
            Misconception(known, "the same is added to every denominator, whatever the sink is.")
            for known in (_divided(lambda scores, sink: 1.0), _off_by_one)
        ),
        Misconception(
            _divided(lambda scores, sink: np.exp(-sink - _top(scores))),
            "the sign of the sink is wrong: a larger sink takes more.",
        ),
        Misconception(_for_queries, "the sinks lie along the queries; each head has one."),
        Misconception(
            _for_batches, "the sinks lie along the first axis; the heads are on axis -3."
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
            "the sink counts twice: its exponential is added once to the denominator.",
        ),
        Misconception(
            _in_front,
            "the sink's column stands in front, but the last one is dropped: that is a key.",
        ),
        Misconception(
            _unshifted,
            "large scores overflow: subtract the maximum before the exponential, from the sink as "
            "well.",
        ),
        Misconception(_in_double, "the result is float64 whatever came in; keep the float type."),
        Misconception(_as_a_gate, _SHARE),
        Misconception(
            lambda scores, sink: softmax(scores) * np.exp(-sink)[:, None, None],
            _SHARE,
        ),
    ),
    notice=(
        "A head whose sink is high says something only where a key fits well. Without it, a head "
        "that finds nothing must average all the same."
    ),
    cases=(
        case(scores=np.log([[[4.0, 1.0, 1.0]]]), sink=np.log([6.0])),
        case(scores=np.zeros((2, 1, 1)), sink=np.array([0.0, 1.0])),
        case(**_drawn(2, 3, 5)),
        case(**_drawn(3, 3, 3)),
        case(**_drawn(2, 2, 2)),
        case(**_drawn(1, 4, 2)),
        case(**_drawn(2, 3, 4, 5)),
        case(**_drawn(3, 3, 2, 4)),
        case(**_drawn(2, 3, 2, 3, 4)),
        case(**_drawn(4, 2, 3, dtype=np.float32)),
        case(**_drawn(2, 3, 5, size=3.0)),
        stress(scores=np.array([[[1000.0, 999.0]]]), sink=np.array([1000.0])),
        stress(scores=np.array([[[-1000.0, -1001.0]]]), sink=np.array([-1000.0])),
        stress(scores=np.array([[[0.0, 1.0]]]), sink=np.array([900.0])),
        stress(scores=np.array([[[-np.inf, -np.inf], [0.0, -np.inf]]]), sink=np.array([0.0])),
        stress(scores=np.array([[[1, 2, 3]], [[0, 0, 0]]]), sink=np.array([2, 0])),
        stress(**_drawn(2, 2, 3, dtype=np.float16)),
    ),
)
