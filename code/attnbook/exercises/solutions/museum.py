"""Solutions to the exercises of the museum of mask bugs."""

import numpy as np


def renormalised():
    """Scores whose hidden key is so high that the visible exponentials vanish."""
    return np.array([0.0, 1.0, 1000.0])


def mended():
    """Scores in which a visible one is NaN."""
    return np.array([np.nan, 1.0, 2.0])
