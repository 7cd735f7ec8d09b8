"""RoPE with halves for pairs, written in full."""

import numpy as np

from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.positions.wrong_halves import MISTAKES
from attnbook.exercises.solutions import positions as solutions

rng = np.random.default_rng(0)
THREE_FOUR_FIVE = np.arctan2(4, 3)  # an angle whose cosine is 0.6, and whose sine is 0.8


def _case(n, pairs, batch=(), places=None, dtype=np.float64, make=case):
    x = rng.standard_normal((*batch, n, 2 * pairs))
    x = np.round(4 * x).astype(dtype) if np.dtype(dtype).kind in "iu" else x.astype(dtype)
    places = np.arange(n) if places is None else np.array(places)
    return make(x=x, places=places, theta=10.0 ** -np.arange(pairs))


rope_halves = Write(
    name="positions.rope_halves",
    title="RoPE for halves",
    level="medium",
    minutes=10,
    solution_of=solutions.rope_halves,
    explanation=(
        "np.split cuts the last axis into the first features and the second features of all "
        "pairs; both new halves are made of the old ones. The angles have shape (n, M), and meet "
        "any batch axes in front."
    ),
    hints=(
        "An angle for each row and each pair: which shape is that, and which product makes it?",
        "`a, b = np.split(x, 2, axis=-1)` holds the first and the second features of all pairs.",
        "The new a is a cos φ - b sin φ, the new b is a sin φ + b cos φ, with the old a.",
    ),
    misconceptions=MISTAKES,
    notice="As a matrix this would be a block of 2 × 2 for each pair; nobody ever makes it.",
    cases=(
        case(x=np.array([[1.0, 0.0]]), places=np.array([1]), theta=np.array([THREE_FOUR_FIVE])),
        case(
            x=np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]),
            places=np.array([0, 1]),
            theta=np.array([THREE_FOUR_FIVE, 0.0]),
        ),
        _case(1, 2, places=[3]),
        _case(3, 2),
        _case(2, 2, places=[1, 2]),
        _case(3, 2, places=[-2, 7, 5]),
        _case(4, 3, dtype=np.float32, places=[2, 3, 4, 5]),
        _case(3, 2, dtype=np.int64),
        _case(3, 2, batch=(2,)),
        _case(2, 2, batch=(2,), places=[4, 5]),
        _case(4, 1, batch=(3, 2), places=[9, 1, 0, 2]),
        _case(5, 4, batch=(2, 1, 3)),
        _case(2, 2, places=[0, 1000], dtype=np.float16, make=stress),
        _case(2, 3, places=[10_000, 10_001], make=stress),
        _case(2, 2, places=[2049, 3001], dtype=np.float16, make=stress),
    ),
)
