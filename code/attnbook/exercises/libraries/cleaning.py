"""Keys and values for a library that adds to scores: 0 where nobody looks."""

import numpy as np
import torch

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.tensors import differentiated_if_floats
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import libraries as solutions

_rng = np.random.default_rng(8)


def seen_by_all(x, mask):
    return torch.where(mask.all(dim=-2)[..., None], x, 0)


def seen_by_last(x, mask):
    return torch.where(mask[..., -1, :, None], x, 0)


def seen_by_first(x, mask):
    return torch.where(mask[..., :1, :].any(dim=-2)[..., None], x, 0)


def queries_for_keys(x, mask):
    """Right in shape where there are as many queries as keys."""
    return torch.where(mask.any(dim=-1)[..., None], x, 0)


def multiplied(x, mask):
    return x * mask.any(dim=-2)[..., None]


def turned(x, mask):
    return torch.where(mask.any(dim=-2)[..., None], 0, x)


def first_axis(x, mask):
    """Right for a mask without a batch."""
    return torch.where(mask.any(dim=0)[..., None], x, 0)


def first_axis_filled(x, mask):
    return x.masked_fill(~mask.any(dim=0)[:, None], 0)


def left_out(x, mask):
    return x[mask.any(dim=-2)]


def without_axis(x, mask):
    return torch.where(mask.any(dim=-2), x, 0)


def every_nan(x, mask):
    return torch.nan_to_num(x)


def untouched(x, mask):
    return x


def in_place(x, mask):
    with torch.no_grad():
        x[~mask.any(dim=-2).expand(x.shape[:-1])] = 0
    return x


def detached(x, mask):
    return solutions.cleaned(x.detach(), mask)


def in_float32(x, mask):
    return solutions.cleaned(x.float(), mask)


def _given(x_shape, mask, nan=()):
    x = _rng.standard_normal(x_shape)
    for place in nan:
        x[place] = np.nan
    return {"x": x, "mask": np.array(mask, bool)}


def _random(batch, n_q, n_k, d):
    mask = _rng.random((*batch, n_q, n_k)) < 0.4
    mask[..., 0] = False
    return _given((*batch, n_k, d), mask)


SHOWN = np.array([[1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 0, 0]])

cleaned = Write(
    name="libraries.cleaned",
    title="What nobody sees",
    level="medium",
    minutes=8,
    solution_of=solutions.cleaned,
    through=differentiated_if_floats,
    hints=(
        "A key is a column of the mask. It is seen if any query sees it: over which axis is that?",
        "`mask.any(dim=-2)` has the shape (…, n_k); x has one axis more, behind it.",
        "Zero times NaN is NaN: choose with `torch.where`, do not multiply.",
    ),
    explanation=(
        "`any` over the queries says which keys somebody sees, and the new axis stands for the "
        "features. `torch.where` chooses, so a NaN that is not chosen is gone, and gradients reach "
        "the numbers that are."
    ),
    misconceptions=(
        Misconception(
            seen_by_all,
            "a key that only some queries see became 0: it is needed where any query sees it.",
        ),
        Misconception(seen_by_last, "only the last query was asked; another may see the key."),
        Misconception(seen_by_first, "only the first query was asked; another may see the key."),
        Misconception(
            queries_for_keys,
            "that is whether a query sees any key; asked is whether a key is seen by any query.",
        ),
        Misconception(
            multiplied, "a hidden NaN is still NaN: 0 · NaN = NaN. Choose, do not multiply."
        ),
        Misconception(turned, "the keys that are seen became 0: True = may look."),
        *(
            Misconception(
                known, "the queries are the last axis but one, whatever stands before them."
            )
            for known in (first_axis, first_axis_filled)
        ),
        Misconception(
            left_out, "the rows that nobody sees are left out: they stay in place, as zeros."
        ),
        Misconception(
            without_axis,
            "the keys need an axis for the features behind them: they met the features of x.",
        ),
        Misconception(
            every_nan, "a NaN that somebody sees must stay, and a hidden number must go."
        ),
        Misconception(untouched, "x came back as it was: what nobody sees has to become 0."),
        Misconception(in_place, "the caller's x is changed: `torch.where` makes a new tensor."),
        Misconception(detached, "no gradient reaches x: `detach` cuts it off."),
        Misconception(in_float32, "the result is float32 where x is float64: keep its dtype."),
    ),
    notice=(
        "After this SDPA gives what ours gives for hidden NaN, as long as a key is hidden from "
        "everybody. A key that one query sees and another does not can still spoil both."
    ),
    cases=(
        case(**_given((2, 1), [[1, 0]])),
        case(**_given((4, 2), SHOWN)),
        case(**_given((4, 3), SHOWN[::-1])),
        case(**_given((3, 2), [[0, 1, 0], [0, 0, 1]])),
        case(**_given((4, 2), SHOWN, nan=[3])),
        case(**_given((4, 2), SHOWN, nan=[0, 3])),
        case(**_random((2,), 3, 4, 2)),
        case(**_random((2, 3), 2, 5, 4)),
        case(**_random((), 4, 4, 3)),
        case(**_given((2, 4, 3), SHOWN)),
        stress(**_given((2, 3), np.zeros((3, 2)))),
        stress(**_given((2, 3), np.ones((3, 2)))),
    ),
)
