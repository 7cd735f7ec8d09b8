"""Where a query and a key stand: `attnbook.positions`, on tensors.

Frequencies and angles are float32 at least, whatever the dtype of the vectors that they turn: from
256 on, bfloat16 has only every second integer.
"""

from numbers import Integral

import torch
from jaxtyping import Integer
from torch import Tensor

from attnbook.checks import above_0, at_least, even, one_of
from attnbook.operation import Scalar
from attnbook.positions import METHODS, PAIRINGS, even_width, yarn_numbers
from attnbook.pytorch.masks import steps_ahead
from attnbook.pytorch.operation import Float, FloatOrDouble, check_and_cast, check_shapes


@check_shapes
def frequencies(
    width: Integral,
    base: Scalar = 10000.0,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> FloatOrDouble[Tensor, "pairs"]:
    """How far each pair of features turns from one position to the next.

        θ_m = base^(-2m / width),    m = 0, …, width/2 - 1

    Returns a tensor of shape (width / 2,), in radians for each position: in float64 if no dtype is
    given, and in float32 on a device that has no float64. Raises ValueError if the width is not
    even and positive, or the base is not above 0.

    Source: Vaswani et al. (2017), section 3.5; Su et al. (2021), section 3.2.2.

    >>> frequencies(4)
    tensor([1.0000, 0.0100], dtype=torch.float64)
    """
    even(width=width)
    above_0(base=base)
    theta = float(base) ** (-_wide(torch.arange(0, width, 2, device=device)) / width)
    return theta.to(dtype or theta.dtype)


@check_shapes
def stretched(
    frequencies: FloatOrDouble[Tensor, "pairs"], factor: Scalar, method: str
) -> FloatOrDouble[Tensor, "pairs"]:
    """Frequencies for texts that are `factor` times as long as those of training.

    With s for the factor and M for the number of pairs, "linear", which is position interpolation,
    turns every pair s times as slowly:

        θ_m / s

    "ntk", the NTK-aware form, leaves the first pair as it is and turns the last s times as slowly:

        θ_m · s^(-m / (M - 1))

    Returns a tensor of the same shape and dtype. Raises ValueError if the factor is below 1. For
    YaRN there is `yarn`; LongRoPE, with a number for each pair that a search has found, is missing.

    Source: Chen et al. (2023) for "linear"; Peng et al. (2023), section 3.1 for "ntk".
    """
    one_of(METHODS, method=method)
    at_least(1, factor=factor)
    if method == "linear":
        return frequencies / float(factor)
    like = {"dtype": frequencies.dtype, "device": frequencies.device}
    return frequencies * float(factor) ** -torch.linspace(0, 1, len(frequencies), **like)


@check_shapes
def yarn(
    frequencies: FloatOrDouble[Tensor, "pairs"],
    factor: Scalar,
    trained_length: Scalar,
    ramp: str,
    beta_fast: Scalar = 32,
    beta_slow: Scalar = 1,
) -> FloatOrDouble[Tensor, "pairs"]:
    """Frequencies for texts that are `factor` times as long, where often-turned pairs stay (YaRN).

    In training pair m turned r_m = ``trained_length · θ_m / 2π`` times. With s for the factor,

        θ_m · (γ_m + (1 - γ_m) / s)

    where γ falls from 1, at `beta_fast` turns, to 0, at `beta_slow`. The "paper" has it linear in
    turns; with ``beta_fast=4`` that is also the scaling of Llama 3.1:

        γ_m = clip((r_m - β_slow) / (β_fast - β_slow), 0, 1)

    The "code" of its authors, and of Hugging Face, has it linear in the number of the pair, where
    m(r), a fraction, is the number that would turn r times:

        γ_m = 1 - clip((m - a) / (b - a), 0, 1),    a = ⌊m(β_fast)⌋ ≥ 0,    b = ⌈m(β_slow)⌉ < 2M

    Returns a tensor of the same shape and dtype. Raises ValueError if a number is out of its range.
    Not done here: both also multiply queries and keys by 0.1 ln s + 1, as the scale
    (0.1 ln s + 1)² / √d_k does; some models leave a and b unrounded.

    Source: Peng et al. (2023), section 3.2; https://github.com/jquesnelle/yarn for the "code".
    """
    length, fast, slow = yarn_numbers(factor, trained_length, ramp, beta_fast, beta_slow)
    turns = length * _wide(frequencies) / (2 * torch.pi)
    by_turns = torch.clip((turns - slow) / (fast - slow), 0, 1)
    kept = by_turns if ramp == "paper" else _kept_by_number(turns, fast, slow)
    return (frequencies * (kept + (1 - kept) / float(factor))).to(frequencies.dtype)


@check_shapes
def sinusoidal(
    positions: Integer[Tensor, "*batch n"],
    width: Integral,
    base: Scalar = 10000.0,
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "*batch n width"]:
    """A vector for each position, to be added to what stands there.

        P_{i, 2m} = sin(i θ_m),    P_{i, 2m+1} = cos(i θ_m)

    Returns a tensor of shape (..., n, width) on the device of positions, in PyTorch's default dtype
    if none is given: angles are computed wider, and the result is rounded once. Raises ValueError
    as `frequencies` does.

    Source: Vaswani et al. (2017), section 3.5.
    """
    angles = positions[..., None] * frequencies(width, base, positions.device)
    waves = _joined(torch.sin(angles), torch.cos(angles), "neighbours")
    return waves.to(dtype or torch.get_default_dtype())


@check_and_cast
def rope(
    x: Float[Tensor, "*batch n d"],
    positions: Integer[Tensor, "*#batch n"],
    frequencies: FloatOrDouble[Tensor, "pairs"],
    pairing: str = "neighbours",
) -> Float[Tensor, "*batch n d"]:
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
        θ of M pairs, 2M ≤ d; features beyond the first 2M stay as they are. Angles are computed in
        their dtype, in which the result does not count.
    pairing
        Which features are pair m: "neighbours", 2m and 2m + 1, which others call interleaved, or
        "halves", m and m + M, as `rotate_half` of the library transformers takes them.

    Returns a tensor of the shape and dtype of x. Raises ValueError if there are more pairs than x
    has.

    Source: Su et al. (2021), section 3.4.2, for "neighbours".
    """
    angles = positions[..., None] * frequencies
    return rotate(x, torch.cos(angles).to(x.dtype), torch.sin(angles).to(x.dtype), pairing)


@check_and_cast
def rotate(
    x: Float[Tensor, "*batch n d"],
    cos: Float[Tensor, "*#batch n pairs"],
    sin: Float[Tensor, "*#batch n pairs"],
    pairing: str = "neighbours",
) -> Float[Tensor, "*batch n d"]:
    """Turn pairs of features by angles of which cosine and sine are known; see `rope`.

    Returns a tensor of the shape of x. Raises ValueError if there are more pairs than x has.
    """
    one_of(PAIRINGS, pairing=pairing)
    n = 2 * cos.shape[-1]
    if n > x.shape[-1]:
        raise ValueError(f"cos has {n // 2} pairs; expected at most {x.shape[-1] // 2}")
    a, b = _pairs(x[..., :n], pairing)
    turned = _joined(a * cos - b * sin, a * sin + b * cos, pairing)
    return torch.cat([turned, x[..., n:]], dim=-1)


@check_and_cast
def halves_from_neighbours(x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n d"]:
    """The same features in the other order: 0, 2, 4, … and then 1, 3, 5, ….

    Rotating the result with "halves" gives what rotating x with "neighbours" gives, in this order.
    Applied to the columns of W_q and W_k it converts a model. Returns a tensor of the same shape.
    Raises ValueError if the number of features is odd.
    """
    even_width(x)
    return _joined(*_pairs(x, "neighbours"), "halves")


@check_and_cast
def neighbours_from_halves(x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n d"]:
    """`halves_from_neighbours` undone: features 0, M, 1, M + 1, …, where d = 2M.

    Returns a tensor of the same shape. Raises ValueError if the number of features is odd.
    """
    even_width(x)
    return _joined(*_pairs(x, "halves"), "neighbours")


@check_shapes
def alibi_bias(
    n_heads: Integral,
    n_q: Integral,
    n_k: Integral,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "n_heads n_q n_k"]:
    """A bias that falls with the distance of key and query, in each head at its own pace.

        B_hij = -2^(-8 (h + 1) / n_heads) · |j - (i + n_k - n_q)|,    h = 0, …, n_heads - 1

    Returns a tensor of shape (n_heads, n_q, n_k), in PyTorch's default dtype if none is given.
    Raises ValueError if n_heads is not positive, or another number is negative.

    Source: Press, Smith and Lewis (2022), section 3, with the distance in both directions. Their
    code has other slopes where n_heads is not a power of 2.
    """
    at_least(1, n_heads=n_heads)
    slopes = 2.0 ** (-8 * _wide(torch.arange(1, n_heads + 1, device=device)) / n_heads)
    bias = -slopes[:, None, None] * torch.abs(steps_ahead(n_q, n_k, device))
    return bias.to(dtype or torch.get_default_dtype())


def _wide(x):
    """In float64, which Apple's GPUs do not have."""
    return x.to(torch.float32 if x.device.type == "mps" else torch.float64)


def _kept_by_number(turns, fast, slow):
    """The γ of YaRN's code, for frequencies that fall in equal ratios."""
    if len(turns) < 2:
        raise ValueError("frequencies has 1 pair; expected at least 2 for 'code'")
    ratio = torch.log(turns[0] / turns[-1]) / (len(turns) - 1)
    first = torch.floor(torch.log(turns[0] / fast) / ratio).clamp(min=0)
    last = torch.ceil(torch.log(turns[0] / slow) / ratio).clamp(max=2 * len(turns) - 1)
    number = torch.arange(len(turns), device=turns.device)
    return 1 - torch.clip((number - first) / (last - first).clamp(min=1e-3), 0, 1)


def _pairs(x, pairing):
    if pairing == "neighbours":
        return x[..., 0::2], x[..., 1::2]
    return torch.tensor_split(x, 2, dim=-1)


def _joined(a, b, pairing):
    if pairing == "neighbours":
        return torch.stack([a, b], dim=-1).reshape(*a.shape[:-1], 2 * a.shape[-1])
    return torch.cat([a, b], dim=-1)
