"""Our mask from the two of PyTorch's layer."""

import numpy as np
import torch

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.tensors import differentiated_if_floats
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import libraries as solutions

_rng = np.random.default_rng(6)


def both_must_hide(attn_mask, key_padding_mask):
    return ~(attn_mask & key_padding_mask[:, None, :])


def still_hidden(attn_mask, key_padding_mask):
    return attn_mask | key_padding_mask[:, None, :]


def one_turned(attn_mask, key_padding_mask):
    return ~attn_mask & key_padding_mask[:, None, :]


def other_turned(attn_mask, key_padding_mask):
    return attn_mask & ~key_padding_mask[:, None, :]


def neither_turned(attn_mask, key_padding_mask):
    return attn_mask & key_padding_mask[:, None, :]


def rows_hidden(attn_mask, key_padding_mask):
    return ~attn_mask & ~key_padding_mask[:, :, None]


def rows_hidden_too(attn_mask, key_padding_mask):
    columns = ~attn_mask & ~key_padding_mask[:, None, :]
    n_q, n_k = columns.shape[-2:]
    return columns & ~key_padding_mask[:, :, None] if n_q == n_k else columns


def no_new_axis(attn_mask, key_padding_mask):
    return ~attn_mask & ~key_padding_mask


def first_sequence(attn_mask, key_padding_mask):
    out = ~attn_mask & ~key_padding_mask[:1, None, :]
    return out.expand(len(key_padding_mask), *out.shape[-2:])


def one_axis_more(attn_mask, key_padding_mask):
    return ~attn_mask[None] & ~key_padding_mask[:, None, :]


def only_attn(attn_mask, key_padding_mask):
    return (~attn_mask).expand(len(key_padding_mask), *attn_mask.shape[-2:])


def only_padding(attn_mask, key_padding_mask):
    return (~key_padding_mask)[:, None, :].expand(len(key_padding_mask), *attn_mask.shape[-2:])


def in_place(attn_mask, key_padding_mask):
    return attn_mask.logical_not_() & ~key_padding_mask[:, None, :]


def in_place_padding(attn_mask, key_padding_mask):
    return ~attn_mask & key_padding_mask.logical_not_()[:, None, :]


def where_one_hides(attn_mask, key_padding_mask):
    return attn_mask ^ key_padding_mask[:, None, :]


def where_both_agree(attn_mask, key_padding_mask):
    return attn_mask == key_padding_mask[:, None, :]


def _masks(attn_mask, key_padding_mask):
    return {
        "attn_mask": np.array(attn_mask, bool),
        "key_padding_mask": np.array(key_padding_mask, bool),
    }


def _random(batch, n_q, n_k):
    return _masks(_rng.random((n_q, n_k)) < 0.4, _rng.random((batch, n_k)) < 0.4)


PADDING_ROWS = (
    "the padding hides rows: a padded key is a column, which no query may see. Its new axis stands "
    "for the queries."
)

visible = Write(
    name="libraries.visible",
    title="Two masks of theirs, one of ours",
    level="easy",
    minutes=8,
    solution_of=solutions.visible,
    through=differentiated_if_floats,
    hints=(
        "`~` turns True and False round. What does a True mean after it?",
        "A key may be seen if the first mask does not hide it AND the second does not.",
        "key_padding_mask[:, None, :] has the shape (batch, 1, n_k): the axis of length 1 stands "
        "for the queries.",
    ),
    explanation=(
        "Turn each mask round first, then join them with `&`: visible where neither hides. "
        "The padding gets an axis of length 1 for the queries, and the batch comes in with it."
    ),
    misconceptions=(
        Misconception(
            both_must_hide,
            "a key is hidden here only where both masks hide it; one is enough. A key is visible "
            "where the first mask does not hide it and the second does not.",
        ),
        Misconception(
            still_hidden,
            "True still means hidden in the result: in ours True = may look.",
        ),
        Misconception(
            one_turned, "the padding mask was not turned round: only padding is visible."
        ),
        Misconception(
            other_turned, "attn_mask was not turned round: a query sees what it should not."
        ),
        Misconception(
            neither_turned,
            "neither mask was turned round: True means hidden in both, and may look in ours.",
        ),
        Misconception(
            where_one_hides,
            "^ shows the keys that exactly one mask hides; a key is visible where neither does.",
        ),
        Misconception(
            where_both_agree,
            "where both masks say the same both may hide; a key is visible where neither does.",
        ),
        Misconception(rows_hidden, PADDING_ROWS),
        Misconception(
            no_new_axis,
            "the padding needs an axis for the queries: without it the sequences are taken for "
            "queries.",
        ),
        Misconception(first_sequence, "every sequence got the padding of the first one."),
        Misconception(
            one_axis_more,
            "attn_mask may have a batch axis already: give it no other, broadcasting adds one "
            "where it is missing.",
        ),
        Misconception(
            rows_hidden_too,
            "a padded query keeps its row, which nobody reads: padding hides keys alone.",
        ),
        Misconception(only_attn, "the padding mask is never used."),
        Misconception(only_padding, "attn_mask is never used."),
        Misconception(in_place, "the caller's attn_mask is changed: `~` makes a new tensor."),
        Misconception(
            in_place_padding, "the caller's key_padding_mask is changed: `~` makes a new tensor."
        ),
        Misconception(
            lambda *masks: solutions.visible(*masks).float(),
            "these are the numbers 1.0 and 0.0: our mask is boolean, so that nobody can add it.",
        ),
        Misconception(
            lambda *masks: torch.where(solutions.visible(*masks), 0.0, -torch.inf),
            "this is a bias, to be added to scores; our mask is boolean.",
        ),
        Misconception(
            lambda *masks: solutions.visible(*masks).swapaxes(-1, -2),
            "the mask is transposed: rows are queries, columns are keys.",
        ),
    ),
    notice=(
        "Our masks compose with `&`, theirs with `|`: turn round both before you join, or the "
        "result after. Mixing the two is how polarity bugs are made."
    ),
    cases=(
        case(**_masks([[0, 1], [0, 0]], [[0, 1]])),
        case(**_masks([[0, 1, 1], [0, 0, 1]], [[0, 0, 1], [1, 0, 0]])),
        case(**_masks([[0]], [[1]])),
        case(**_masks([[1]], [[0]])),
        case(**_masks([[0]], [[0]])),
        case(**_masks(np.triu(np.ones((3, 3)), 1), [[0, 0, 1], [0, 1, 1], [0, 0, 0]])),
        case(**_random(2, 4, 3)),
        case(**_random(5, 2, 6)),
        case(**_random(1, 1, 7)),
        case(**_random(4, 4, 4)),
        case(**_masks([[[0, 1], [0, 0]], [[0, 0], [1, 0]]], [[0, 1], [0, 0]])),
        case(**_masks(_rng.random((3, 2, 4)) < 0.4, _rng.random((3, 4)) < 0.4)),
        stress(**_masks(np.zeros((3, 5)), np.ones((2, 5)))),
        stress(**_masks(np.ones((3, 5)), np.zeros((2, 5)))),
        stress(**_masks(np.zeros((0, 3)), np.zeros((2, 3)))),
    ),
)
