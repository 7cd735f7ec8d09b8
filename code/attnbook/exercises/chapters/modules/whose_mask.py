"""Each sequence or each head · easy · 5 min

Hints
1. The scores have the shape (2, 2, n_q, n_k): sequences, heads, queries, keys. Where does each
   version put the 2 of the mask?
2. In the wrong version both sequences see by the first mask in head 0, and by the second in head 1.
3. Two masks that are the same cannot be told apart by their places.

Why
`mask[:, None]` has the shape (2, 1, n_q, n_k), one for each sequence; `mask[None]` has
(1, 2, n_q, n_k), one for each head. They agree as long as both sequences have the same mask, and on
no other.

Notice
With another number of sequences than of heads the wrong version raises an error; it is silent where
they are as many. A test needs unequal sizes, and unequal masks.
"""

import numpy as np
import torch

from attnbook import pytorch
from attnbook.exercises.engine import a_mask, break_it
from attnbook.exercises.engine.tensors import differentiated_if_floats


def whose_mask():
    """The first sequence sees its first key alone, the second sees both."""
    return [[[True, False]], [[True, True]]]


def each_sequence(mask):
    """The right version: weights of two sequences and two heads, all scores equal."""
    scores = torch.zeros(2, 2, *mask.shape[-2:])
    return pytorch.softmax(scores, mask[:, None])


def each_head(mask):
    """Weights of two sequences and two heads, all scores equal."""
    scores = torch.zeros(2, 2, *mask.shape[-2:])
    return pytorch.softmax(scores, mask[None])


MISTAKES = """
where everything is visible no mask does anything.
    np.ones((2, 1, 2), bool)
    if mask.all()
where nothing is visible every weight is 0, for every sequence and head.
    np.zeros((2, 1, 2), bool)
    if not mask.any()
this is the mask of the test: causal for both sequences. Give them two masks.
    [[[True, False], [True, True]]] * 2
    if np.array_equal(mask[0], np.tri(*mask.shape[1:], mask.shape[2] - mask.shape[1]))
both sequences have the same mask, so it does not matter whose it is.
    [[[True, False]], [[True, False]]]
    if True
"""

exercise = break_it(
    whose_mask,
    MISTAKES,
    broken=each_head,
    right=each_sequence,
    through=differentiated_if_floats,
    allowed=lambda mask: a_mask(
        (2, None, None), "booleans of shape (2, n_q, n_k), not empty", mask
    ),
    stated=(
        [[[[1, 0]], [[1, 0]]], [[[0.5, 0.5]], [[0.5, 0.5]]]],
        [[[[1, 0]], [[0.5, 0.5]]], [[[1, 0]], [[0.5, 0.5]]]],
    ),
)
