"""What the project's checks count of a pass over tiles: its tiles, and the memory at its peak."""

import tracemalloc

import numpy as np

from attnbook.exercises.engine import not_yet
from attnbook.exercises.engine.attempt import attempt
from attnbook.masks import causal_mask
from attnbook.online import visible_blocks

LONG, SIDE = 512, 32  # queries and keys, and queries or keys of a tile, where memory is measured


def tiles_left(n_q, n_k, rows, columns):
    """How many tiles show anything under a causal mask."""
    return int(visible_blocks(causal_mask(n_q, n_k), rows, columns)[0].sum())


def without_the_matrix(piece, arguments):
    """For `refused`: a pass that holds as much as a seventh of the full score matrix at its peak."""

    def refused(answer, _):
        given = arguments(LONG, LONG) | {"rows": SIDE, "columns": SIDE}
        tracemalloc.start()
        attempt(lambda *arrays: answer(*arrays, piece), given)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        if peak < 8 * LONG**2 / 7:
            return None
        return not_yet(
            f"the results are right, but with {LONG} queries and keys, in tiles of {SIDE} by {SIDE}, "
            f"your function held {peak / 2**20:.1f} MiB at its peak. All scores together take "
            f"{8 * LONG**2 / 2**20:.0f}: make those of one tile at a time."
        )

    return refused


def example():
    """The book's example for `n_q` = `n_k` = 3: the last query has the exponentials 1, 3 and 4."""
    affinities = np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 3.0, 4.0]])
    values = np.array([[0.0], [4.0], [8.0]])
    return {"q": np.log(affinities) * 3**0.5, "k": np.eye(3), "v": values}
