"""Wrong versions of RoPE with halves for pairs, with what is wrong in them."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.solutions import positions as solutions
from attnbook.positions import frequencies


def _turned(a, b, cos, sin):
    return a * cos - b * sin, a * sin + b * cos


def _version(
    angle=lambda places, theta: places[:, None] * theta,
    cut=lambda x: np.split(x, 2, axis=-1),
    turn=_turned,
    join=lambda a, b: np.concatenate([a, b], axis=-1),
    dtype=lambda x: x.dtype if x.dtype.kind == "f" else np.float64,
):
    """The solution with one step exchanged."""

    def rope_halves(x, places, theta):
        angles = angle(places, theta)
        a, b = cut(x)
        return join(*turn(a, b, np.cos(angles), np.sin(angles))).astype(dtype(x))

    return rope_halves


def _interleaved(a, b):
    return np.stack([a, b], axis=-1).reshape(*a.shape[:-1], -1)


def _neighbours(x):
    return x[..., 0::2], x[..., 1::2]


def _one_after_the_other(a, b, cos, sin):
    a = a * cos - b * sin
    return a, a * sin + b * cos


def _in_place(x, places, theta):
    out = solutions.rope_halves(x, places, theta)
    x[...] = out
    return x


def _into_itself(x, places, theta):
    """The first half is overwritten before the second is made of it."""
    angles, m = places[:, None] * theta, x.shape[-1] // 2
    x[..., :m] = x[..., :m] * np.cos(angles) - x[..., m:] * np.sin(angles)
    x[..., m:] = x[..., :m] * np.sin(angles) + x[..., m:] * np.cos(angles)
    return x


def _two_axes(x, places, theta):
    m = len(theta)
    angles = places[:, None] * theta
    cos, sin = np.cos(angles), np.sin(angles)
    out = np.concatenate(_turned(x[:, :m], x[:, m:], cos, sin), axis=1)
    return out.astype(x.dtype if x.dtype.kind == "f" else np.float64)


def _mixed(x, places, theta):
    """Frequencies laid out for neighbours, and features turned as halves."""
    angles = places[:, None] * np.repeat(theta, 2)
    a, b = np.split(x, 2, axis=-1)
    out = x * np.cos(angles) + np.concatenate([-b, a], axis=-1) * np.sin(angles)
    return out.astype(x.dtype if x.dtype.kind == "f" else np.float64)


def _in_the_dtype_of_x(*rounded):
    """The solution with places, or places and frequencies, in the dtype of the features."""

    def rope_halves(x, places, theta):
        dtype = x.dtype if x.dtype.kind == "f" else np.float64
        given = {"places": places, "theta": theta}
        given |= {name: given[name].astype(dtype) for name in rounded}
        angles = (given["places"][:, None] * given["theta"]).astype(float)
        return solutions.rope_halves(x, np.ones(1, int), angles)

    return rope_halves


def _from_a_table(places, theta):
    return (np.arange(np.max(places) + 1)[:, None] * theta)[places]


def _own_frequencies(places, theta):
    return places[:, None] * frequencies(2 * len(theta))


def _added(first, second):
    def added(x, places, theta):
        angles = places[:, None] * theta
        out = x + np.concatenate([first(angles), second(angles)], axis=-1)
        return out.astype(x.dtype if x.dtype.kind == "f" else np.float64)

    return added


def _narrow(places, theta):
    return (places[:, None] * theta).astype(np.float16).astype(float)


TURNED_AFTER = (
    "the second feature is made from the first one after its turn: both come from the pair as it "
    "was."
)
NEIGHBOURS = "the pairs are neighbours, 2m and 2m + 1: here they are halves, m and m + M."

MISTAKES = (
    Misconception(_version(cut=_neighbours, join=_interleaved), NEIGHBOURS),
    Misconception(
        _version(join=_interleaved),
        "the pairs are cut as halves and put back as neighbours: the features end up in other "
        "places.",
    ),
    Misconception(
        _version(cut=_neighbours),
        "the pairs are cut as neighbours and put back as halves: the features end up in other "
        "places.",
    ),
    Misconception(
        _version(angle=lambda places, theta: -places[:, None] * theta),
        "the hands turn the other way: a cos φ - b sin φ comes first.",
    ),
    Misconception(
        _version(angle=lambda places, theta: np.arange(len(places))[:, None] * theta),
        "the rows are counted from 0: `places` says where they stand, as in a cache.",
    ),
    Misconception(
        _version(angle=lambda places, theta: (places[:, None] + 1) * theta),
        "place 0 is turned: it should stay as it is.",
    ),
    Misconception(
        _version(angle=lambda places, theta: np.radians(places[:, None] * theta)),
        "the angles are taken for degrees: they are radians.",
    ),
    Misconception(
        _version(angle=lambda places, theta: np.degrees(places[:, None] * theta)),
        "the angles are turned into degrees; np.cos and np.sin want radians.",
    ),
    Misconception(
        _version(angle=lambda places, theta: places[:, None] / theta),
        "the places are divided by theta: a hand turns by place · theta.",
    ),
    Misconception(
        _version(angle=lambda places, theta: places[:, None] * theta[::-1]),
        "the frequencies are in reverse order: pair m turns by theta[m].",
    ),
    Misconception(
        _version(angle=lambda places, theta: places[:, None] * (0 * theta + theta[0])),
        "every pair turns with the first frequency: pair m turns by theta[m].",
    ),
    *(
        Misconception(
            _version(angle=angle),
            "every row needs an angle for every frequency, shape (n, M): places[:, None] * theta.",
        )
        for angle in (
            lambda places, theta: places * theta,
            lambda places, theta: theta[:, None] * places,
        )
    ),
    Misconception(
        _version(angle=lambda places, theta: np.abs(places)[:, None] * theta),
        "a negative place turns the other way: its sign counts.",
    ),
    Misconception(
        _version(angle=lambda places, theta: places[:, None] + theta),
        "the frequencies are added to the places; a hand turns by place · theta.",
    ),
    Misconception(
        _version(turn=lambda a, b, cos, sin: (a * sin - b * cos, a * cos + b * sin)),
        "sine and cosine are exchanged: place 0, where the sine is 0, should change nothing.",
    ),
    Misconception(
        _version(turn=lambda a, b, cos, sin: (a * cos + b * sin, a * sin + b * cos)),
        "both signs are plus, which is no turn: a cos φ - b sin φ.",
    ),
    Misconception(
        _version(turn=lambda a, b, cos, sin: (a * cos - b * sin, a * sin - b * cos)),
        "this mirrors: the second feature is a sin φ + b cos φ.",
    ),
    Misconception(
        _version(turn=lambda a, b, cos, sin: (a * cos, b * cos)),
        "the features only shrink by their cosine: the sine brings in the other feature.",
    ),
    Misconception(_version(turn=_one_after_the_other), TURNED_AFTER),
    Misconception(
        _version(turn=lambda a, b, cos, sin: (b * cos - a * sin, b * sin + a * cos)),
        "the two features of a pair are exchanged.",
    ),
    Misconception(
        _mixed,
        "the frequencies are laid out for neighbours, θ₀ θ₀ θ₁ θ₁ …, and the features turned "
        "as halves: repeat them as θ₀ θ₁ … θ₀ θ₁ ….",
    ),
    *(
        Misconception(
            _added(*hand),
            "the hands are added to x, as in the first Transformer; RoPE turns the pairs.",
        )
        for hand in ((np.cos, np.sin), (np.sin, np.cos))
    ),
    Misconception(
        _two_axes,
        "x[:, …] is an index for two axes; with batch axes in front the features are x[..., …].",
    ),
    Misconception(
        _version(dtype=lambda x: np.float64),
        "the result is float64 whatever came in, as the angles are: bring it back to the "
        "dtype of x.",
    ),
    Misconception(
        _version(dtype=lambda x: x.dtype),
        "the result is cut to integers where x holds such: they count as float64.",
    ),
    *(
        Misconception(
            _in_the_dtype_of_x(*rounded),
            "places and angles lose digits in float16, where 2049 becomes 2048: compute the "
            "angles in float64, turn, and cast the result.",
        )
        for rounded in (("places",), ("places", "theta"))
    ),
    Misconception(
        _version(angle=_from_a_table),
        "a table with a row for each place, from 0, has none for a negative place: its index "
        "counts from the end.",
    ),
    Misconception(
        _version(angle=lambda places, theta: (places - places[0])[:, None] * theta),
        "the places are counted from the first row's: a turn is by the place itself.",
    ),
    Misconception(
        _version(angle=lambda places, theta: (places - places[-1])[:, None] * theta),
        "the places are counted from the last row's: a turn is by the place itself.",
    ),
    Misconception(
        _version(angle=lambda places, theta: 2 * np.pi * places[:, None] * theta),
        "the frequencies are taken for whole turns: theta is in radians per place.",
    ),
    Misconception(
        _version(angle=_own_frequencies),
        "these are the frequencies of base 10000: use those that are given.",
    ),
    Misconception(
        _version(angle=_narrow),
        "the angles are rounded to float16, in which 1000.5 is a neighbour of 1000: compute "
        "them in the dtype of theta.",
    ),
    Misconception(
        _in_place, "the result is written into x: make a new array, and leave x as it is."
    ),
    Misconception(
        _into_itself,
        "x is overwritten, and its second half is made from the new first half.",
    ),
)
