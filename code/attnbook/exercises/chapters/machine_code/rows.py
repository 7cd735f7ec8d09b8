"""What an input must be that is a row of numbers."""

import numpy as np

from attnbook.operation import describe


def row(name, largest):
    """A function that gives a sentence if its argument is no row of such numbers, or None."""

    def allowed(values):
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiu":
            return f"{name} is {describe(values)}; the check wants a list of numbers, [1, 2, 3]."
        if values.ndim != 1 or not 1 <= values.size <= 8:
            return f"{name} has the shape {values.shape}; the check wants a list of 1 to 8 numbers."
        if (beyond := ~(np.abs(values) <= largest)).any():
            found, limit = f"{values[beyond][0]:g}", f"{largest:g}"
            return f"{name} holds {found}; the check wants numbers from -{limit} to {limit}."
        return None

    return allowed
