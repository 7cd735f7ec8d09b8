"""Wrong causal masks, for NumPy and for PyTorch: rules for query i, key j and the two sizes."""

from attnbook.exercises.engine.exercise import Mistake

TOP_LEFT = (
    "the triangle is anchored at the top left: with more keys than queries the last query must "
    "see the last key."
)
MORE_QUERIES = (
    "with more queries than keys the last query still stands at the last key: the first n_q - n_k "
    "queries see nothing."
)
DIAGONAL = "the diagonal is lost: a query may look at its own key."
FUTURE = "query 0 sees key 1, its future, and no past: rows are queries, columns are keys."

RULES = (
    (lambda i, j, n_q, n_k: j <= i, TOP_LEFT),
    (lambda i, j, n_q, n_k: j <= i + min(n_k - n_q, 0), TOP_LEFT),
    (lambda i, j, n_q, n_k: j <= i + max(n_k - n_q, 0), MORE_QUERIES),
    (lambda i, j, n_q, n_k: j <= i + abs(n_k - n_q), MORE_QUERIES),
    (lambda i, j, n_q, n_k: j <= (i + n_k - n_q) * (i + n_k > n_q), MORE_QUERIES),
    (
        lambda i, j, n_q, n_k: j <= i + n_q - n_k,
        "the triangle is shifted the wrong way: query i stands at key i + n_k - n_q.",
    ),
    (lambda i, j, n_q, n_k: j < i + n_k - n_q, DIAGONAL),
    (
        lambda i, j, n_q, n_k: j < i,
        "the diagonal is lost, and the triangle is anchored at the top left: query i stands at key "
        "i + n_k - n_q, and sees it.",
    ),
    (
        lambda i, j, n_q, n_k: j <= i + n_k - n_q + 1,
        "every query sees one key of its future: the last visible key is its own.",
    ),
    (
        lambda i, j, n_q, n_k: j > i + n_k - n_q,
        "the polarity is inverted, only the future is visible: True = may look.",
    ),
    (
        lambda i, j, n_q, n_k: j > i,
        "the polarity is inverted, only the future is visible, and the triangle is anchored at the "
        "top left, where the last query should stand at the last key.",
    ),
    (lambda i, j, n_q, n_k: j >= i + n_k - n_q, FUTURE),
    (lambda i, j, n_q, n_k: j >= i, FUTURE),
    (
        lambda i, j, n_q, n_k: (i >= 0) & (j >= 0),
        "everything is visible, the future too: query i sees nothing after key i + n_k - n_q.",
    ),
    (
        lambda i, j, n_q, n_k: (i < 0) & (j < 0),
        "nothing is visible: query i may look at all keys up to i + n_k - n_q.",
    ),
    (
        lambda i, j, n_q, n_k: j == i + n_k - n_q,
        "only the diagonal is visible: a query may look at its whole past too.",
    ),
    (
        lambda i, j, n_q, n_k: j == i,
        "only the diagonal is visible: a query may look at its whole past too.",
    ),
    (
        lambda i, j, n_q, n_k: n_k - 1 - j <= i + n_k - n_q,
        "the triangle is mirrored, left to right: the first keys are seen most, the last least.",
    ),
    (
        lambda i, j, n_q, n_k: j <= n_q - 1 - i + n_k - n_q,
        "the triangle is upside down: the first query sees least, and the last everything.",
    ),
)


def mistakes(mask_of):
    """Each rule as a known mistake, made into a function by `mask_of`."""
    return tuple(Mistake(mask_of(rule), sentence) for rule, sentence in RULES)
