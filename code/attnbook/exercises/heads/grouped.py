"""Attention whose heads of queries share heads of keys and values."""

import numpy as np

from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.heads.wrong_grouped import MISTAKES
from attnbook.exercises.solutions import heads as solutions

rng = np.random.default_rng(0)


def _drawn(n_heads, n_kv_heads, batch=(), dtype=np.float64, sizes=(3, 5, 4, 2)):
    n_q, n_k, d_k, d_v = sizes
    shapes = (n_heads, n_q, d_k), (n_kv_heads, n_k, d_k), (n_kv_heads, n_k, d_v)
    arrays = [rng.standard_normal((*batch, *shape)).astype(dtype) for shape in shapes]
    return dict(zip("qkv", arrays, strict=True))


grouped_attention = Write(
    name="heads.grouped_attention",
    title="Grouped-query attention",
    level="medium",
    minutes=12,
    solution_of=solutions.grouped_attention,
    hints=(
        "How many heads of queries read one head of keys? The arrays' shapes say it.",
        "np.repeat(x, times, axis=-3) lets each head stand `times` times in a row.",
        "Then every head has keys and values of its own, and the heads are one more batch axis.",
    ),
    explanation=(
        "h / h_kv heads of queries share one of keys and values. Repeated in a row, each meets its "
        "own, and attention treats heads as it treats a batch. Without the copies: reshape the "
        "queries to (…, h_kv, group · n_q, d_k), since the heads of a group lie together, attend, "
        "and reshape back."
    ),
    misconceptions=MISTAKES,
    notice=(
        "np.repeat copies what a cache saved. A fast version gives the queries one more axis, "
        "(…, h_kv, group, n_q, d_k), and copies nothing."
    ),
    cases=(
        case(
            q=np.zeros((4, 1, 1)),
            k=np.zeros((2, 1, 1)),
            v=np.array([[[1.0]], [[2.0]]]),
        ),
        case(**_drawn(4, 2)),
        case(**_drawn(4, 4)),
        case(**_drawn(3, 1)),
        case(**_drawn(6, 2)),
        case(**_drawn(6, 3)),
        case(**_drawn(4, 2, (2,))),
        case(**_drawn(6, 3, (3,))),
        case(**_drawn(4, 2, (2, 3))),
        case(**_drawn(4, 2, sizes=(4, 4, 4, 4))),
        case(**_drawn(4, 2, sizes=(3, 3, 4, 2))),
        case(**_drawn(8, 2, (4,), np.float32)),
        case(**_drawn(1, 1, sizes=(1, 1, 1, 1))),
        stress(**_drawn(4, 2, dtype=np.float16)),
        stress(
            q=np.ones((4, 1, 2), int),
            k=np.array([[[1, 0], [0, 3]], [[2, 1], [0, 0]]]),
            v=np.array([[[1], [2]], [[3], [5]]]),
        ),
        stress(**_drawn(4, 2) | {"q": np.full((4, 3, 4), 1e4)}),
        stress(
            q=np.full((4, 1, 1), 1e4),
            k=np.array([[[1e-4], [3e-4]], [[2e-4], [1e-4]]]),
            v=np.array([[[1.0], [2.0]], [[3.0], [5.0]]]),
        ),
        stress(**_drawn(4, 2) | {"v": np.full((2, 5, 2), [np.nan, 1.0])}),
    ),
)
