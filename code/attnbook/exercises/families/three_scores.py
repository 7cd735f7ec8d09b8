"""Softmax of three scores of which the last is hidden, as the repairs of a mask should give it."""

import numpy as np

from attnbook.arguments import describe
from attnbook.reference import softmax


def hide_the_last(scores):
    """The definition, with the last key hidden."""
    return softmax(scores, np.array([True, True, False]))


def not_three(scores):
    """What an array that is not of three real numbers is refused with."""
    real = type(scores) is np.ndarray and scores.dtype.kind in "fiu" and scores.dtype.itemsize <= 8
    if not real or scores.shape != (3,):
        return f"scores is {describe(scores)}; expected an array of three numbers."
    return None
