"""Hands of clocks point where they should, and the ways of a place are three."""

import numpy as np
import pytest
from figures import ANGLES, CALLS, figure_of
from matplotlib.colors import to_hex
from matplotlib.patches import Circle, FancyArrowPatch

from attnbook import plots
from attnbook.colours import ORANGE


def found(name, kind):
    return [patch for patch in figure_of(CALLS[name]).axes[0].patches if isinstance(patch, kind)]


def ends(name):
    """Where the hands point: to the right and upwards, in inches."""
    pairs = (arrow._posA_posB for arrow in found(name, FancyArrowPatch))
    return np.array([(x2 - x1, y1 - y2) for (x1, y1), (x2, y2) in pairs])


def test_each_hand_points_to_its_cosine_and_sine():
    angles = np.ravel(ANGLES)
    radius = found("clock_hands", Circle)[0].radius
    hands = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    np.testing.assert_allclose(ends("clock_hands") / radius, hands, atol=1e-12)


def test_a_clock_that_has_come_round_is_coloured():
    faces = [to_hex(clock.get_facecolor()) for clock in found("clock_hands", Circle)]
    assert [face == ORANGE for face in faces] == 5 * [False] + [True]


def test_the_schematic_turns_keys_by_quarters_and_the_query_as_its_key():
    hands = ends("positions_diagram") / 0.28
    np.testing.assert_allclose(hands, [[1, 0], [0, 1], [-1, 0], [-1, 0]], atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([0.0, 1.0], ["a"], ["b", "c"]), "angles is list"),
        ((ANGLES, ["one"], ["0", "1", "2"]), "rows has 1 entries; expected 2"),
        ((ANGLES, ["one", "two"], ["0"]), "columns has 1 entries; expected 3"),
    ],
)
def test_wrong_arguments_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        plots.clock_hands(*arguments)
