"""The exhibits of the museum leak, and lose keys, where the exercise says that they do."""

import warnings

import numpy as np
import pytest

from attnbook import exercises
from attnbook.exercises.chapters.museum import _ten as ten
from attnbook.exercises.chapters.museum.influence import V, influence

LEAKS, LOSES, PADDED = {1, 3, 5, 7}, {1, 5, 7, 8, 9}, {2, 3, 4}
EXHIBITS = range(1, 11)


def changed(number, v):
    """Where an exhibit moves what it should not, and where it does not move what it should."""
    with warnings.catch_warnings(action="ignore"):
        moved = influence(ten.Attend(f"exhibit {number}"), v)
    right = ten.LEFT if number in PADDED else ten.CAUSAL
    return moved & ~right, right & ~moved


@pytest.mark.parametrize("v", [V, np.ones((4, 1))])
def test_an_exhibit_leaks_or_loses_keys_or_looks_right(v):
    leaks, loses = ({n for n in EXHIBITS if changed(n, v)[kind].any()} for kind in (0, 1))
    assert (leaks, loses) == (LEAKS, LOSES)


def test_a_mask_guessed_from_zeros_hides_what_is_zero_and_visible():
    weights = ten.WEIGHTS["exhibit 9"]()
    np.testing.assert_array_equal(weights > 0, ten.CAUSAL & (ten.SCORES != 0))
    assert ((ten.SCORES == 0) & ten.CAUSAL).any()


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_who_changes_a_value_to_a_number_that_is_not_finite_is_told_so(number):
    def found(attend, v):
        before = attend(v)
        moved = np.zeros((len(before), len(v)), dtype=bool)
        for j in range(len(v)):
            changed = v.copy()
            changed[j] = number
            after = attend(changed)
            same = (after == before) | (np.isnan(after) & np.isnan(before))
            moved[:, j] = np.any(~same, axis=-1)
        return moved

    assert "Add a finite number" in exercises.museum.influence.verdict(found).text
