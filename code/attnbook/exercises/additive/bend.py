"""A score that bends queries and keys each on their own, before they meet."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import additive as solutions
from attnbook.operation import describe
from attnbook.reference import softmax


def bent_together(q, k):
    """The right version: add, then bend. All parameters are 1."""
    return softmax(np.tanh(q + k.T))


def bent_on_their_own(q, k):
    """The wrong version that the exercise shows: bend, then add."""
    return softmax(np.tanh(q) + np.tanh(k.T))


def _allowed(q, k):
    for name, x in {"q": q, "k": k}.items():
        column = isinstance(x, np.ndarray) and x.ndim == 2 and x.shape[1] == 1 and x.size
        if not column or x.dtype.kind not in "iuf":
            return f"{name} is {describe(x)}; expected real numbers of shape (n, 1), not empty."
        if not np.isfinite(x).all():
            return f"{name} holds infinity or NaN; expected finite numbers."
    return None


def _keys_tie(q, k):
    return np.allclose(k, k[0])


def _keys_saturate(q, k):
    """Every key lies so far out on one side, and every sum too, that no step is left."""
    sums = np.tanh(q + k.T)
    return np.allclose(np.tanh(k), np.tanh(k[0])) and np.allclose(sums, sums[:, :1])


def _query_mirrors_the_keys(q, k):
    return len(np.unique(k)) == 2 and np.allclose(q, -k.min() - k.max())


def _query_moves_nothing(q, k):
    return np.allclose(np.tanh(q + k.T), np.tanh(k.T))


def _all_is_small(q, k):
    return max(np.abs(q).max(), np.abs(k).max()) < 1e-3


bent_apart = Break(
    name="additive.bent_apart",
    title="Each side bent on its own",
    level="medium",
    minutes=8,
    wrong=bent_on_their_own,
    right=bent_together,
    allowed=_allowed,
    solution_of=solutions.bent_apart,
    hints=(
        "Without numbers: what does the query add to its row of scores in the wrong version?",
        "So in the wrong version the query cancels. Look for a query that matters in the right "
        "one, and two keys that differ.",
        "With the query 0 both versions score tanh(k). Move the query to where the curve is "
        "flatter.",
    ),
    explanation=(
        "In the wrong version tanh(q) is one number for the whole row, so the weights do not "
        "depend on the query. In the right one the query 1 moves the keys 0 and 1 to 1 and 2, "
        "where the tanh is flatter: their scores are nearer, and so are their weights."
    ),
    misconceptions=(
        Miss(
            (np.array([[2.0]]), np.array([[3.0]])),
            lambda q, k: len(k) == 1,
            "with one key its weight is 1 whatever the score.",
        ),
        Miss(
            (np.zeros((1, 1)), np.array([[0.0], [1.0]])),
            lambda q, k: np.allclose(q, 0, atol=1e-9),
            "with the query 0, or one so near to it, both versions score tanh(k): bend or not, "
            "nothing was added.",
        ),
        Miss(
            (np.array([[1.0], [2.0]]), np.full((3, 1), 0.5)),
            _keys_tie,
            "the keys are all equal, or nearly: then so are the weights, in both versions.",
        ),
        Miss(
            (np.array([[2.0]]), np.array([[30.0], [40.0]])),
            _keys_saturate,
            "the keys lie where the tanh is flat: both versions give them even weights.",
        ),
        Miss(
            (np.array([[2.0]]), np.array([[-3.0], [1.0]])),
            _query_mirrors_the_keys,
            "the query is minus the sum of two keys: there both versions take the same step "
            "from key to key.",
        ),
        Miss(
            (np.array([[2.0]]), np.array([[-30.0], [30.0]])),
            _query_moves_nothing,
            "each key lies where the tanh is flat, and this query leaves it there.",
        ),
        Miss(
            (np.array([[1e-5]]), np.array([[0.0], [1e-5]])),
            _all_is_small,
            "so near to 0 the tanh is a straight line, and without a bend both are the vector sum.",
        ),
    ),
    notice=(
        "A bend helps only where query and key have met. Bent on its own, each side is still a "
        "number of its own, and the softmax drops the query's."
    ),
)
