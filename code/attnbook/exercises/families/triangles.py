"""Wrong causal masks, for NumPy and for PyTorch: rules for query i, key j and the two sizes."""

from attnbook.exercises.engine import Mistake, read_mistakes
from attnbook.exercises.engine.edits import value

RULES = """
the triangle is anchored at the top left: with more keys than queries the last query must see the
last key.
    j <= i || j <= i + min(n_k - n_q, 0)
with more queries than keys the last query still stands at the last key: the first n_q - n_k queries
see nothing.
    j <= i + max(n_k - n_q, 0) || j <= i + abs(n_k - n_q)
    j <= (i + n_k - n_q) * (i + n_k > n_q)
the triangle is shifted the wrong way: query i stands at key i + n_k - n_q.
    j <= i + n_q - n_k
the diagonal is lost: a query may look at its own key.
    j < i + n_k - n_q
the diagonal is lost, and the triangle is anchored at the top left: query i stands at key i + n_k -
n_q, and sees it.
    j < i
every query sees one key of its future: the last visible key is its own.
    j <= i + n_k - n_q + 1
the polarity is inverted, only the future is visible: True = may look.
    j > i + n_k - n_q
the polarity is inverted, only the future is visible, and the triangle is anchored at the top left,
where the last query should stand at the last key.
    j > i
query 0 sees key 1, its future, and no past: rows are queries, columns are keys.
    j >= i + n_k - n_q || j >= i
everything is visible, the future too: query i sees nothing after key i + n_k - n_q.
    (i >= 0) & (j >= 0)
nothing is visible: query i may look at all keys up to i + n_k - n_q.
    (i < 0) & (j < 0)
only the diagonal is visible: a query may look at its whole past too.
    j == i + n_k - n_q || j == i
the triangle is mirrored, left to right: the first keys are seen most, the last least.
    n_k - 1 - j <= i + n_k - n_q
the triangle is upside down: the first query sees least, and the last everything.
    j <= n_q - 1 - i + n_k - n_q
"""


def mistakes(mask_of):
    """Each rule as a known mistake, made into a function by `mask_of`."""
    return tuple(
        Mistake(mask_of(value(f"lambda i, j, n_q, n_k: {rule}", mistakes)), sentence)
        for sentence, rules in read_mistakes(RULES)
        for rule in rules
    )
