"""The additive score from one matrix that acts on the query and the key laid end to end."""

import numpy as np

from attnbook.exercises.additive import wrong_scores as wrong
from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import additive as solutions
from attnbook.exercises.write import Write, case, stress
from attnbook.reference import additive_scores, softmax

rng = np.random.default_rng(0)


def _scores(scorer, parts):
    """Scores of `scorer`, with the matrices for queries and for keys that `parts` makes."""
    return lambda q, k, w, w_v: scorer(q, k, *parts(w, q, k), w_v)


def _right_parts(w, q, k):
    return w[:, : q.shape[-1]].T, w[:, q.shape[-1] :].T


def _with(scorer):
    return _scores(scorer, _right_parts)


def _cut(parts, sentence):
    """A wrong cut, before either scorer: what they raise differs."""
    scorers = wrong.right, wrong.by_einsum, additive_scores
    return (Misconception(_scores(scorer, parts), sentence) for scorer in scorers)


def _columns(end):
    """The columns of w up to `end`, which is made of w, q and k, and the others."""
    return lambda w, q, k: (w[:, : end(w, q, k)].T, w[:, end(w, q, k) :].T)


def _reshaped(w, q, k):
    w = w.reshape(-1, len(w))
    return w[: q.shape[-1]], w[q.shape[-1] :]


def _laid(join, multiply=lambda qk, w: qk @ w.T):
    """The arrays laid end to end, instead of each pair of vectors."""
    return lambda q, k, w, w_v: np.tanh(multiply(join(q, k), w)) @ w_v


_JOINS = (
    lambda q, k: np.concatenate([q, k], axis=-1),
    lambda q, k: np.concatenate([q, k], axis=-2),
    lambda q, k: np.concatenate([q, k]),
    lambda q, k: np.hstack([q, k]),
)


def _pairs(q, k):
    shape = (*q.shape[:-1], *k.shape[-2:-1])
    pair = q[..., :, None, :], k[..., None, :, :]
    return [np.broadcast_to(side, (*shape, side.shape[-1])) for side in pair]


def _pairs_not_transposed(q, k, w, w_v):
    return np.tanh(np.concatenate(_pairs(q, k), axis=-1) @ w) @ w_v


def _loops(score):
    """Pair by pair, for one example: there is no loop over a batch."""
    return lambda q, k, w, w_v: np.array(
        [[score(np.tanh(w @ np.concatenate([x, y])), w_v) for y in k] for x in q]
    )


_WITHOUT_BATCH = (
    *map(_with, wrong.WITHOUT_BATCH),
    _loops(lambda hidden, w_v: hidden @ w_v),
    _loops(lambda hidden, w_v: w_v @ hidden),
)


def _random(n_q, n_k, d_q, d_k, d_hidden, batch=(), dtype=np.float64):
    sizes = {
        "q": (*batch, n_q, d_q),
        "k": (*batch, n_k, d_k),
        "w": (d_hidden, d_q + d_k),
        "w_v": (d_hidden,),
    }
    return {name: rng.standard_normal(size).astype(dtype) for name, size in sizes.items()}


def _tiny(dtype=np.float64):
    """One query of width 1, two keys of width 2."""
    floating = dtype if np.dtype(dtype).kind == "f" else np.float64
    return {
        "q": np.array([[2]], dtype),
        "k": np.array([[1, 0], [0, 1]], dtype),
        "w": np.array([[0.5, 0.0, 1.0], [0.25, 0.5, -1.0]], floating),
        "w_v": np.array([2.0, 1.0], floating),
    }


_TRANSPOSED = (
    "the parts of W stand on the left of a column; on the right of a row they are transposed."
)
_ROWS = (
    "cut W between columns: d_q of them belong to the query, the other d_k to the key. These parts "
    "have other numbers of columns."
)
_HALF = "W is cut in half; the cut is after d_q columns, wherever that is."
_RESHAPED = "reshape keeps the order of the numbers; W has to be transposed: w.T."
_END_TO_END = (
    "the two arrays are laid end to end; [q; k] is one query and one key, for each pair of them."
)

concat_scores = Write(
    name="additive.concat_scores",
    title="One matrix on both",
    level="medium",
    minutes=10,
    solution_of=solutions.concat_scores,
    hints=(
        "W [q; k] is a sum of two parts. Which columns of W meet the query?",
        "The first d_q columns meet the query, the others the key: `w[:, :d_q]` and `w[:, d_q:]`.",
        "Our scorer multiplies rows from the left, x @ w_q with w_q of shape (d_q, d_hidden): "
        "transpose both parts.",
    ),
    explanation=(
        "A matrix times a column vector that is laid end to end is the sum of its two parts times "
        "the two pieces. Transposed, the parts are our w_q and w_k, and no pair has to be laid "
        "end to end."
    ),
    misconceptions=(
        *_cut(
            lambda w, q, k: (w[:, k.shape[-1] :].T, w[:, : k.shape[-1]].T),
            "the query comes first in [q; k], so the first columns of W belong to it.",
        ),
        *_cut(
            lambda w, q, k: (w[:, q.shape[-1] :].T, w[:, : q.shape[-1]].T),
            "the two parts are exchanged: the first columns of W belong to the query.",
        ),
        *_cut(_columns(lambda w, q, k: w.shape[1] // 2), _HALF),
        *_cut(_columns(lambda w, q, k: (w.shape[1] + 1) // 2), _HALF),
        *_cut(lambda w, q, k: [half.T for half in np.hsplit(w, 2)], _HALF),
        *_cut(
            _columns(lambda w, q, k: k.shape[-1]),
            "W is cut after d_k columns; the query, of width d_q, is first.",
        ),
        *_cut(
            _columns(lambda w, q, k: len(w)),
            "W is cut after d_hidden columns; the query, of width d_q, is first.",
        ),
        *_cut(
            _columns(lambda w, q, k: len(q)),
            "len(q) is the length of the first axis; the width of the queries is q.shape[-1].",
        ),
        *_cut(
            _columns(lambda w, q, k: q.shape[-2]),
            "W is cut after n_q columns, as many as there are queries; their width is q.shape[-1].",
        ),
        *_cut(
            _columns(lambda w, q, k: q.shape[1]),
            "q.shape[1] is the width without batch axes only; it is q.shape[-1].",
        ),
        *_cut(lambda w, q, k: (w[: q.shape[-1]], w[q.shape[-1] :]), _ROWS),
        *_cut(lambda w, q, k: (w[: q.shape[-1]].T, w[q.shape[-1] :].T), _ROWS),
        *_cut(lambda w, q, k: (w[: len(w) // 2].T, w[len(w) // 2 :].T), _ROWS),
        *_cut(lambda w, q, k: (w.T, w.T), _ROWS),
        *_cut(lambda w, q, k: (w, w), _ROWS),
        *_cut(lambda w, q, k: (w[:, : q.shape[-1]], w[:, q.shape[-1] :]), _TRANSPOSED),
        *_cut(lambda w, q, k: (w[:, : q.shape[-1]], w[:, q.shape[-1] :].T), _TRANSPOSED),
        *_cut(lambda w, q, k: (w[:, : q.shape[-1]].T, w[:, q.shape[-1] :]), _TRANSPOSED),
        Misconception(
            _pairs_not_transposed, "W stands left of a column; right of a row it is w.T."
        ),
        *_cut(_reshaped, _RESHAPED),
        *_cut(
            lambda w, q, k: (
                w[:, : q.shape[-1]].reshape(q.shape[-1], -1),
                w[:, q.shape[-1] :].reshape(k.shape[-1], -1),
            ),
            _RESHAPED,
        ),
        Misconception(
            _with(wrong.no_tanh), "the tanh is missing: the query cancels in the softmax."
        ),
        Misconception(
            _with(wrong.bent_apart),
            "each side is bent before they meet: the query still cancels. Add first.",
        ),
        Misconception(
            _with(wrong.tanh_last), "the tanh stands after w_v; it belongs to each hidden unit."
        ),
        Misconception(
            _with(wrong.w_v_forgotten),
            "w_v is left out: the hidden units are added up with weight 1.",
        ),
        Misconception(
            _with(wrong.not_added_up),
            "the hidden units are not added up: a score is one number for each pair.",
        ),
        Misconception(
            _with(wrong.scaled), "the score is divided by √d_hidden; this score has no scale."
        ),
        Misconception(
            _with(wrong.mean_for_sum),
            "this is the mean over the hidden units; a score is their sum.",
        ),
        Misconception(_with(wrong.product), "the two parts are multiplied; W [q; k] is their sum."),
        Misconception(_with(wrong.difference), "the key's part is subtracted; W [q; k] is a sum."),
        Misconception(
            _with(wrong.transposed),
            "the scores are transposed: rows are queries, columns are keys.",
        ),
        Misconception(
            _with(wrong.by_number),
            "query i meets key i only; every query is scored against every key.",
        ),
        *(
            Misconception(_laid(join, multiply), _END_TO_END)
            for join in _JOINS
            for multiply in (lambda qk, w: qk @ w.T, lambda qk, w: qk @ w, lambda qk, w: w @ qk)
        ),
        *(
            Misconception(
                scores, "this works without batch axes only; count the axes from the back."
            )
            for scores in _WITHOUT_BATCH
        ),
        *(
            Misconception(
                _with(scorer), "this works with one batch axis only; count the axes from the back."
            )
            for scorer in wrong.ONE_BATCH_AXIS
        ),
        Misconception(
            lambda *inputs: softmax(_with(wrong.right)(*inputs)),
            "these are weights; a score is what goes into the softmax.",
        ),
        Misconception(
            _with(wrong.an_axis_left),
            "one axis too many is left, of size 1: a score is one number for each pair.",
        ),
        Misconception(
            _with(wrong.double),
            "the result is float64 whatever came in; keep the caller's float type.",
        ),
    ),
    notice=(
        "This is how to read another model's weights into ours. Most such conversions are a cut, "
        "a transpose and an order, and each of the three can be wrong in silence."
    ),
    cases=(
        case(**_tiny()),
        case(**_random(1, 1, 1, 1, 1)),
        case(**_random(2, 3, 2, 2, 4)),
        case(**_random(3, 3, 2, 2, 2)),
        case(**_random(3, 5, 4, 2, 6)),
        case(**_random(3, 4, 2, 5, 7, batch=(2,))),
        case(**_random(4, 3, 6, 1, 5, batch=(2, 3))),
        case(**_random(3, 3, 3, 3, 6, batch=(3,))),
        case(**_random(2, 3, 2, 4, 5, batch=(2, 1, 3))),
        case(**_random(2, 3, 2, 3, 5, dtype=np.float32)),
        stress(**_tiny(np.float16)),
        stress(**_tiny(np.int8)),
        stress(**_tiny() | {"k": np.array([[1, 0], [0, 1]])}),
        stress(**_tiny() | {"q": np.array([[1e4]])}),
        stress(**_tiny() | {"q": np.array([[-1e300]])}),
        stress(**_tiny() | {"k": np.array([[1.0, 0.0], [np.nan, 1.0]])}),
    ),
)
