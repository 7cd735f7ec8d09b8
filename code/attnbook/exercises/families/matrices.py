"""What every input that is to break a version of attention must be, and when it cannot break it."""

import numpy as np

from attnbook.exercises.engine import finite_arrays


def allowed(q, k, v):
    """A sentence if these are no matrices that attention takes, or None."""
    if refusal := finite_arrays(2, "a matrix of real numbers", q=q, k=k, v=v):
        return refusal
    if q.shape[1] != k.shape[1]:
        return (
            f"queries of width {q.shape[1]} meet keys of width {k.shape[1]}; they need one width."
        )
    if len(k) != len(v):
        return f"there are {len(k)} keys and {len(v)} values; each key needs one value."
    return None


def spread(q, columns):
    """How far the scores of a query lie apart, for the query where that is farthest."""
    with np.errstate(all="ignore"):
        return np.ptp(q @ columns, axis=-1).max()


def values_tie(q, k, v):
    """Whether all values are equal, or nearly."""
    return np.allclose(v, v[0])
