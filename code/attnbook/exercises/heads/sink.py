"""Weights that may sum to less than one: a sink in each head."""

import numpy as np

from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.heads.wrong_sink import MISTAKES
from attnbook.exercises.solutions import heads as solutions

rng = np.random.default_rng(0)


def _drawn(*shape, dtype=np.float64, size=1.0):
    scores = size * rng.standard_normal(shape)
    sink = size * rng.standard_normal(shape[-3])
    return {"scores": scores.astype(dtype), "sink": sink.astype(dtype)}


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
    misconceptions=MISTAKES,
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
        stress(scores=np.full((1, 1, 2), -np.inf), sink=np.array([-1e10])),
        stress(scores=np.array([[[1000.0, 999.0], [-1000.0, -999.0]]]), sink=np.array([-1000.0])),
        stress(scores=np.array([[[-np.inf, -np.inf], [0.0, -np.inf]]]), sink=np.array([0.0])),
        stress(scores=np.array([[[1, 2, 3]], [[0, 0, 0]]]), sink=np.array([2, 0])),
        stress(**_drawn(2, 2, 3, dtype=np.float16)),
    ),
)
