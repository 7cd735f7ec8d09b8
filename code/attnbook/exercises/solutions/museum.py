"""Solutions to the exercises of the museum of mask bugs."""

import numpy as np


def fill():
    """The weight of a visible key, ln 2 below a fill that two hidden keys share."""
    exp = np.exp([0, np.log(2), np.log(2)])
    return float(exp[0] / exp.sum())


def named():
    """The exhibits of three matrices of weights: diagonal lost, zeroed late, inverted."""
    return (8, 6, 5)


def influence(attend, v):
    """True where a change of value j moves output i."""
    before = attend(v)
    moved = np.zeros((len(before), len(v)), dtype=bool)
    for j in range(len(v)):
        changed = v.copy()
        changed[j] += 1
        after = attend(changed)
        same = (after == before) | (np.isnan(after) & np.isnan(before))
        moved[:, j] = np.any(~same, axis=-1)
    return moved


def renormalised():
    """Scores whose hidden key is so high that the visible exponentials vanish."""
    return np.array([0.0, 1.0, 1000.0])


def mended():
    """Scores in which a visible one is NaN."""
    return np.array([np.nan, 1.0, 2.0])
