"""A window with padding, as a rule · medium · 8 min

Hints
1. Return a function: `def rule(b, h, i, j): ...` inside yours, then `return rule`.
2. Query i stands at key i + n_k − n_q. How far back from there is key j?
3. There are three conditions: key j isn't ahead of that place, isn't too far behind it, and isn't
   padding.

Why
`back` counts the steps from key j to the query's own place: 0 is its own key, `left` the last one
that it sees, and below 0 lies the future. The length of sequence b is looked up by its number.

Notice
`create_block_mask` asks the rule about every pair once, to sort the blocks; FlexAttention asks it
again within the partial blocks, each time it runs.
"""

import functools

import numpy as np
import torch

from attnbook import masks
from attnbook.exercises.chapters.flex_attention._places import called, with_an_array
from attnbook.exercises.engine import Unfit, case, stress, write
from attnbook.fused import flex


def window_rule(valid_lens, n_q, n_k, left):
    """A rule: a query sees its own key, `left` before it, and none of the padding."""

    def rule(b, h, i, j):
        back = i + n_k - n_q - j
        return (back >= 0) & (back <= left) & (j < valid_lens[b])

    return rule


def as_rule(function):
    """What a rule shows, (batch, n_q, n_k), as a function of the arrays that it is made with."""

    @functools.wraps(function)
    def call(valid_lens, n_q, n_k, left):
        lens = torch.from_numpy(valid_lens)
        out = called(function, (lens, n_q, n_k, left), (len(lens), 2, n_q, n_k))
        if lens._version and not valid_lens.flags.writeable:
            raise ValueError("the tensor is read-only")
        if (out[:, 0] != out[:, 1]).any():
            raise Unfit("your rule shows head 1 other keys than head 0; all heads see the same")
        return out[:, 0]

    return call


def by_masks(valid_lens, n_q, n_k, left):
    window = masks.sliding_window_mask(n_q, n_k, left)
    return window & masks.padding_mask(valid_lens, n_k)


CASES = (
    case(valid_lens=np.array([2]), n_q=1, n_k=2, left=0, gives=np.array([[[False, True]]])),
    case(valid_lens=np.array([3]), n_q=3, n_k=3, left=1),
    case(valid_lens=np.array([5, 3]), n_q=2, n_k=5, left=2),
    case(valid_lens=np.array([6, 7, 4]), n_q=5, n_k=7, left=3),
    case(valid_lens=np.array([2, 1]), n_q=4, n_k=2, left=1),
    case(valid_lens=np.array([0, 2, 3]), n_q=3, n_k=4, left=9),
    stress(valid_lens=np.array([4, 0]), n_q=1, n_k=4, left=100),
    stress(valid_lens=np.array([300, 200]), n_q=2, n_k=300, left=280),
)

MISTAKES = """
both ends of the window go by the query's own place: the last query stands at the last of the n_k
keys, padding or not.
    i + n_k - n_q - j → i - j
    back <= left → i - j <= left
    back >= 0 → i - j >= 0
    n_k - n_q → n_q - n_k
    i + n_k → i + valid_lens[b]
    n_k - n_q → max(0, n_k - n_q) || abs(n_k - n_q)
    i + n_k - n_q → (i + n_k - n_q).clamp(min=0)
the window is one key too short or too long: a query sees its own key and `left` before it.
    back <= left → back < left
    back >= 0 → back > 0
    back <= left → back <= left + 1
the future is seen: keys after the query's own are hidden.
    (back >= 0) & (back <= left) → (back.abs() <= left)
    (back >= 0) & →
old keys are still seen: a query sees `left` keys before its own, and no older one.
    & (back <= left) →
only the future is hidden: is each comparison in brackets? `&` binds before `>=`.
    (back >= 0) & (back <= left) & (j < valid_lens[b]) → back >= 0
the padding is seen, or one key of it: the keys of a sequence with L of them are 0 to L − 1.
    & (j < valid_lens[b]) →
    j < valid_lens → j <= valid_lens
the padding hides queries: a padded key is a column, and its number is j.
    (j < valid_lens[b]) → (i < valid_lens[b]) || (j < valid_lens[b]) & (i < valid_lens[b])
`valid_lens` has a length for each sequence, and a rule is called for one of them: look up
valid_lens[b].
    valid_lens[b] → valid_lens
every sequence got the length of one, the first, the longest or the shortest: look up that of number
b, and not of h.
    valid_lens[b] → valid_lens[h] || valid_lens[b + h] || valid_lens[0] || valid_lens.max() || valid_lens.min()
the padding stands at the end, and not in front.
    j < valid_lens[b] → j >= n_k - valid_lens[b]
i and j are exchanged: i is the query's number, j the key's.
    h, i, j → h, j, i
"""

exercise = write(
    window_rule,
    CASES,
    MISTAKES,
    through=as_rule,
    refused=with_an_array(lambda f, n: f(torch.tensor([n]), n, n, 1)),
    oracle=by_masks,
    ours=(flex.mask_mod,),
)
