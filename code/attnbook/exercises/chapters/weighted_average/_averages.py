"""Averages under a Gaussian kernel, taken in another way than in the exercises' answers."""

import numpy as np


def gaussian_average(steps, values):
    """The average of values whose keys lie these steps, in widths, away; 0 if there are none."""
    squares = np.sum(np.asarray(steps, float) ** 2, axis=-1)
    if not squares.size:
        return 0 * values.sum(axis=0)
    return np.average(values, axis=0, weights=np.exp((squares.min() - squares) / 2))
