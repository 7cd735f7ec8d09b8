"""The mask of a decoder · easy · 8 min

Hints
1. Write the two conditions on key j for query i of a sentence of length L.
2. The causal mask has shape (n, n). In which shape do the lengths meet it?
3. valid_lens[..., None, None] has the shape (..., 1, 1); compare np.arange(n) with it.

Why
Two masks joined by &: the key is a real word, and it is not in the query's future. The lengths get
two axes of length 1, for the queries and the keys; the causal mask serves every sentence. The rows
of padded queries are left as they come: nobody reads them.

Notice
In the rows of real words the padding hides nothing that the triangle does not: with padding at the
end, their past is real. With padding in front it would not be.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.masks import causal_mask, padding_mask


def decoder_mask(valid_lens, n):
    """True where key j is real and not in the future of query i."""
    real = np.arange(n) < valid_lens[..., None, None]
    return real & causal_mask(n, n)


def by_rule(valid_lens, n):
    i, j, lens = np.arange(n)[:, None], np.arange(n), valid_lens[..., None, None]
    return (j < lens) & (j <= i)


def in_loops(valid_lens, n):
    """Query by query and key by key."""
    seen = [j < lens and j <= i for lens in valid_lens.flat for i in range(n) for j in range(n)]
    return np.array(seen, bool).reshape(*valid_lens.shape, n, n)


CASES = (
    case(
        valid_lens=np.array([2]),
        n=3,
        gives=np.array([[[True, False, False], [True, True, False], [True, True, False]]]),
    ),
    case(valid_lens=np.array([1, 3]), n=3),
    case(valid_lens=np.array(2), n=3),
    case(valid_lens=np.array([1]), n=1),
    case(valid_lens=np.array([0, 1]), n=2),
    case(valid_lens=np.array([4, 1, 3, 2]), n=4),
    case(valid_lens=np.array([2, 0, 5]), n=5),
    case(valid_lens=np.array([[1, 3], [4, 0], [2, 2]]), n=4),
    case(valid_lens=np.array([[[5, 0, 3]], [[2, 4, 1]]]), n=5),
    case(valid_lens=np.arange(3).reshape(3, 1), n=3),
    stress(valid_lens=np.array([2, 0, 3], dtype=np.int32), n=3),
    stress(valid_lens=np.array([0, 3, 2], dtype=np.uint8), n=3),
    stress(valid_lens=np.array([300, 0, 150]), n=300),
    stress(valid_lens=np.array([255, 0, 150], dtype=np.uint8), n=300),
)

MISTAKES = """
a query may look at its past and itself, j <= i, and at nothing else.
    j <= i → j >= i || j == i || j > i
the diagonal is off by one: a query may look at its own word, and at none after it.
    j <= i → j < i || j <= i + 1
the future is visible: the mask hides padding only.
    & (j <= i) → & (i >= 0)
    & causal_mask(n, n) →
    = padding_mask(valid_lens, n)
padding is visible: a padded query sees padded keys, and valid_lens is not used.
    j < lens → lens >= 0
    = causal_mask(n, n)
a key must be allowed by both masks: & says so, while | takes either, and ^ and == compare them.
    real & → real | || real ^ || real ==
padded queries see nothing here: a length hides keys, which are columns, and the rows of padded
queries are left as they come.
    j < lens → i < lens
the polarity is inverted, of the padding or of the whole mask: True means that a query may look.
    j < lens → j >= lens
    = ~decoder_mask(valid_lens, n)
the padding is taken to come first: here the real words do.
    j < lens → j >= n - lens
there may be any number of axes of lengths, or none: valid_lens[..., None, None] keeps them all, and
has two new ones, for the queries and for the keys.
    valid_lens[..., None, None] → valid_lens || valid_lens[:, None] || valid_lens[..., None]
    valid_lens[..., None, None] → valid_lens[:, None, None]
    np.arange(n) < valid_lens[..., None, None] → (np.arange(n) < valid_lens[:, None])[:, None]
    np.arange(n) < valid_lens[..., None, None] → padding_mask(valid_lens, n)
    np.arange(n) < valid_lens[..., None, None] → padding_mask(np.atleast_1d(valid_lens), n)
    np.arange(n) < valid_lens[..., None, None] → padding_mask(valid_lens.reshape(-1), n)
"""

exercise = write(decoder_mask, CASES, MISTAKES, drafts=(by_rule,), oracle=in_loops)
