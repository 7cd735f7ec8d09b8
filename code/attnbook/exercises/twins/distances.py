"""A score by way of the distance, whose gradient is not a number."""

import numpy as np
import torch

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.engine.tensors import differentiated
from attnbook.exercises.solutions import twins as solutions


def by_way_of_the_distance(query, key):
    """The Gaussian score of Chapter 1 with width 1."""
    steps = query - key
    distance = torch.sqrt(torch.sum(steps**2))
    return -(distance**2) / 2


def from_the_square(query, key):
    """The same score from the square itself."""
    steps = query - key
    return -torch.sum(steps**2) / 2


def _allowed(query, key):
    for name, x in (("query", query), ("key", key)):
        if not isinstance(x, np.ndarray) or x.dtype.kind not in "if" or x.shape != (2,):
            return f"the {name} is a list of two numbers, such as [1.0, 2.0]."
        if not np.all(np.abs(x) <= 1e6):
            return f"the {name} has numbers up to a million in size; both forms overflow far out."
        if np.any((x != 0) & (np.abs(x) < 1e-6)):
            return f"the {name} has numbers from a millionth up, or 0: this is not about underflow."
    return None


def distance_of(query, key):
    return float(np.linalg.norm(query - key))


distance = Break(
    name="twins.distance",
    title="Right forward, NaN backward",
    level="medium",
    minutes=8,
    solution_of=solutions.distance,
    wrong=by_way_of_the_distance,
    right=from_the_square,
    through=differentiated,
    allowed=_allowed,
    explanation=(
        "The slope of the square root at 0 is infinite, and the slope of the square at 0 is 0: the "
        "chain rule multiplies them, and 0 · ∞ is NaN. So the gradient fails where the query "
        "stands on the key. Without the detour over the root, the slope is the step, 0."
    ),
    hints=(
        "The forward values agree everywhere. Which of the operations has a slope that is not "
        "finite somewhere?",
        "The slope of √x is 1/(2√x). Where is it infinite, and what is the distance there?",
    ),
    misconceptions=(
        Miss(
            ([0.0, 0.0], [3.0, 4.0]),
            lambda query, key: not np.any(query) and np.any(key),
            "a query of 0 is not special: the root sees the distance, and the key is elsewhere.",
        ),
        Miss(
            ([3.0, 4.0], [0.0, 0.0]),
            lambda query, key: not np.any(key) and np.any(query),
            "a key of 0 is not special: the root sees the distance, and the query is elsewhere.",
        ),
        Miss(
            ([1.0, 2.0], [1.0, 5.0]),
            lambda query, key: np.sum(query == key) == 1,
            "one step is 0, but the root is taken of the sum of both squares: that is not 0.",
        ),
        Miss(
            ([1000.0, 0.0], [-1000.0, 1.0]),
            lambda query, key: distance_of(query, key) >= 10,
            "far apart the slope of the root is small, and finite: come closer.",
        ),
        Miss(
            ([1.0, 2.0], [1.001, 2.001]),
            lambda query, key: distance_of(query, key) < 0.1,
            "the slope of the root is large here, and still finite: come closer yet.",
        ),
        Miss(
            ([1.0, 0.0], [0.0, 1.0]),
            lambda query, key: True,
            "query and key stand apart, and there the slope of the root is finite: come closer.",
        ),
    ),
    notice="The forward value was right all the while: only a test of the gradient finds this.",
)
