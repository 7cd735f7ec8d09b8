"""Move a cache · medium · 8 min

Hints
1. A key was turned by jθ and should be turned by (j + steps) θ. Which turn is missing?
2. The same turn is missing in every row: `rope` takes a position for each row, and here all of them
   are equal.
3. np.full(n, steps) holds n times the same integer.

Why
To turn by jθ and then by steps · θ is to turn by (j + steps) θ, so every key gets the same further
turn, wherever it stands. Nobody has to know the keys before their rotation, or their positions.

Notice
So a cache can lose words from its middle and close the gap. Keys that are kept as they were before
their rotation never have to be moved, but then each has to be rotated whenever it is used.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.positions import frequencies, rope


def moved_cache(cache, steps, theta):
    """R(a) R(b) = R(a + b): every key turns by the same angles once more."""
    return rope(cache, np.full(cache.shape[-2], steps), theta)


def floating(cache):
    return cache.dtype if cache.dtype.kind == "f" else np.float64


def by_complex_numbers(cache, steps, theta):
    """(a + ib) e^(iφ), where φ is the same in all rows."""
    turned = (cache[..., 0::2] + 1j * cache[..., 1::2]) * np.exp(1j * steps * theta)
    pairs = np.stack([turned.real, turned.imag], axis=-1)
    return pairs.reshape(cache.shape).astype(floating(cache))


rng = np.random.default_rng(1)


def drawn(steps, n, pairs, batch=(), dtype=np.float64, kind=case):
    x = 3 * rng.standard_normal((*batch, n, 2 * pairs))
    x = np.abs(np.round(x)) if np.dtype(dtype).kind in "iu" else x
    return kind(cache=x.astype(dtype), steps=steps, theta=10.0 ** -np.arange(pairs))


CASES = (
    case(
        cache=np.array([[1.0, 0.0]]),
        steps=1,
        theta=np.array([np.arctan2(4, 3)]),
        gives=np.array([[0.6, 0.8]]),
    ),
    drawn(2, 1, 2),
    drawn(1, 3, 2),
    drawn(5, 3, 2),
    drawn(-2, 3, 2),
    drawn(0, 2, 2),
    drawn(3, 2, 2, batch=(2,)),
    drawn(2, 3, 1, batch=(2, 2)),
    drawn(4, 4, 3, dtype=np.float32),
    drawn(3, 4, 2, batch=(2, 3)),
    drawn(2, 3, 2, dtype=np.int64),
    drawn(1000, 3, 2, kind=stress),
    drawn(3, 2, 2, dtype=np.float16, kind=stress),
    drawn(4099, 2, 2, dtype=np.float16, kind=stress),
)

MISTAKES = r"""
each key turns by its own position once more: it has had that turn, and what is missing is `steps`
for all.
    = rope(cache, np.arange(cache.shape[-2]) + steps, theta)
    = rope(cache, np.arange(cache.shape[-2]) - steps, theta)
    = rope(cache, np.arange(cache.shape[-2]), theta)
the further turn grows from row to row; it is the same for all.
    = rope(cache, np.arange(cache.shape[-2]) * steps, theta)
the keys move the other way: to stand further on is to turn further.
    [-2], steps) → [-2], -steps)
the keys move by another number of positions than `steps`: by one more or less, by one alone, or
by the number of keys, too.
    [-2], steps) → [-2], steps + 1)
    [-2], steps) → [-2], steps - 1)
    [-2], steps) → [-2], np.sign(steps))
    [-2], steps) → [-2], steps + cache.shape[-2])
only the last key moves: all of them stand further on.
    = rope(cache, np.where(np.arange(cache.shape[-2]) == cache.shape[-2] - 1, steps, 0), theta)
negative steps move the keys back.
    [-2], steps) → [-2], abs(steps))
the pairs are taken as halves; these keys were turned as neighbours.
    steps), theta → steps), theta, "halves"
the angles are turned into degrees: theta is in radians for each position.
    steps), theta → steps), np.degrees(theta)
sines and cosines are added to the keys; RoPE rotates them.
    = (cache + np.stack([np.sin(steps * theta), np.cos(steps * theta)], axis=-1).ravel()).astype(floating(cache))
    = (cache + np.stack([np.cos(steps * theta), np.sin(steps * theta)], axis=-1).ravel()).astype(floating(cache))
`rope` takes one position for each row: here they are all equal.
    = rope(cache, steps, theta)
    = rope(cache, [steps], theta)
    = rope(cache, np.array(steps), theta)
    = rope(cache, np.array([steps]), theta)
the number of keys is cache.shape[-2], however many batch axes stand in front.
    shape[-2] → shape[0]
    shape[-2] → shape[1]
    shape[-2] → shape[-1]
    shape[-2] → shape
`rope` takes the positions as an array of integers.
    = rope(cache, [steps] * cache.shape[-2], theta)
    = rope(cache, range(cache.shape[-2]), theta)
    [-2], steps) → [-2], float(steps))
`steps` is counted twice, in the positions and in theta.
    steps), theta → steps), theta * steps
each key loses the position that it had: it should stand `steps` positions further on.
    = rope(cache, steps - np.arange(cache.shape[-2]), theta)
the angles lose digits in float16, where 4099 becomes 4100: compute them in float64, turn, and cast
the result.
    = rope(cache, np.ones(cache.shape[-2], int), np.array(steps, floating(cache)) * theta)
the angles are whole numbers where the keys are, and theta is 0 there: compute them in float64.
    = rope(cache, np.ones(cache.shape[-2], int), (steps * theta.astype(cache.dtype)).astype(float))
    = rope(cache, np.ones(cache.shape[-2], int), (steps * theta).astype(cache.dtype).astype(float))
"""

exercise = write(moved_cache, CASES, MISTAKES, oracle=by_complex_numbers)
