"""The rows of scores that a reader may break something with."""

import numpy as np

from attnbook.exercises.engine import describe


def refused_row(scores):
    """Why these are no scores of one row to try, or None."""
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu" or scores.ndim != 1:
        return f"scores is {describe(scores)}; the check wants a list of numbers, [1, 2, 3]."
    if not 1 <= scores.size <= 8:
        return f"there are {scores.size} scores; the check wants 1 to 8."
    if not np.all(np.abs(scores.astype(float)) <= 1e6):
        return "scores should be finite numbers between -1,000,000 and 1,000,000."
    return None
