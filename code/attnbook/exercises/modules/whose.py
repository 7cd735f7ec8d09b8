"""A mask for each sequence that is taken for one of each head."""

import numpy as np
import torch

from attnbook import pytorch
from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.engine.tensors import differentiated_if_floats
from attnbook.exercises.solutions import modules as solutions
from attnbook.operation import describe


def each_sequence(mask):
    """The right version: weights of two sequences and two heads, all scores equal."""
    scores = torch.zeros(2, 2, *mask.shape[-2:])
    return pytorch.softmax(scores, mask[:, None])


def each_head(mask):
    """Weights of two sequences and two heads, all scores equal."""
    scores = torch.zeros(2, 2, *mask.shape[-2:])
    return pytorch.softmax(scores, mask[None])


def _two_masks(mask):
    if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.ndim != 3:
        return f"mask is {describe(mask)}; expected booleans of shape (2, n_q, n_k)."
    if len(mask) != 2 or not mask.size:
        return f"the mask has the shape {mask.shape}; expected (2, n_q, n_k), not empty."
    return None


def _is_causal(mask):
    n_q, n_k = mask.shape
    return np.array_equal(mask, np.tri(n_q, n_k, n_k - n_q, dtype=bool))


CAUSAL = [[True, False], [True, True]]

whose_mask = Break(
    name="modules.whose_mask",
    title="Each sequence or each head",
    level="easy",
    minutes=5,
    solution_of=solutions.whose_mask,
    wrong=each_head,
    right=each_sequence,
    through=differentiated_if_floats,
    allowed=_two_masks,
    hints=(
        "The scores have the shape (2, 2, n_q, n_k): sequences, heads, queries, keys. Where does "
        "each version put the 2 of the mask?",
        "In the wrong version both sequences see by the first mask in head 0, and by the second in "
        "head 1.",
        "Two masks that are the same cannot be told apart by their places.",
    ),
    explanation=(
        "`mask[:, None]` has the shape (2, 1, n_q, n_k), one for each sequence; `mask[None]` has "
        "(1, 2, n_q, n_k), one for each head. They agree as long as both sequences have the same "
        "mask, and on no other."
    ),
    misconceptions=(
        Miss(
            (np.ones((2, 1, 2), bool),),
            lambda mask: mask.all(),
            "where everything is visible no mask does anything.",
        ),
        Miss(
            (np.zeros((2, 1, 2), bool),),
            lambda mask: not mask.any(),
            "where nothing is visible every weight is 0, for every sequence and head.",
        ),
        Miss(
            ([CAUSAL, CAUSAL],),
            lambda mask: _is_causal(mask[0]),
            "this is the mask of the test: causal for both sequences. Give them two masks.",
        ),
        Miss(
            (np.array([[[True, False]], [[True, False]]]),),
            lambda mask: True,
            "both sequences have the same mask, so it does not matter whose it is.",
        ),
    ),
    notice=(
        "With another number of sequences than of heads the wrong version raises an error; it is "
        "silent where they are as many. A test needs unequal sizes, and unequal masks."
    ),
)
