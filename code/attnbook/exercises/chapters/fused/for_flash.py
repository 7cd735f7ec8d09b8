"""Make FLASH take it · hard · 12 min

Hints
1. FLASH wants four axes, one width for all three, and the numbers of a row side by side.
2. Which numbers in new columns of q and k leave every score as it is?
3. Unless you pass a scale, it is 1/√d, with the width d of the queries that SDPA gets. What is d
   after you have widened them?

Why
Zeros in new columns change no score, and zeros in a value only make columns that are cut off again.
The scale must stay that of the width before. `contiguous` puts the numbers side by side.

Notice
`fused.scaled_dot_product_attention` does the same for you, whatever comes in.
"""

import numpy as np
import torch
import torch.nn.functional as F

from attnbook import reference
from attnbook.exercises.chapters.fused._flash import through_flash
from attnbook.exercises.engine import case, draw_qkv, stress, write


def for_flash(q, k, v):
    """Queries, keys and values that FLASH takes, and the scale of the scores."""
    width = max(q.shape[-1], v.shape[-1])
    wide = [F.pad(x, (0, width - x.shape[-1])) for x in (q, k, v)]
    padded = [x[None].contiguous() for x in wide]
    return *padded, q.shape[-1] ** -0.5


rng = np.random.default_rng(12)


def given(heads, n_q, n_k, d_k, d_v, dtype=np.float64):
    return draw_qkv(rng, n_q, n_k, d_k, d_v, (heads,), dtype)


def by_columns(arrays):
    """The same arrays, in whose memory the numbers of a column lie side by side."""
    return {name: x.swapaxes(-1, -2).copy().swapaxes(-1, -2) for name, x in arrays.items()}


CASES = (
    case(**given(1, 1, 2, 3, 1)),
    case(**given(1, 2, 3, 2, 5)),
    case(**given(2, 3, 4, 4, 4)),
    case(**given(3, 4, 2, 3, 6)),
    case(**by_columns(given(2, 3, 4, 4, 2))),
    stress(**given(1, 300, 300, 16, 2)),
    stress(**given(1, 2, 3, 100, 70)),
    stress(**given(2, 3, 4, 5, 3, dtype=np.float32)),
)

MISTAKES = """
the scale is 1/√d, of the width of queries and keys before they were widened.
    *padded, q.shape[-1] → *padded, width || *padded, v.shape[-1]
    ** -0.5 → ** -1.0 || ** 0.5
    q.shape[-1] ** -0.5 → 1.0
    *padded, q.shape[-1] → *padded, q.shape[1]
the values are padded in front: the first columns of the output are zeros.
    (0, width - x.shape[-1]) → (width - x.shape[-1], 0)
what fills new columns of q and k changes the scores: use zeros.
    F.pad(x, (0, width - x.shape[-1])) → torch.cat([x, x[..., :1].expand(*x.shape[:-1], width - x.shape[-1])], dim=-1)
columns are cut off: widen the narrow ones to the larger width instead.
    max( → min(
    max(q.shape[-1], v.shape[-1]) → v.shape[-1]
the scale is of float32, right to seven digits: a Python float is right to sixteen.
    q.shape[-1] ** -0.5 → float(np.float32(q.shape[-1] ** -0.5))
a row of zeros is one more key, and takes weight: add columns only, no rows.
    *padded, → padded[0], *(F.pad(x, (0, 0, 0, 1)) for x in padded[1:]),
keys and values stand in each other's place.
    (q, k, v)] → (q, v, k)]
"""

exercise = write(
    for_flash, CASES, MISTAKES, through=through_flash, oracle=reference.scaled_dot_product_attention
)
