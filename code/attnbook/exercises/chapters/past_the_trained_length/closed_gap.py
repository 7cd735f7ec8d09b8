r"""Project, step 1: close the gap · medium · 15 min

Hints
1. Three runs of keys: those before the gap, those in it, and those behind it. Which of them have a
   new position?
2. A key that stood at position j was rotated by jθ. How far from that is the rotation that it should
   have now?
3. `rope` rotates by a position for each row, which may be negative: here they are all equal.

Why
The keys before the gap stay where they are. Each key behind it moves `count` positions to the
front, so it is rotated back by `count` · θ, wherever it stood. Values hold no position: they are
only cut.

Notice
Nothing was computed again, and no key had to be known as it was before its rotation.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.positions import rope


def closed_gap(keys, values, start, count, theta):
    """Rows start to start + count - 1 leave; the keys behind them are rotated back."""
    behind = keys[..., start + count :, :]
    moved = rope(behind, np.full(behind.shape[-2], -count), theta)
    keys = np.concatenate([keys[..., :start, :], moved], axis=-2)
    return keys, np.delete(values, slice(start, start + count), axis=-2)


def rotated_anew(keys, values, start, count, theta):
    """As complex numbers: each key back to position 0, and what is left from there to its place."""
    n = keys.shape[-2]
    left = [j for j in range(n) if not start <= j < start + count]
    pairs = keys[..., 0::2] + 1j * keys[..., 1::2]
    plain = (pairs * np.exp(-1j * np.arange(n)[:, None] * theta))[..., left, :]
    pairs = plain * np.exp(1j * np.arange(len(left))[:, None] * theta)
    moved = np.stack([pairs.real, pairs.imag], axis=-1).reshape(*keys.shape[:-2], len(left), -1)
    return moved.astype(keys.dtype), values[..., left, :]


rng = np.random.default_rng(13)
THETA = np.array([1.0, 0.1])


def drawn(n, start, count, batch=(), d_v=3, dtype=np.float64):
    arrays = (rng.standard_normal((*batch, n, d)).astype(dtype) for d in (4, d_v))
    keys, values = arrays
    keys = rope(keys, np.arange(n), THETA)
    return {"keys": keys, "values": values, "start": start, "count": count, "theta": THETA}


def words(n):
    """Keys of (1, 0), each rotated by a quarter turn more, and the values 1, 2, 3."""
    quarters = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    return {"keys": quarters[:n], "values": np.arange(1.0, n + 1)[:, None]}


CASES = (
    case(
        **words(3),
        start=1,
        count=1,
        theta=np.array([np.pi / 2]),
        gives=(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0], [3.0]])),
    ),
    case(**drawn(4, 1, 2)),
    case(**drawn(6, 2, 1)),
    case(**drawn(5, 0, 2)),
    case(**drawn(5, 3, 2)),
    case(**drawn(4, 2, 0)),
    case(**drawn(12, 4, 4, d_v=2)),
    case(**drawn(6, 1, 3, batch=(2,))),
    case(**drawn(5, 1, 1, batch=(2, 3), d_v=5)),
    stress(**drawn(5, 1, 2, dtype=np.float32)),
)

MISTAKES = """
the gap stays open: the keys behind it still stand where they stood.
    moved = rope(behind, np.full(behind.shape[-2], -count), theta) → moved = behind
the keys behind the gap move further on: they come nearer, and are rotated back.
    -count) → count)
    -count) → count) ; np.delete(values, slice(start, start + count), axis=-2) → np.concatenate([values[:start], values[start + count :]])
the keys behind the gap are back at position 0: turn them on from there to the positions that they
have now.
    np.full(behind.shape[-2], -count) → -np.arange(start + count, keys.shape[-2])
the keys behind the gap move one position too many, or too few: as many as words have left.
    -count) → -count - 1) || -count + 1)
the gap is taken to begin at the first word, whatever `start` says.
    behind = keys → start = 0\\n    behind = keys
other pairs are rotated: neighbours are a pair here, while halves are one in some libraries.
    -count), theta) → -count), theta, "halves")
the keys before the gap move too: they stand where they stood.
    keys[..., :start, :], moved → rope(keys[..., :start, :], np.full(start, -count), theta), moved
each key behind the gap is rotated by another number of positions: all of them move by the same one.
    np.full(behind.shape[-2], -count) → -count * np.arange(1, behind.shape[-2] + 1)
    np.full(behind.shape[-2], -count) → start + np.arange(behind.shape[-2])
    np.full(behind.shape[-2], -count) → -np.arange(behind.shape[-2])
    np.full(behind.shape[-2], -count) → np.arange(behind.shape[-2])
the keys behind the gap are as many positions off as the gap has keys before it: they move by the
number of words that have left.
    -count) → -start)
    -count) → -start - count)
only one of the words that left is closed up.
    -count) → -1)
    -count) → -np.sign(count))
the values were rotated: RoPE rotates queries and keys alone.
    return keys, np.delete(values, slice(start, start + count), axis=-2) → cut = slice(0, values.shape[-1] // 2 * 2)\\n    values = values.copy()\\n    values[..., cut] = rope(np.ascontiguousarray(values[..., cut]), np.where(np.arange(values.shape[-2]) >= start, -count, 0), theta[: values.shape[-1] // 2])\\n    return keys, np.delete(values, slice(start, start + count), axis=-2)
the values lose no word, or not the words that the keys lose.
    np.delete(values, slice(start, start + count), axis=-2) → values
    np.delete(values, slice(start, start + count), axis=-2) → values[..., count:, :]
    np.delete(values, slice(start, start + count), axis=-2) → values[..., : values.shape[-2] - count, :]
`start` and `count` are taken for the first and the last word of the gap: it has `count` words.
    behind = keys[..., start + count → behind = keys[..., max(start, count) ; slice(start, start + count) → slice(start, max(start, count))
    behind = keys[..., start + count → behind = keys[..., count + 1 ; slice(start, start + count) → slice(start, count + 1)
the first word behind the gap is lost as well, or one word of the gap stays.
    behind = keys[..., start + count → behind = keys[..., start + count + 1 ; slice(start, start + count) → slice(start, start + count + 1)
    behind = keys[..., start + count → behind = keys[..., start + count + 1 ; slice(start, start + count) → slice(start, start + count + 1) ; np.full(behind.shape[-2], -count) → np.full(keys.shape[-2] - start - count - 1, -count)
    behind = keys[..., start + count → behind = keys[..., start + count - 1 ; np.delete(values, slice(start, start + count), axis=-2) → np.concatenate([values[..., :start, :], values[..., start + count - 1 :, :]], axis=-2)
    behind = keys[..., start + count → behind = keys[..., max(start, start + count - 1) ; slice(start, start + count) → slice(start, max(start, start + count - 1))
the words were cut along another axis: they lie along the last but one, whatever stands in front.
    keys = np.concatenate([keys[..., :start, :], moved], axis=-2) → keys = np.concatenate([keys[:start], rope(keys[start + count :], np.full(len(keys[start + count :]), -count), theta)])
the words that stay are the wrong ones: those from `start` on, `count` of them, have to go.
    behind = keys[..., start + count :, :] → return tuple(x[..., start : start + count, :] for x in (keys, values))
keys that are kept are rotated by their positions once more, although they lie in the cache rotated.
    keys = np.concatenate([keys[..., :start, :], moved], axis=-2) → left = np.delete(keys, slice(start, start + count), axis=-2)\\n    keys = rope(left, np.arange(left.shape[-2]), theta)
"""

exercise = write(closed_gap, CASES, MISTAKES, oracle=rotated_anew, results=("keys", "values"))
