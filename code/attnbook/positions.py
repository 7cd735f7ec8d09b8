"""Where a query and a key stand: added to vectors, turned into them, or added to their scores.

Positions are integers, of any sign, with one for each row of the vectors. Angles and frequencies
are in radians, and radians for each position.
"""

from numbers import Integral

import numpy as np
from jaxtyping import Float, Integer

from attnbook.checks import above_0, at_least, even, finite_above_0, one_of
from attnbook.masks import steps_ahead
from attnbook.operation import Array, Real, Scalar, check_and_cast, check_shapes

PAIRINGS = "neighbours", "halves"
METHODS = "linear", "ntk"
RAMPS = "paper", "code"


@check_shapes
def frequencies(width: Integral, base: Scalar = 10000.0) -> Float[Array, "pairs"]:
    """How far each pair of features turns from one position to the next.

        θ_m = base^(-2m / width),    m = 0, …, width/2 - 1

    Returns an array of shape (width / 2,), in radians for each position. Raises ValueError if the
    width is not even and positive, or the base is not above 0.

    Source: Vaswani et al. (2017), section 3.5; Su et al. (2021), section 3.2.2.

    >>> frequencies(4)
    array([1.  , 0.01])
    """
    even(width=width)
    above_0(base=base)
    return float(base) ** (-np.arange(0, width, 2) / width)


@check_shapes
def stretched(
    frequencies: Float[Array, "pairs"], factor: Scalar, method: str
) -> Float[Array, "pairs"]:
    """Frequencies for texts that are `factor` times as long as those of training.

    With s for the factor and M for the number of pairs, "linear", which is position interpolation,
    turns every pair s times as slowly:

        θ_m / s

    "ntk", the NTK-aware form, leaves the first pair as it is and turns the last s times as slowly:

        θ_m · s^(-m / (M - 1))

    Returns an array of the same shape and dtype. Raises ValueError if the factor is below 1. For
    YaRN there is `yarn`; LongRoPE, with a number for each pair that a search has found, is missing.

    Source: Chen et al. (2023) for "linear"; Peng et al. (2023), section 3.1 for "ntk".
    """
    one_of(METHODS, method=method)
    at_least(1, factor=factor)
    if method == "linear":
        return frequencies / float(factor)
    steps = np.linspace(0, 1, len(frequencies), dtype=frequencies.dtype)
    return frequencies * float(factor) ** -steps


@check_shapes
def yarn(
    frequencies: Float[Array, "pairs"],
    factor: Scalar,
    trained_length: Scalar,
    ramp: str,
    beta_fast: Scalar = 32,
    beta_slow: Scalar = 1,
) -> Float[Array, "pairs"]:
    """Frequencies for texts that are `factor` times as long, where often-turned pairs stay (YaRN).

    In training pair m turned r_m = ``trained_length · θ_m / 2π`` times. With s for the factor,

        θ_m · (γ_m + (1 - γ_m) / s)

    where γ falls from 1, at `beta_fast` turns, to 0, at `beta_slow`. The "paper" has it linear in
    turns; with ``beta_fast=4`` that is also the scaling of Llama 3.1:

        γ_m = clip((r_m - β_slow) / (β_fast - β_slow), 0, 1)

    The "code" of its authors, and of Hugging Face, has it linear in the number of the pair, where
    m(r), a fraction, is the number that would turn r times:

        γ_m = 1 - clip((m - a) / (b - a), 0, 1),    a = ⌊m(β_fast)⌋ ≥ 0,    b = ⌈m(β_slow)⌉ < 2M

    Returns an array of the same shape and dtype. Raises ValueError if a number is out of its range.
    Not done here: both also multiply queries and keys by 0.1 ln s + 1, as the scale
    (0.1 ln s + 1)² / √d_k does; some models leave a and b unrounded.

    Source: Peng et al. (2023), section 3.2; https://github.com/jquesnelle/yarn for the "code".
    """
    length, fast, slow = yarn_numbers(factor, trained_length, ramp, beta_fast, beta_slow)
    turns = length * frequencies.astype(float) / (2 * np.pi)
    by_turns = np.clip((turns - slow) / (fast - slow), 0, 1)
    kept = by_turns if ramp == "paper" else _kept_by_number(turns, fast, slow)
    return (frequencies * (kept + (1 - kept) / float(factor))).astype(frequencies.dtype)


@check_shapes
def sinusoidal(
    positions: Integer[Array, "*batch n"], width: Integral, base: Scalar = 10000.0
) -> Float[Array, "*batch n width"]:
    """A vector for each position, to be added to what stands there.

        P_{i, 2m} = sin(i θ_m),    P_{i, 2m+1} = cos(i θ_m)

    Returns an array of shape (..., n, width). Raises ValueError as `frequencies` does.

    Source: Vaswani et al. (2017), section 3.5.
    """
    angles = positions[..., None] * frequencies(width, base)
    return _joined(np.sin(angles), np.cos(angles), "neighbours")


@check_and_cast
def rope(
    x: Real[Array, "*batch n d"],
    positions: Integer[Array, "*#batch n"],
    frequencies: Float[Array, "pairs"],
    pairing: str = "neighbours",
) -> Float[Array, "*batch n d"]:
    """Turn each pair of features of each row by an angle in proportion to its position.

        (a, b) → (a cos φ - b sin φ, a sin φ + b cos φ),    φ = position · θ_m for pair m

    The dot product of a query and a key turned so depends on their positions only through the
    difference of the two.

    Parameters
    ----------
    x
        Queries or keys (..., n, d).
    positions
        One integer for each row.
    frequencies
        θ of M pairs, 2M ≤ d; features beyond the first 2M stay as they are.
    pairing
        Which features are pair m: "neighbours", 2m and 2m + 1, which others call interleaved, or
        "halves", m and m + M, as `rotate_half` of the library transformers takes them.

    Returns an array of the shape of x. Raises ValueError if there are more pairs than x has.

    Source: Su et al. (2021), section 3.4.2, for "neighbours".
    """
    angles = positions[..., None] * frequencies
    return rotate(x, np.cos(angles), np.sin(angles), pairing)


@check_and_cast
def rotate(
    x: Real[Array, "*batch n d"],
    cos: Real[Array, "*#batch n pairs"],
    sin: Real[Array, "*#batch n pairs"],
    pairing: str = "neighbours",
) -> Float[Array, "*batch n d"]:
    """Turn pairs of features by angles of which cosine and sine are known; see `rope`.

    Returns an array of the shape of x. Raises ValueError if there are more pairs than x has.
    """
    one_of(PAIRINGS, pairing=pairing)
    n = 2 * cos.shape[-1]
    if n > x.shape[-1]:
        raise ValueError(f"cos has {n // 2} pairs; expected at most {x.shape[-1] // 2}")
    a, b = _pairs(x[..., :n], pairing)
    turned = _joined(a * cos - b * sin, a * sin + b * cos, pairing)
    return np.concatenate([turned, x[..., n:]], axis=-1)


@check_and_cast
def halves_from_neighbours(x: Real[Array, "*batch n d"]) -> Float[Array, "*batch n d"]:
    """The same features in the other order: 0, 2, 4, … and then 1, 3, 5, ….

    Rotating the result with "halves" gives what rotating x with "neighbours" gives, in this order.
    Applied to the columns of W_q and W_k it converts a model. Returns an array of the same shape.
    Raises ValueError if the number of features is odd.
    """
    even_width(x)
    return _joined(*_pairs(x, "neighbours"), "halves")


@check_and_cast
def neighbours_from_halves(x: Real[Array, "*batch n d"]) -> Float[Array, "*batch n d"]:
    """`halves_from_neighbours` undone: features 0, M, 1, M + 1, …, where d = 2M.

    Returns an array of the same shape. Raises ValueError if the number of features is odd.
    """
    even_width(x)
    return _joined(*_pairs(x, "halves"), "neighbours")


@check_shapes
def alibi_bias(n_heads: Integral, n_q: Integral, n_k: Integral) -> Float[Array, "n_heads n_q n_k"]:
    """A bias that falls with the distance of key and query, in each head at its own pace.

        B_hij = -2^(-8 (h + 1) / n_heads) · |j - (i + n_k - n_q)|,    h = 0, …, n_heads - 1

    Returns an array of shape (n_heads, n_q, n_k). Raises ValueError if n_heads is not positive, or
    another number is negative.

    Source: Press, Smith and Lewis (2022), section 3, with the distance in both directions. Their
    code has other slopes where n_heads is not a power of 2.
    """
    at_least(1, n_heads=n_heads)
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    return -slopes[:, None, None] * np.abs(steps_ahead(n_q, n_k))


def yarn_numbers(factor, trained_length, ramp, beta_fast, beta_slow):
    """The length and the two turns as floats, of whatever kind they came."""
    one_of(RAMPS, ramp=ramp)
    at_least(1, factor=factor)
    finite_above_0(trained_length=trained_length)
    if not 0 < beta_slow < beta_fast:
        raise ValueError(
            f"beta_slow is {beta_slow} and beta_fast is {beta_fast}; "
            "expected numbers above 0, the second above the first"
        )
    return float(trained_length), float(beta_fast), float(beta_slow)


def _kept_by_number(turns, fast, slow):
    """The γ of YaRN's code, for frequencies that fall in equal ratios."""
    if len(turns) < 2:
        raise ValueError("frequencies has 1 pair; expected at least 2 for 'code'")
    ratio = np.log(turns[0] / turns[-1]) / (len(turns) - 1)
    first = max(np.floor(np.log(turns[0] / fast) / ratio), 0)
    last = min(np.ceil(np.log(turns[0] / slow) / ratio), 2 * len(turns) - 1)
    return 1 - np.clip((np.arange(len(turns)) - first) / max(last - first, 1e-3), 0, 1)


def even_width(x):
    """Refuse vectors whose features are no pairs."""
    if x.shape[-1] % 2:
        raise ValueError(f"x has {x.shape[-1]} features; expected an even number")


def _pairs(x, pairing):
    if pairing == "neighbours":
        return x[..., 0::2], x[..., 1::2]
    return np.split(x, 2, axis=-1)


def _joined(a, b, pairing):
    if pairing == "neighbours":
        return np.stack([a, b], axis=-1).reshape(*a.shape[:-1], 2 * a.shape[-1])
    return np.concatenate([a, b], axis=-1)
