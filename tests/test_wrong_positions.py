"""Each of these mistakes in a position turns a claim red, in NumPy and in PyTorch."""

from types import SimpleNamespace

import numpy as np
import pytest
import test_positions as claims

from attnbook import positions
from attnbook.masks import steps_ahead

right = SimpleNamespace(**vars(positions))  # kept, while a wrong version stands in its place


def of_step(exponent):
    """Frequencies base^-exponent(m, width)."""

    def frequencies(width, base=10000.0):
        return float(base) ** -exponent(np.arange(width // 2), width)

    return frequencies


def rotated(turn):
    def rotate(x, cos, sin, pairing="neighbours"):
        n = 2 * cos.shape[-1]
        a, b = right._pairs(x[..., :n], pairing)
        turned = right._joined(*turn(a, b, cos, sin), pairing)
        return np.concatenate([turned, x[..., n:]], axis=-1)

    return rotate


def roped(place=lambda p: p, angle=lambda a: a, theta=lambda t: t, swap=False, x=lambda x: x):
    right_rotate = right.rotate.__wrapped__

    def rope(given, positions, frequencies, pairing="neighbours"):
        if swap:
            pairing = {"neighbours": "halves", "halves": "neighbours"}[pairing]
        angles = angle(place(positions)[..., None] * theta(frequencies))
        return right_rotate(x(given), np.cos(angles), np.sin(angles), pairing)

    return rope


def sloped(slopes, away=np.abs):
    def alibi_bias(n_heads, n_q, n_k):
        h = np.arange(n_heads)
        return -slopes(h, n_heads)[:, None, None] * away(steps_ahead(n_q, n_k))

    return alibi_bias


def powers(h, n_heads):
    return 2.0 ** (-8 * (h + 1) / n_heads)


def top_left(n_heads, n_q, n_k):
    far = np.abs(np.arange(n_k) - np.arange(n_q)[:, None])
    return -powers(np.arange(n_heads), n_heads)[:, None, None] * far


def waves(width, base, first=np.sin, second=np.cos, join="neighbours", start=0):
    def at(positions):
        angles = (positions[..., None] + start) * right.frequencies(width, base)
        return right._joined(first(angles), second(angles), join)

    return at


def sinusoidal(**changed):
    return lambda positions, width, base=10000.0: waves(width, base, **changed)(positions)


def other(method, change):
    def stretched(theta, factor, given):
        if given == method:
            return change(theta, factor)
        return right.stretched(theta, factor, given)

    return stretched


loops, complex_, distance = (
    claims.test_frequencies_are_the_equation_in_loops,
    lambda library: claims.test_rope_multiplies_pairs_as_complex_numbers(library, (2,)),
    lambda library: claims.test_a_score_depends_on_the_distance_alone(library, "neighbours"),
)
both_pairings = claims.test_the_two_pairings_are_one_up_to_the_order_of_features
waves_in_loops = claims.test_sinusoidal_is_the_equation_in_loops
alibi = claims.test_alibi_falls_by_a_slope_for_each_step_back
squeezed = claims.test_linear_interpolation_squeezes_positions
last_pair = claims.test_ntk_keeps_the_first_pair_and_slows_the_last_by_the_factor
lengths = claims.test_rope_keeps_lengths_and_what_is_beyond_its_pairs


def onnx(library):
    claims.test_rotate_is_rotary_embedding_of_onnx(library, "test_rotary_embedding_interleaved")


WRONG = {
    "frequencies 2m + 1": ("frequencies", of_step(lambda m, d: (2 * m + 1) / d), loops),
    "frequencies m / d": ("frequencies", of_step(lambda m, d: m / d), loops),
    "frequencies from 1": ("frequencies", of_step(lambda m, d: 2 * (m + 1) / d), loops),
    "frequencies grow": ("frequencies", of_step(lambda m, d: -2 * m / d), loops),
    "over width - 2": ("frequencies", of_step(lambda m, d: 2 * m / (d - 2)), loops),
    "base fixed": ("frequencies", lambda width, base=0: right.frequencies(width), loops),
    "base e": ("frequencies", lambda width, base=0: right.frequencies(width, np.e), loops),
    "halves for pairs": ("rope", roped(swap=True), complex_),
    "degrees": ("rope", roped(angle=np.degrees), complex_),
    "turned backwards": ("rope", roped(place=lambda p: -p), complex_),
    "from 1": ("rope", roped(place=lambda p: p + 1), complex_),
    "frequencies reversed": ("rope", roped(theta=lambda t: t[::-1]), complex_),
    "one frequency for all": ("rope", roped(theta=lambda t: np.full_like(t, t[0])), complex_),
    "positions squared": ("rope", roped(place=lambda p: p**2), distance),
    "positions by their logarithm": ("rope", roped(place=np.log1p), distance),
    "angles in float16": ("rope", roped(angle=lambda a: a.astype(np.float16)), distance),
    "features halved first": ("rope", roped(x=right.halves_from_neighbours), complex_),
    "sign of sine": ("rotate", rotated(lambda a, b, c, s: (a * c + b * s, b * c - a * s)), onnx),
    "a reflection": ("rotate", rotated(lambda a, b, c, s: (a * c + b * s, a * s - b * c)), onnx),
    "cosine and sine exchanged": (
        "rotate",
        rotated(lambda a, b, c, s: (a * s - b * c, a * c + b * s)),
        complex_,
    ),
    "b turned after a": (
        "rotate",
        rotated(lambda a, b, c, s: (a * c - b * s, (a * c - b * s) * s + b * c)),
        lengths,
    ),
    "the rest forgotten": (
        "rotate",
        lambda x, cos, sin, pairing="neighbours": right.rotate(
            x[..., : 2 * cos.shape[-1]], cos, sin, pairing
        ),
        lengths,
    ),
    "conversion inverted": (
        "halves_from_neighbours",
        lambda x: right._joined(*np.split(x, 2, axis=-1), "neighbours"),
        both_pairings,
    ),
    "conversion back as there": (
        "neighbours_from_halves",
        right.halves_from_neighbours,
        both_pairings,
    ),
    "cosine first": ("sinusoidal", sinusoidal(first=np.cos, second=np.sin), waves_in_loops),
    "sines, then cosines": ("sinusoidal", sinusoidal(join="halves"), waves_in_loops),
    "waves of one base": (
        "sinusoidal",
        lambda positions, width, base=0: right.sinusoidal(positions, width),
        waves_in_loops,
    ),
    "waves from 1": ("sinusoidal", sinusoidal(start=1), waves_in_loops),
    "slopes from 1": ("alibi_bias", sloped(lambda h, n: powers(h - 1, n)), alibi),
    "slopes linear": ("alibi_bias", sloped(lambda h, n: 1 / (2.0 * (h + 1))), alibi),
    "slopes for 8 heads": ("alibi_bias", sloped(lambda h, n: 2.0 ** -(h + 1)), alibi),
    "slopes negative": ("alibi_bias", sloped(lambda h, n: -powers(h, n)), alibi),
    "the future nearer": ("alibi_bias", sloped(powers, away=lambda x: -x), alibi),
    "distance squared": ("alibi_bias", sloped(powers, away=np.square), alibi),
    "from the top left": ("alibi_bias", top_left, alibi),
    "linear multiplies": ("stretched", other("linear", lambda t, s: t * s), squeezed),
    "ntk slows all": ("stretched", other("ntk", lambda t, s: t / s), last_pair),
    "ntk over M": (
        "stretched",
        other("ntk", lambda t, s: t * s ** -(np.arange(len(t)) / len(t))),
        last_pair,
    ),
    "ntk base times s": (
        "stretched",
        other("ntk", lambda t, s: right.frequencies(2 * len(t), 10000 * s)),
        last_pair,
    ),
}


@claims.both
@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_version_turns_its_claim_red(monkeypatch, library, mistake):
    name, wrong, claim = WRONG[mistake]
    claim(library)
    library.put(monkeypatch, name, wrong)
    with pytest.raises(AssertionError):
        claim(library)
