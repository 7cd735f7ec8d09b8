"""Cut first, then causal · medium · 6 min

Hints
1. The last query stands at the last key. Which key is the last one after the cut?
2. Take two queries, and write down which keys query 0 sees in each version.

Why
With three keys query 0 of two stands at key 1, and sees keys 0 and 1. With the third key cut off it
stands at key 0, and sees key 0 alone.

Notice
Slicing keys to the valid length saves work, and is right if the triangle is made before the cut.
In a cache with free slots the last query stands at the last valid key: there the cut comes first.
"""

import numpy as np

from attnbook import masks
from attnbook.exercises.engine import break_it, whole_numbers


def after_cut():
    """Two queries, three keys, one of them padding: the triangle moves with the cut."""
    n_q, n_k, valid_len = 2, 3, 2
    return n_q, n_k, valid_len


def visible(n_q, n_k, valid_len):
    """The last query stands at the last key, padding or not."""
    return masks.causal_mask(n_q, n_k) & (np.arange(n_k) < valid_len)


def visible_after_a_cut(n_q, n_k, valid_len):
    mask = np.zeros((n_q, n_k), dtype=bool)
    mask[:, :valid_len] = masks.causal_mask(n_q, valid_len)
    return mask


def are_counts(n_q, n_k, valid_len):
    if refusal := whole_numbers(0, 1000, n_q=n_q, n_k=n_k, valid_len=valid_len):
        return refusal
    if valid_len > n_k:
        return f"valid_len is {valid_len}, of {n_k} keys; expected at most as many."
    return None


MISTAKES = """
no key is left, and nobody sees any.
    2, 4, 0
    if valid_len == 0
nothing is cut off: shorten the length.
    2, 4, 4
    if valid_len == n_k
the only query is the last one, and sees all keys that are left in both versions.
    1, 4, 2
    if n_q == 1
without queries there are no rows.
    0, 4, 2
    if n_q == 0
"""

exercise = break_it(
    after_cut,
    MISTAKES,
    broken=visible_after_a_cut,
    right=visible,
    allowed=are_counts,
    stated=([[1, 1, 0], [1, 1, 0]], [[1, 0, 0], [1, 1, 0]]),
)
