"""A mask that hides the future."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.families import triangles
from attnbook.exercises.solutions import masks as solutions


def _triangle(visible):
    def mask(n_q, n_k):
        return visible(np.arange(n_q)[:, None], np.arange(n_k), n_q, n_k)

    return mask


causal_mask = Write(
    name="masks.causal_mask",
    title="A causal mask",
    level="easy",
    minutes=6,
    solution_of=solutions.causal_mask,
    explanation=(
        "Query i stands at key i + n_k − n_q, so that the last query stands at the last key. It "
        "sees every key up to there. A column of queries compared with a row of keys is a matrix."
    ),
    hints=(
        "np.arange(n_q)[:, None] is a column of queries, np.arange(n_k) a row of keys.",
        "For n_q = n_k the mask is j <= i. With 2 queries and 5 keys, at which key is query 0?",
        "The last query, n_q - 1, stands at the last key, n_k - 1: every query is n_k - n_q along.",
    ),
    misconceptions=(
        *triangles.misconceptions(_triangle),
        Misconception(
            lambda n_q, n_k: solutions.causal_mask(n_q, n_k).T,
            "the mask is transposed: rows are queries, columns are keys.",
        ),
        Misconception(
            lambda n_q, n_k: solutions.causal_mask(n_q, n_k).astype(float),
            "these are the numbers 1.0 and 0.0; a mask is boolean, so that nobody can add it.",
        ),
        Misconception(
            lambda n_q, n_k: np.where(solutions.causal_mask(n_q, n_k), 0, -np.inf),
            "this is a bias, to be added to scores; a mask is boolean, True = may look.",
        ),
    ),
    notice="For one new query beside a cache the mask is all True: the newest sees everything.",
    cases=(
        case(n_q=2, n_k=2),
        case(n_q=1, n_k=1),
        case(n_q=1, n_k=3),
        case(n_q=3, n_k=3),
        case(n_q=2, n_k=5),
        case(n_q=4, n_k=2),
        case(n_q=5, n_k=1),
        stress(n_q=23, n_k=31),
        stress(n_q=31, n_k=23),
        stress(n_q=140, n_k=150),
    ),
)
