"""Right forward, NaN backward · medium · 8 min

Hints
1. The forward values agree everywhere. Which of the operations has a slope that is not finite
   somewhere?
2. The slope of √x is 1/(2√x). Where is it infinite, and what is the distance there?

Why
The slope of the square root at 0 is infinite, and the slope of the square at 0 is 0: the chain rule
multiplies them, and 0 · ∞ is NaN. So the gradient fails where the query stands on the key. Without
the detour over the root, the slope is the step, 0.

Notice
The forward value was right all the while: only a test of the gradient finds this.
"""

import numpy as np
import torch

from attnbook.exercises.engine import break_it
from attnbook.exercises.engine.tensors import differentiated


def distance():
    """A query and a key at the same place."""
    return [2.0, 1.0], [2.0, 1.0]


def by_way_of_the_distance(query, key):
    """The Gaussian score, with width 1."""
    steps = query - key
    distance = torch.sqrt(torch.sum(steps**2))
    return -(distance**2) / 2


def from_the_square(query, key):
    """The same score from the square itself."""
    steps = query - key
    return -torch.sum(steps**2) / 2


def are_two_places(query, key):
    for name, x in (("query", query), ("key", key)):
        if not isinstance(x, np.ndarray) or x.dtype.kind not in "if" or x.shape != (2,):
            return f"the {name} is a list of two numbers, such as [1.0, 2.0]."
        if not np.all(np.abs(x) <= 1e6):
            return f"the {name} has numbers up to a million in size; both forms overflow far out."
        if np.any((x != 0) & (np.abs(x) < 1e-6)):
            return f"the {name} has numbers from a millionth up, or 0: this is not about underflow."
    return None


MISTAKES = """
a query of 0 is not special: the root sees the distance, and the key is elsewhere.
    [0.0, 0.0], [3.0, 4.0]
    if not np.any(query) and np.any(key)
a key of 0 is not special: the root sees the distance, and the query is elsewhere.
    [3.0, 4.0], [0.0, 0.0]
    if not np.any(key) and np.any(query)
one step is 0, but the root is taken of the sum of both squares: that is not 0.
    [1.0, 2.0], [1.0, 5.0]
    if np.sum(query == key) == 1
far apart the slope of the root is small, and finite: come closer.
    [1000.0, 0.0], [-1000.0, 1.0]
    if np.linalg.norm(query - key) >= 10
the slope of the root is large here, and still finite: come closer yet.
    [1.0, 2.0], [1.001, 2.001]
    if np.linalg.norm(query - key) < 0.1
query and key stand apart, and there the slope of the root is finite: come closer.
    [1.0, 0.0], [0.0, 1.0]
    if True
"""

exercise = break_it(
    distance,
    MISTAKES,
    broken=by_way_of_the_distance,
    right=from_the_square,
    through=differentiated,
    allowed=are_two_places,
    stated=((0, [0, 0]), (0, [np.nan, np.nan])),
)
