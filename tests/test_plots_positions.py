"""Hands of clocks point where they should, and the ways of a position are three."""

import numpy as np
import pytest
from figures import ANGLES, CALLS, HANDS, figure_of, words
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


def test_a_clock_that_has_wrapped_around_is_coloured():
    faces = [to_hex(clock.get_facecolor()) for clock in found("clock_hands", Circle)]
    assert [face == ORANGE for face in faces] == 5 * [False] + [True]


def test_a_query_and_its_key_point_where_they_should_with_the_angle_between_them():
    queries, keys, _ = HANDS
    angles = np.stack([queries, keys], axis=-1).ravel()
    hands = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    np.testing.assert_allclose(ends("two_hands") / found("two_hands", Circle)[0].radius, hands)
    degrees = [word for word in words(CALLS["two_hands"]) if "°" in word]
    assert degrees == [f"{np.degrees(q - k):.0f}°" for q, k in zip(queries, keys, strict=True)]


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((np.ones((1, 1)), np.ones(1), ["a"]), "queries is float64 array"),
        ((np.ones(2), np.ones(3), ["a", "b"]), "keys is float64 array"),
        ((np.ones(2), np.ones(2), ["a"]), "titles has 1 entries; expected 2"),
    ],
)
def test_two_hands_that_do_not_fit_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        plots.two_hands(*arguments)
