"""RoPE for halves · medium · 10 min

Hints
1. There is an angle for each row and each pair. What shape do they have together, and which product
   makes them?
2. `a, b = np.split(x, 2, axis=-1)` gives the first and the second features of all pairs.
3. The new a is a cos φ - b sin φ, and the new b is a sin φ + b cos φ, from the old a.

Why
np.split cuts the last axis into the first features and the second features of all pairs; both new
halves are made of the old ones. The angles have shape (n, M), and meet any batch axes in front.

Notice
As a matrix the turn has four entries for each pair, where rows m and m + M meet columns m and m + M,
and zeros elsewhere: for many pairs it is nearly all zeros, so programs usually do without it.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.positions import rope, rotate


def rope_halves(x, positions, theta):
    """(a, b) → (a cos φ - b sin φ, a sin φ + b cos φ) for features m and m + M."""
    angles = positions[:, None] * theta
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = np.split(x, 2, axis=-1)
    turned = np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)
    return turned.astype(x.dtype if x.dtype.kind == "f" else np.float64)


def floating(x):
    return x.dtype if x.dtype.kind == "f" else np.float64


def mixed(x, positions, theta):
    """Frequencies laid out for neighbours, and features turned as halves."""
    angles = positions[:, None] * np.repeat(theta, 2)
    a, b = np.split(x, 2, axis=-1)
    turned = x * np.cos(angles) + np.concatenate([-b, a], axis=-1) * np.sin(angles)
    return turned.astype(floating(x))


def by_complex_numbers(x, positions, theta):
    """(a + ib) e^(iφ)."""
    a, b = x[..., : len(theta)], x[..., len(theta) :]
    turned = (a + 1j * b) * np.exp(1j * np.multiply.outer(positions, theta))
    return np.concatenate([turned.real, turned.imag], axis=-1).astype(floating(x))


rng = np.random.default_rng(0)
THREE_FOUR_FIVE = np.arctan2(4, 3)  # an angle whose cosine is 0.6, and whose sine is 0.8


def drawn(n, pairs, batch=(), positions=None, dtype=np.float64, kind=case):
    x = rng.standard_normal((*batch, n, 2 * pairs))
    x = np.round(4 * x).astype(dtype) if np.dtype(dtype).kind in "iu" else x.astype(dtype)
    positions = np.arange(n) if positions is None else np.array(positions)
    return kind(x=x, positions=positions, theta=10.0 ** -np.arange(pairs))


CASES = (
    case(
        x=np.array([[1.0, 0.0]]),
        positions=np.array([1]),
        theta=np.array([THREE_FOUR_FIVE]),
        gives=np.array([[0.6, 0.8]]),
    ),
    case(
        x=np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]),
        positions=np.array([0, 1]),
        theta=np.array([THREE_FOUR_FIVE, 0.0]),
        gives=np.array([[1.0, 0.0, 0.0, 0.0], [0.6, 0.0, 0.8, 0.0]]),
    ),
    drawn(1, 2, positions=[3]),
    drawn(3, 2),
    drawn(2, 2, positions=[1, 2]),
    drawn(3, 2, positions=[-2, 7, 5]),
    drawn(4, 3, dtype=np.float32, positions=[2, 3, 4, 5]),
    drawn(3, 2, dtype=np.int64),
    drawn(3, 2, batch=(2,)),
    drawn(2, 2, batch=(2,), positions=[4, 5]),
    drawn(4, 1, batch=(3, 2), positions=[9, 1, 0, 2]),
    drawn(5, 4, batch=(2, 1, 3)),
    drawn(2, 2, positions=[0, 1000], dtype=np.float16, kind=stress),
    drawn(2, 3, positions=[10_000, 10_001], kind=stress),
    drawn(2, 2, positions=[2049, 3001], dtype=np.float16, kind=stress),
)

MISTAKES = r"""
the pairs are neighbours, 2m and 2m + 1: here they are halves, m and m + M.
    np.split(x, 2, axis=-1) → x[..., 0::2], x[..., 1::2] ; np.concatenate → np.stack ; cos], axis=-1) → cos], axis=-1).reshape(x.shape)
the pairs are cut as halves and put back as neighbours, or the other way round: the features end up
in another order.
    np.concatenate → np.stack ; cos], axis=-1) → cos], axis=-1).reshape(x.shape)
    np.split(x, 2, axis=-1) → x[..., 0::2], x[..., 1::2]
the pairs turn the other way: a cos φ - b sin φ comes first.
    positions[:, None] → -positions[:, None]
the positions are counted from 0, or from that of the first or the last row: each row turns by its
position itself, since its keys may come after a cache.
    positions[:, None] → np.arange(len(positions))[:, None]
    positions[:, None] → (positions - positions[0])[:, None]
    positions[:, None] → (positions - positions[-1])[:, None]
theta is in radians for each position, as np.cos and np.sin want it: neither in degrees nor in whole turns.
    positions[:, None] * theta → np.radians(positions[:, None] * theta)
    positions[:, None] * theta → np.degrees(positions[:, None] * theta)
    positions[:, None] * theta → 2 * np.pi * positions[:, None] * theta
the positions are divided by the frequencies, or added to them: a pair turns by position · theta.
    None] * theta → None] / theta
    None] * theta → None] + theta
every row needs an angle for every frequency, shape (n, M): positions[:, None] * theta.
    positions[:, None] * theta → positions * theta
    positions[:, None] * theta → theta[:, None] * positions
a negative position turns the other way: its sign counts.
    positions[:, None] → np.abs(positions)[:, None]
sine and cosine are exchanged: position 0, where the sine is 0, should change nothing.
    cos, sin = → sin, cos =
both signs are plus, which is no turn: a cos φ - b sin φ.
    - b * sin → + b * sin
this mirrors: the second feature is a sin φ + b cos φ.
    + b * cos → - b * cos
the features only shrink by their cosine: the sine brings in the other feature.
    [a * cos - b * sin, a * sin + b * cos] → [a * cos, b * cos]
the second feature is made from the first one after its turn: both come from the pair as it was.
    turned = → a = a * cos - b * sin\n    turned = ; [a * cos - b * sin, → [a,
the two features of a pair are exchanged.
    a, b = → b, a =
the frequencies are laid out for neighbours, θ₀ θ₀ θ₁ θ₁ …, and the features turned as halves:
repeat them as θ₀ θ₁ … θ₀ θ₁ ….
    is mixed
sines and cosines are added to x, as in the first Transformer; RoPE rotates the pairs.
    np.concatenate([a * cos - b * sin, a * sin + b * cos] → x + np.concatenate([cos, sin]
    np.concatenate([a * cos - b * sin, a * sin + b * cos] → x + np.concatenate([sin, cos]
the angles lose digits in float16, where 2049 becomes 2048: compute them in float64, turn, and cast
the result.
    positions[:, None] → positions.astype(floating(x))[:, None]
    None] * theta → None] * theta.astype(floating(x))
    positions[:, None] * theta → positions.astype(floating(x))[:, None] * theta.astype(floating(x))
    positions[:, None] * theta → (positions[:, None] * theta).astype(floating(x))
the angles are whole numbers where x holds such, and theta is 0 there: compute them in float64.
    positions[:, None] * theta → positions.astype(x.dtype)[:, None] * theta.astype(x.dtype)
    None] * theta → None] * theta.astype(x.dtype)
    positions[:, None] * theta → (positions[:, None] * theta).astype(x.dtype)
a table with a row for each position, from 0, has none for a negative position: its index counts
from the end.
    positions[:, None] * theta → (np.arange(np.max(positions) + 1)[:, None] * theta)[positions]
x is overwritten, and its second half is made from the new first half.
    turned = np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1) → a[...] = a * cos - b * sin\n    b[...] = a * sin + b * cos ; return turned → return x #
"""

exercise = write(rope_halves, CASES, MISTAKES, oracle=by_complex_numbers, ours=(rope, rotate))
