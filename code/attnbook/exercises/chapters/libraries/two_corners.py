"""A triangle at the wrong corner · easy · 6 min

Hints
1. At which corner is each triangle anchored? For which shapes are the corners the same?
2. With more keys than queries, is_causal hides the newest keys from the last query.
3. The outputs differ only if the keys that are seen, or not, have different values.

Why
`is_causal` anchors at the top left: query 0 sees key 0 alone. Our mask anchors at the bottom right:
the only query is the last, and sees both keys. The output is 0 for one and 1/2 for the other.

Notice
With one query and many keys this is every step of decoding with a cache. A model tested on whole
sequences passes, and fails when it writes.
"""

import numpy as np
import torch.nn.functional as F

from attnbook import pytorch
from attnbook.exercises.engine import break_it
from attnbook.exercises.engine.tensors import differentiated_if_floats
from attnbook.exercises.families import matrices


def two_corners():
    """One query, two keys: the triangle at the top left shows it the first key alone."""
    q = [[0.0]]
    k = [[0.0], [0.0]]
    v = [[0.0], [1.0]]
    return q, k, v


def causal(q, k, v):
    """The right version: the last query stands at the last key."""
    mask = pytorch.causal_mask(len(q), len(k))
    return pytorch.scaled_dot_product_attention(q, k, v, mask=mask)


def causal_by_option(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def on_floats(function):
    """Integers are fine as an input, and tensors of integers are not."""
    return differentiated_if_floats(lambda *xs: function(*(x.double() for x in xs)))


def are_not_as_many(q, k, v):
    if refusal := matrices.allowed(q, k, v):
        return refusal
    if not all(np.all(np.abs(x) <= 1e3) for x in (q, k, v)):
        return "expected numbers between -1000 and 1000."
    if len(q) == len(k):  # refused, as the two versions round large scores differently
        return "with as many queries as keys both corners are on one diagonal: take another number."
    return None


MISTAKES = """
all values are equal, and so is their average, whichever of them are seen.
    [[1.0]], [[1.0], [2.0]], [[3.0], [3.0]]
    if len(q) < len(k) and np.ptp(v, axis=0).max() < 1e-9
all values are 0, and a query that sees nothing gets 0 as well.
    [[0.0], [0.0]], [[0.0]], [[0.0]]
    if len(q) > len(k) and not np.any(v)
the keys that only one version sees have next to no weight: bring the scores closer.
    [[1000.0]], [[1.0], [0.0]], [[3.0], [4.0]]
    if len(q) < len(k)
"""

exercise = break_it(
    two_corners,
    MISTAKES,
    broken=causal_by_option,
    right=causal,
    through=on_floats,
    allowed=are_not_as_many,
    stated=([[[0.5]], [[0.0]]], [[[0.0]], [[0.0]]]),  # the output, and the gradient for q
)
