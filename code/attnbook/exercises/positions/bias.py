"""ALiBi's bias, for slopes that are given."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import positions as solutions


def _case(slopes, n_q, n_k, dtype=np.float64, make=case):
    return make(slopes=np.array(slopes, dtype), n_q=n_q, n_k=n_k)


def _version(
    ahead=lambda i, j, n_q, n_k: j - (i + n_k - n_q),
    away=np.abs,
    bias=lambda slopes, far: -slopes[:, None, None] * far,
):
    """The solution with one step exchanged."""

    def alibi(slopes, n_q, n_k):
        far = away(ahead(np.arange(n_q)[:, None], np.arange(n_k), n_q, n_k))
        return bias(slopes, far).astype(slopes.dtype)

    return alibi


def _promoted(slopes, n_q, n_k):
    return solutions.alibi(slopes.astype(float), n_q, n_k).astype(np.float64)


def _masked(fill):
    def alibi(slopes, n_q, n_k):
        ahead = np.arange(n_k) - (np.arange(n_q)[:, None] + n_k - n_q)
        return np.where(ahead > 0, fill, solutions.alibi(slopes, n_q, n_k)).astype(slopes.dtype)

    return alibi


def _of_the_chapter(slopes, n_q, n_k):
    own = 2.0 ** (-8 * np.arange(1, len(slopes) + 1) / len(slopes))
    return solutions.alibi(own.astype(slopes.dtype), n_q, n_k)


CACHE = (
    "query i is put at key i: with n_k − n_q keys in a cache it stands at key i + n_k − n_q, so "
    "that the last query stands at the last key."
)

alibi = Write(
    name="positions.alibi",
    title="ALiBi with a cache",
    level="easy",
    minutes=6,
    solution_of=solutions.alibi,
    explanation=(
        "The distances are one matrix for all heads; two axes of length 1 let each head scale it. "
        "An integer matrix times float32 is float64 in NumPy, so the last step returns to the "
        "dtype of the slopes."
    ),
    hints=(
        "At which key does query i stand, if the last query stands at the last key?",
        "`np.arange(n_q)[:, None]` is a column of queries; less a row of keys it is a matrix.",
        "`slopes[:, None, None]` has the shape (h, 1, 1).",
    ),
    misconceptions=(
        Misconception(_version(ahead=lambda i, j, n_q, n_k: j - i), CACHE),
        Misconception(
            _version(bias=lambda slopes, far: slopes[:, None, None] * far),
            "the bias grows with the distance: far keys should get less.",
        ),
        Misconception(
            _version(away=lambda x: x),
            "without an absolute value the future is lowered and the past is raised.",
        ),
        Misconception(
            _version(away=lambda x: -x),
            "without an absolute value the future is raised: distances count in both directions.",
        ),
        Misconception(
            _version(away=lambda x: np.maximum(-x, 0)),
            "keys ahead of the query have no bias: distances count in both directions.",
        ),
        Misconception(
            _version(away=np.square),
            "the distances are squared; the bias is linear, as the name says.",
        ),
        Misconception(
            _version(away=lambda x: np.abs(x) + 1),
            "a word's own key has a bias: its distance is 0.",
        ),
        Misconception(
            _version(away=lambda x: np.abs(x) / max(x.shape[-1], 1)),
            "the distances are divided by the number of keys: a step counts the same in any text.",
        ),
        Misconception(
            _version(bias=lambda slopes, far: -(slopes[:, None, None] ** far)),
            "this is a power of the slope; the bias is their product.",
        ),
        Misconception(
            _version(bias=lambda slopes, far: -far / slopes[:, None, None]),
            "the distances are divided by the slope; the bias is their product.",
        ),
        Misconception(
            _version(bias=lambda slopes, far: np.exp(-slopes[:, None, None] * far)),
            "these are the exponentials: the bias is added to scores, before the softmax.",
        ),
        Misconception(
            _version(bias=lambda slopes, far: -far[..., None] * slopes),
            "the heads are the last axis; they come first, (h, n_q, n_k).",
        ),
        Misconception(
            _version(bias=lambda slopes, far: -slopes[0] * far + 0 * slopes[:, None, None]),
            "every head has the first slope.",
        ),
        Misconception(
            _version(bias=lambda slopes, far: -np.swapaxes(slopes[:, None, None] * far, -1, -2)),
            "the bias is transposed: rows are queries, columns are keys.",
        ),
        Misconception(
            _version(ahead=lambda i, j, n_q, n_k: j - (i + n_q - n_k)),
            "n_k − n_q has the other sign: the queries stand at the last keys.",
        ),
        *(
            Misconception(
                _version(ahead=lambda i, j, n_q, n_k, off=off: j - (i + n_k - n_q + off)),
                "each query is put one key off: the last one, i = n_q − 1, stands at key n_k − 1.",
            )
            for off in (-1, 1)
        ),
        Misconception(
            _version(ahead=lambda i, j, n_q, n_k: j - (n_k - 1) + 0 * i),
            "every query counts from the last key: query i stands at key i + n_k − n_q.",
        ),
        Misconception(
            _version(bias=lambda slopes, far: -slopes[:, None] * far),
            "slopes[:, None] meets the queries: give slopes two more axes, slopes[:, None, None].",
        ),
        Misconception(
            _version(bias=lambda slopes, far: -slopes * far),
            "slopes of shape (h,) meet the keys: give them two more axes, slopes[:, None, None].",
        ),
        Misconception(
            _of_the_chapter, "these are the slopes of the chapter: use those that are given."
        ),
        *(
            Misconception(
                _masked(fill),
                "the future is hidden: that is the mask's part, and a bias hides nothing.",
            )
            for fill in (-np.inf, -1e9)
        ),
        Misconception(
            _version(away=lambda x: np.abs(x.astype(np.int8))),
            "distances in 8 bits wrap around: 128 is no int8.",
        ),
        Misconception(
            _version(
                ahead=lambda i, j, n_q, n_k: j + 0 * i,
                bias=lambda slopes, far: slopes[:, None, None] * far,
            ),
            "that is slope · j, which weighs the same under a causal softmax alone: the bias is "
            "−slope times a distance.",
        ),
        Misconception(_promoted, "the result is float64: return it in the dtype of the slopes."),
    ),
    notice="With one query and a cache this is one row for each head, and nothing to be turned.",
    cases=(
        _case([0.5], 2, 2),
        _case([0.5, 0.25], 2, 3),
        _case([1.0], 1, 4),
        _case([0.3, 0.7], 3, 3),
        _case([0.5, 2.0, 1 / 7], 3, 3),
        _case([0.5, 2.0, 0.1], 4, 2),
        _case([1.0, 0.5], 1, 1),
        _case([0.25, 0.125, 3.0, 0.75], 2, 5, np.float32),
        _case([0.5, 0.25], 3, 2),
        _case([0.2, 0.6], 2, 3),
        _case([0.5, 0.25], 2, 3, np.float16),
        _case([0.5], 2, 300, make=stress),
    ),
)
