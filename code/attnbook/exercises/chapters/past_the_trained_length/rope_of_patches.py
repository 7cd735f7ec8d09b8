"""Rows and columns · medium · 10 min

Hints
1. `np.split(x, 2, axis=-1)` cuts the features into two halves.
2. `rope(half, rows, theta)` rotates one of them, for any number of batch axes.
3. np.concatenate along the last axis puts the two together.

Why
Each half is RoPE in one dimension. A score adds up over the features, so it is a function of the
difference in rows plus one of the difference in columns.

Notice
If the whole vector were rotated by row + column, a patch could not tell its neighbour on the right
from the one below.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.positions import rope


def rope_of_patches(x, rows, columns, theta):
    """Half the features turn by the row, half by the column."""
    by_row, by_column = np.split(x, 2, axis=-1)
    turned = [rope(by_row, rows, theta), rope(by_column, columns, theta)]
    return np.concatenate(turned, axis=-1)


def by_complex_numbers(x, rows, columns, theta):
    """(a + ib) e^(iφ), with φ from the row in the first pairs and from the column in the last."""
    angles = np.concatenate([rows[:, None] * theta, columns[:, None] * theta], axis=-1)
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


rng = np.random.default_rng(0)
THREE_FOUR_FIVE = np.array([np.arctan2(4, 3)])  # its cosine is 0.6 and its sine 0.8


def grid(height, width, pairs, batch=(), start=(0, 0), kind=case):
    """The patches of an image of this height and width, row by row."""
    rows, columns = np.indices((height, width)).reshape(2, -1)
    x = rng.standard_normal((*batch, height * width, 4 * pairs))
    theta = 10.0 ** -np.arange(pairs)
    return kind(x=x, rows=rows + start[0], columns=columns + start[1], theta=theta)


CASES = (
    case(
        x=np.array([[1.0, 0.0, 1.0, 0.0]]),
        rows=np.array([1]),
        columns=np.array([0]),
        theta=THREE_FOUR_FIVE,
        gives=np.array([[0.6, 0.8, 1.0, 0.0]]),
    ),
    case(
        x=np.array([[1.0, 0.0, 0.0, 1.0]]),
        rows=np.array([0]),
        columns=np.array([1]),
        theta=THREE_FOUR_FIVE,
        gives=np.array([[1.0, 0.0, -0.8, 0.6]]),
    ),
    grid(2, 2, 1),
    grid(2, 3, 1),
    grid(3, 2, 2),
    grid(2, 2, 2, batch=(2,)),
    grid(1, 4, 1, batch=(2, 3)),
    grid(2, 2, 3, start=(-1, 5)),
    grid(3, 3, 2, batch=(1, 2), start=(7, -2)),
    grid(2, 2, 2, start=(3000, 0), kind=stress),
)

MISTAKES = """
rows and columns are exchanged: the first half is rotated by the row.
    rope(by_row, rows, theta), rope(by_column, columns, theta) → rope(by_row, columns, theta), rope(by_column, rows, theta)
both halves are rotated by the row: the second should turn by the column.
    columns, theta)] → rows, theta)]
both halves are rotated by the column: the first should turn by the row.
    rope(by_row, rows, theta) → rope(by_row, columns, theta)
row and column are added up: then the patches right and below look alike.
    = np.concatenate([rope(half, rows + columns, theta) for half in np.split(x, 2, axis=-1)], axis=-1)
    = rope(x, rows + columns, theta)
    = rope(rope(x, rows, theta), columns, theta)
the second half is not rotated.
    rope(by_column, columns, theta) → by_column
the first half is not rotated.
    rope(by_row, rows, theta) → by_row
the halves come back in the other order.
    = np.concatenate([rope(x[..., x.shape[-1] // 2 :], columns, theta), rope(x[..., : x.shape[-1] // 2], rows, theta)], axis=-1)
the pairs are taken as halves: here they are neighbours, as `rope` has them if it is not told.
    = np.concatenate([rope(half, where, theta, "halves") for half, where in zip(np.split(x, 2, axis=-1), (rows, columns))], axis=-1)
features of the rows and of the columns alternate: the first half belongs to the row.
    np.split(x, 2, axis=-1) → x[..., 0::2], x[..., 1::2]
x is cut along its patches: cut it along its features, the last axis.
    np.split(x, 2, axis=-1) → np.split(x, 2, axis=-2)
the two halves are put together along another axis: it should be the last.
    np.concatenate(turned, axis=-1) → np.concatenate(turned, axis=0)
    np.concatenate(turned, axis=-1) → np.concatenate(turned, axis=-2)
    np.concatenate(turned, axis=-1) → np.stack(turned, axis=-1)
the two halves are added: they should stand side by side.
    np.concatenate(turned, axis=-1) → turned[0] + turned[1]
the patches are counted one after the other: what turns a patch is its row and its column.
    = np.concatenate([rope(half, np.arange(len(rows)), theta) for half in np.split(x, 2, axis=-1)], axis=-1)
"""

exercise = write(rope_of_patches, CASES, MISTAKES, oracle=by_complex_numbers)
