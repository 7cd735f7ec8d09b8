"""Which positions each rank keeps, so that a causal mask leaves all of them the same to do."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import many_gpus as solutions


def _cut(n, n_ranks):
    return np.arange(n).reshape(2 * n_ranks, -1)


def consecutive(n, n_ranks):
    return np.arange(n).reshape(n_ranks, -1)


def striped(n, n_ranks):
    return np.arange(n).reshape(-1, n_ranks).T


def _pieces(second, order=(0, 1)):
    """A known mistake: the second piece of each rank, and the order of the two."""

    def wrong(n, n_ranks):
        cut, ranks = _cut(n, n_ranks), np.arange(n_ranks)
        both = cut[ranks], cut[second(ranks, n_ranks)]
        return np.concatenate([both[k] for k in order], axis=1)

    return wrong


def late_reversed(n, n_ranks):
    early, late = np.split(solutions.zigzag(n, n_ranks), 2, axis=1)
    return np.concatenate([early, late[:, ::-1]], axis=1)


def snake(n, n_ranks):
    rows = np.arange(n).reshape(-1, n_ranks).copy()
    rows[1::2] = rows[1::2, ::-1]
    return rows.T.copy()


zigzag = Write(
    name="many_gpus.zigzag",
    title="An early and a late piece",
    level="medium",
    minutes=8,
    solution_of=solutions.zigzag,
    explanation=(
        "Cut into 2w pieces, the sequence is an array of 2w rows. The first w are the early pieces "
        "of ranks 0, 1, …; the last w, read from the back, the late ones. Side by side they are "
        "what each rank keeps."
    ),
    hints=(
        "How many pieces are there, and how long is each? np.arange(n).reshape(2 * n_ranks, -1).",
        "Rank 0 keeps the first and the last piece, rank 1 the second and the last but one.",
        "The late pieces are the other rows in reverse order: [::-1] turns the rows, not what is "
        "in them.",
    ),
    misconceptions=(
        Misconception(
            consecutive,
            "these are consecutive positions: under a causal mask the last rank has most to do.",
        ),
        Misconception(
            striped,
            "that is striped, every w-th position: balanced too, but asked are two pieces each.",
        ),
        Misconception(
            _pieces(lambda r, w: w + r),
            "the late pieces go out in the same order as the early ones: the last rank has both "
            "times the latest. Rank r keeps the pieces r and 2w - 1 - r.",
        ),
        Misconception(
            _pieces(lambda r, w: (2 * w - r) % (2 * w)),
            "one piece too late: rank 0 has the last piece, [-1], where -0 is the first again.",
        ),
        Misconception(
            _pieces(lambda r, w: 2 * w - 1 - r, order=(1, 0)),
            "the late piece stands before the early one: positions rise within a rank.",
        ),
        Misconception(
            late_reversed,
            "the late pieces are read backwards: they go out in reverse order, each as it is.",
        ),
        Misconception(
            lambda n, n_ranks: _cut(n, n_ranks).reshape(n_ranks, -1)[::-1].copy(),
            "these are consecutive positions, in reverse order of the ranks.",
        ),
        Misconception(
            _pieces(lambda r, w: 2 * w - 2 - r),
            "one piece too early: the last of 2w pieces has the number 2w - 1.",
        ),
        Misconception(
            snake,
            "single positions go out forth and back: asked are two pieces each, of consecutive "
            "positions.",
        ),
        Misconception(
            lambda n, n_ranks: solutions.zigzag(n, n_ranks)[::-1].copy(),
            "the ranks are in reverse order: rank 0 keeps the first piece and the last.",
        ),
        Misconception(
            lambda n, n_ranks: solutions.zigzag(n, n_ranks).T.copy(),
            "it is transposed: rows are ranks.",
        ),
        Misconception(
            lambda n, n_ranks: solutions.zigzag(n, n_ranks) + 1, "positions are counted from 0."
        ),
        Misconception(
            lambda n, n_ranks: solutions.zigzag(n, n_ranks).astype(float),
            "these are floats; positions are integers, with which an array can be indexed.",
        ),
        Misconception(
            lambda n, n_ranks: solutions.zigzag(n, n_ranks).reshape(n_ranks, 2, -1),
            "there is one axis too many: a row of positions for each rank, its two pieces in one.",
        ),
        Misconception(
            lambda n, n_ranks: (
                np.stack([np.arange(n_ranks), 2 * n_ranks - 1 - np.arange(n_ranks)]).T
            ),
            "these are the numbers of the pieces: asked are the positions that stand in them.",
        ),
        Misconception(
            lambda n, n_ranks: _cut(n, n_ranks)[:n_ranks].copy(),
            "the late pieces are missing: half of the positions have no rank.",
        ),
        Misconception(
            lambda n, n_ranks: np.concatenate(np.split(solutions.zigzag(n, n_ranks), 2, axis=1)),
            "the late pieces stand below the early ones: side by side, axis=1.",
        ),
    ),
    notice="Positions rise within a rank, so that at home its mask is causal as it stands.",
    cases=(
        case(n=4, n_ranks=2),
        case(n=8, n_ranks=2),
        case(n=2, n_ranks=1),
        case(n=6, n_ranks=1),
        case(n=12, n_ranks=3),
        case(n=16, n_ranks=4),
        case(n=30, n_ranks=3),
        stress(n=320, n_ranks=8),
        stress(n=64, n_ranks=32),
    ),
)
