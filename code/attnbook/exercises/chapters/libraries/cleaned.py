"""What nobody sees · medium · 8 min

Hints
1. A key is a column of the mask. It is seen if any query sees it: over which axis is that?
2. `mask.any(dim=-2)` has the shape (…, n_k); x has one axis more, behind it.
3. Zero times NaN is NaN: choose with `torch.where`, do not multiply.

Why
`any` over the queries says which keys somebody sees, and the new axis stands for the features.
`torch.where` chooses, so a NaN that is not chosen is gone, and gradients reach the numbers that
are chosen.

Notice
After this, SDPA answers as our module does when a hidden key or value is NaN, as long as the key
is hidden from everybody. A key that one query sees and another does not can still spoil both.
"""

import numpy as np
import torch

from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import differentiated_if_floats


def cleaned(x, mask):
    """x, with 0 in the rows that no query sees."""
    seen = mask.any(dim=-2)
    return torch.where(seen[..., None], x, 0)


def key_by_key(x, mask):
    """Each key, asked of every query; zeros if none sees it."""
    keys = mask.expand(*x.shape[:-2], *mask.shape[-2:]).mT  # a row of queries for each
    nothing = torch.zeros_like(x)
    rows = [(x if True in keys[at] else nothing)[at] for at in np.ndindex(x.shape[:-1])]
    return torch.stack(rows).reshape(x.shape)


def given(x_shape, mask, nan=()):
    x = rng.standard_normal(x_shape)
    for place in nan:
        x[place] = np.nan
    return {"x": x, "mask": np.array(mask, bool)}


def random(batch, n_q, n_k, d):
    mask = rng.random((*batch, n_q, n_k)) < 0.4
    mask[..., 0] = False
    return given((*batch, n_k, d), mask)


rng = np.random.default_rng(8)
SHOWN = np.array([[1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 0, 0]])

CASES = (
    case(**given((2, 1), [[1, 0]])),
    case(**given((4, 2), SHOWN)),
    case(**given((4, 3), SHOWN[::-1])),
    case(**given((4, 2), SHOWN, nan=[3])),
    case(**given((4, 2), SHOWN, nan=[0, 3])),
    case(**random((2,), 3, 4, 2)),
    case(**random((2, 3), 2, 5, 4)),
    case(**given((2, 4, 3), SHOWN)),
    stress(**given((2, 3), np.zeros((3, 2)))),
    stress(**given((2, 3), np.ones((3, 2)))),
)

MISTAKES = r"""
a key is needed if any query sees it: it need not be all of them, nor the first or the last.
    mask.any → mask.all
    mask.any(dim=-2) → mask[..., -1, :] || mask[..., 0, :]
that says whether a query sees any key; we ask whether a key is seen by any query.
    dim=-2 → dim=-1
a hidden NaN is still NaN: 0 · NaN = NaN. Choose, do not multiply.
    torch.where(seen[..., None], x, 0) → x * seen[..., None]
the queries are the last axis but one, whatever stands before them.
    dim=-2 → dim=0
    = x.masked_fill(~mask.any(dim=0)[:, None], 0)
the rows that nobody sees have been left out; they should stay in place, as zeros.
    = x[mask.any(dim=-2)]
one number for each key needs a further axis, for the features; without it keys met features.
    seen[..., None] → seen
a NaN that somebody sees must stay, and a hidden number must go.
    = torch.nan_to_num(x)
the caller's x is changed: `torch.where` makes a new tensor.
    return torch.where(seen[..., None], x, 0) → x.data[~seen.expand(x.shape[:-1])] = 0\n    return x
"""

exercise = write(
    cleaned,
    CASES,
    MISTAKES,
    through=differentiated_if_floats,
    oracle=differentiated_if_floats(key_by_key),
)
