"""An early and a late piece · medium · 8 min

Hints
1. How many pieces are there, and how long is each? np.arange(n).reshape(2 * n_ranks, -1).
2. Rank 0 keeps the first and the last piece, rank 1 the second and the last but one.
3. The late pieces are the other rows in reverse order: [::-1] turns the rows, not what is in them.

Why
Cut into 2w pieces, the sequence is an array of 2w rows. The first w are the early pieces of ranks
0, 1, …; the last w, read from the back, the late ones. Side by side they are what each rank keeps.

Notice
Positions rise within a rank, so that at home its mask is causal as it stands.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def zigzag(n, n_ranks):
    """Of 2w pieces in order, rank r keeps the r-th from the front and the r-th from the back."""
    cut = np.arange(n).reshape(2 * n_ranks, -1)
    return np.concatenate([cut[:n_ranks], cut[n_ranks:][::-1]], axis=1)


def snake(n, n_ranks):
    rows = np.arange(n).reshape(-1, n_ranks).copy()
    rows[1::2] = rows[1::2, ::-1]
    return rows.T


def by_owner(n, n_ranks):
    """Each position belongs to the rank that its piece has, counted from the nearer end."""
    piece = np.arange(n) * 2 * n_ranks // n
    owner = np.minimum(piece, 2 * n_ranks - 1 - piece)
    return np.stack([np.flatnonzero(owner == rank) for rank in range(n_ranks)])


CASES = (
    case(n=4, n_ranks=2, gives=np.array([[0, 3], [1, 2]])),
    case(n=8, n_ranks=2, gives=np.array([[0, 1, 6, 7], [2, 3, 4, 5]])),
    case(n=2, n_ranks=1),
    case(n=6, n_ranks=1),
    case(n=12, n_ranks=3),
    case(n=30, n_ranks=3),
    stress(n=64, n_ranks=32),
)

MISTAKES = """
these are consecutive positions: under a causal mask the rank with the last of them has most to do.
    = np.arange(n).reshape(n_ranks, -1) || np.arange(n).reshape(n_ranks, -1)[::-1]
single positions are dealt out like cards: that is balanced as well, but each rank should keep two
pieces.
    = np.arange(n).reshape(-1, n_ranks).T
    is snake
the late pieces are dealt out in the same order as the early ones, so the last rank gets the latest
of both. Rank r keeps the pieces r and 2w - 1 - r.
    cut[n_ranks:][::-1] → cut[n_ranks:]
the late piece is one too late or one too early: rank 0 has the last of 2w pieces, number 2w - 1.
    cut[n_ranks:][::-1] → cut[n_ranks:][::-1] + cut.shape[1]
    cut[n_ranks:][::-1] → cut[-np.arange(n_ranks)] || cut[2 * n_ranks - 2 - np.arange(n_ranks)]
the late piece stands before the early one: positions rise within a rank.
    cut[:n_ranks], cut[n_ranks:][::-1] → cut[n_ranks:][::-1], cut[:n_ranks]
the positions in the late pieces run backwards: reverse the order of the pieces, and leave each piece
as it is.
    [::-1] → [::-1, ::-1]
positions are counted from 0.
    = zigzag(n, n_ranks) + 1
these are the numbers of the pieces: return the positions that lie in them.
    = np.stack([np.arange(n_ranks), 2 * n_ranks - 1 - np.arange(n_ranks)]).T
the late pieces are missing: half of the positions have no rank.
    np.concatenate([cut[:n_ranks], cut[n_ranks:][::-1]], axis=1) → cut[:n_ranks]
"""

exercise = write(zigzag, CASES, MISTAKES, oracle=by_owner)
