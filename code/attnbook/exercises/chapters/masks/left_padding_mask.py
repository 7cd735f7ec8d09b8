"""Padding on the left · easy · 6 min

Hints
1. With n_k keys and a length of 2, which is the first visible key?
2. Key j is visible where j + length >= n_k; np.arange(n_k) holds every j.
3. valid_lens[..., None] has one axis more than valid_lens, of length 1, for the keys.

Why
The padding takes the first n_k − length keys, so the keys from there on are visible: those with
j + length >= n_k. As a sum it also holds for lengths in uint8, which n_k may not fit. The lengths
get a new last axis, of length 1, which meets the keys; `...` keeps all others.

Notice
With left padding under a causal mask the first queries see nothing. The museum's exhibit 4 shows what
that can cost.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def left_padding_mask(valid_lens, n_k):
    """True for the last `valid_lens` keys: the padding comes first."""
    return np.arange(n_k) + valid_lens[..., None] >= n_k


def row_by_row(valid_lens, n_k):
    """False first, then as often True as the length says."""
    mask = np.zeros((*valid_lens.shape, n_k), dtype=bool)
    for row, length in np.ndenumerate(valid_lens):
        mask[row] = [False] * (n_k - int(length)) + [True] * int(length)
    return mask


SMALL = np.array([[False, False, True], [True, True, True]])

CASES = (
    case(valid_lens=np.array([1]), n_k=3),
    case(valid_lens=np.array([1, 3]), n_k=3, gives=SMALL),
    case(valid_lens=np.array([[1, 2]]), n_k=3),
    case(valid_lens=np.array([0]), n_k=1),
    case(valid_lens=np.array([[1, 3], [2, 4]]), n_k=4),
    case(valid_lens=np.array([[2], [0], [4]]), n_k=4),
    case(valid_lens=np.array([3, 0, 1]), n_k=3),
    case(valid_lens=np.array([[[0, 5, 2], [1, 4, 3]]]), n_k=5),
    case(valid_lens=np.arange(24).reshape(2, 3, 1, 4) % 7, n_k=6),
    stress(valid_lens=np.array([2, 1, 0], dtype=np.int32), n_k=2),
    stress(valid_lens=np.array([0, 2, 1], dtype=np.uint8), n_k=2),
    stress(valid_lens=np.array([200, 0, 255], dtype=np.uint8), n_k=300),
    stress(valid_lens=np.arange(42).reshape(7, 6) * 7, n_k=300),
)

MISTAKES = """
you show the first keys, which are the padding here: the valid keys come last.
    = np.arange(n_k) < valid_lens[..., None]
one key too few is visible: key n_k - length is the first valid one.
    >= n_k → > n_k
one padded key stays visible: the first valid key is n_k - length.
    >= n_k → >= n_k - 1
300 keys do not fit the lengths' uint8, which ends at 255: count in the integers of np.arange, as in
j + length >= n_k.
    = np.arange(n_k) >= n_k - valid_lens[..., None]
    = (np.arange(n_k) + valid_lens[..., None]).astype(valid_lens.dtype) >= n_k
    np.arange(n_k) → np.arange(n_k).astype(valid_lens.dtype)
    = np.arange(n_k).astype(valid_lens.dtype) >= n_k - valid_lens[..., None]
you hide the first `length` keys; the padding is the first n_k - length.
    = np.arange(n_k) >= valid_lens[..., None]
everything is visible, the padding too: valid_lens is not used.
    >= n_k → >= 0
these are the numbers 1.0 and 0.0; a mask is boolean, so that nobody takes it for a bias.
    = left_padding_mask(valid_lens, n_k).astype(float)
this is a bias, to be added to scores; a mask is boolean, True = may look.
    = np.where(left_padding_mask(valid_lens, n_k), 0, -np.inf)
the mask is transposed: each length has a row, and columns are keys.
    = np.arange(n_k)[:, None] + valid_lens[..., None, :] >= n_k
the rows are turned round as well as, or instead of, the keys, which are the last axis:
[..., ::-1].
    = np.flip(np.arange(n_k) < valid_lens[..., None])
    = np.flipud(np.arange(n_k) < valid_lens[..., None])
key j meets the length of row j: give the lengths a new last axis for the keys.
    [..., None] → [:]
this holds for one number of axes only: `...` stands for any number of axes.
    [..., None] → [:, None] || [:, :, None]
"""

exercise = write(left_padding_mask, CASES, MISTAKES, oracle=row_by_row)
