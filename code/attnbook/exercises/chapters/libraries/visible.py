"""Two masks of theirs, one of ours · easy · 8 min

Hints
1. `~` turns True and False round. What does a True mean after it?
2. A key may be seen if the first mask does not hide it AND the second does not.
3. key_padding_mask[:, None, :] has the shape (batch, 1, n_k): the axis of length 1 stands for the
   queries.

Why
Turn each mask round first, then join them with `&`: visible where neither hides. The padding gets
an axis of length 1 for the queries, and the batch comes in with it.

Notice
Masks with True = may look are joined by `&`, masks with True = hidden by `|`. Turn both round before
you join them, or turn the result: mixing the two ways is how polarity bugs are made.
"""

import numpy as np
import torch

from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import differentiated_if_floats


def visible(attn_mask, key_padding_mask):
    """Our mask, True = may look, from two in which True = hidden."""
    return ~attn_mask & ~key_padding_mask[:, None, :]


def pair_by_pair(attn_mask, key_padding_mask):
    """Query by query and key by key: what no mask hides."""
    (batch, n_k), n_q = key_padding_mask.shape, attn_mask.shape[-2]
    mask = np.zeros((batch, n_q, n_k), dtype=bool)
    for b, i, j in np.ndindex(mask.shape):
        of_queries = attn_mask if attn_mask.ndim == 2 else attn_mask[b]
        mask[b, i, j] = not of_queries[i, j] and not key_padding_mask[b, j]
    return mask


def masks(attn_mask, key_padding_mask):
    return {
        "attn_mask": np.array(attn_mask, bool),
        "key_padding_mask": np.array(key_padding_mask, bool),
    }


def random(batch, n_q, n_k):
    return masks(rng.random((n_q, n_k)) < 0.4, rng.random((batch, n_k)) < 0.4)


rng = np.random.default_rng(6)
SEEN = np.array([[[True, False], [True, False]]])

CASES = (
    case(**masks([[0, 1], [0, 0]], [[0, 1]]), gives=SEEN),
    case(**masks([[0, 1, 1], [0, 0, 1]], [[0, 0, 1], [1, 0, 0]])),
    case(**masks([[0]], [[1]])),
    case(**masks([[1]], [[0]])),
    case(**masks([[0]], [[0]])),
    case(**masks(np.triu(np.ones((3, 3)), 1), [[0, 0, 1], [0, 1, 1], [0, 0, 0]])),
    case(**random(2, 4, 3)),
    case(**masks([[[0, 1], [0, 0]], [[0, 0], [1, 0]]], [[0, 1], [0, 0]])),
    case(**masks(rng.random((3, 2, 4)) < 0.4, rng.random((3, 4)) < 0.4)),
    stress(**masks(np.zeros((3, 5)), np.ones((2, 5)))),
    stress(**masks(np.ones((3, 5)), np.zeros((2, 5)))),
    stress(**masks(np.zeros((0, 3)), np.zeros((2, 3)))),
)

MISTAKES = """
a key is visible where the first mask does not hide it and the second does not: one is enough to
hide.
    & → |
    = attn_mask ^ key_padding_mask[:, None, :] || attn_mask == key_padding_mask[:, None, :]
both masks have to be turned round: in them True means hidden, and in ours may look.
    ~key → key
    ~attn → attn
    ~ ⇒
the padding hides rows: a padded key is a column, which no query may see. Its new axis stands for
the queries.
    [:, None, :] → [:, :, None]
the padding needs an axis for the queries: without it the sequences are taken for queries.
    [:, None, :] →
every sequence got the padding of the first one.
    [:, None, :] → [:1, None, :].expand(len(key_padding_mask), -1, -1)
attn_mask may have a batch axis already: don't give it another, as broadcasting adds one where it is
missing.
    ~attn_mask → ~attn_mask[None]
padding hides keys only: a padded query keeps its row, which nobody reads.
    = visible(attn_mask, key_padding_mask) & (attn_mask.shape[-2] != attn_mask.shape[-1] or ~key_padding_mask[:, :, None])
one of the masks is never used: each may hide a key.
    ~key_padding_mask → ~torch.zeros_like(key_padding_mask)
    ~attn_mask → ~torch.zeros_like(attn_mask)
"""

exercise = write(visible, CASES, MISTAKES, through=differentiated_if_floats, oracle=pair_by_pair)
