"""Whose keys a rank works on at each step."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import many_gpus as solutions


def _rule(of):
    """A known mistake: a rule for step s and rank r of w."""

    def wrong(n_ranks):
        steps, ranks = np.arange(n_ranks)[:, None], np.arange(n_ranks)
        return np.broadcast_to(of(steps, ranks, n_ranks), (n_ranks, n_ranks)).copy()

    return wrong


OTHER_WAY = "the ring turns the other way: a rank hears from the rank before it, r - 1."

whose = Write(
    name="many_gpus.whose",
    title="Whose keys are here",
    level="easy",
    minutes=6,
    solution_of=solutions.whose,
    explanation=(
        "Each step moves every block one place on. At step s rank r holds what rank r − 1 held a "
        "step before, and so on back to rank r − s, modulo w, to whom the block belongs."
    ),
    hints=(
        "At step 0 each rank works on its own keys: row 0 is 0, 1, 2, …",
        "At step 1 rank 1 has those of rank 0. And rank 0?",
        "A column of steps, np.arange(n_ranks)[:, None], and a row of ranks make a table.",
    ),
    misconceptions=(
        Misconception(_rule(lambda s, r, w: (r + s) % w), OTHER_WAY),
        Misconception(
            _rule(lambda s, r, w: r - s),
            "there is no rank with a negative number: before rank 0 stands the last, as % says.",
        ),
        Misconception(
            _rule(lambda s, r, w: np.abs(r - s)),
            "before rank 0 stands the last rank: take the remainder, not the absolute value.",
        ),
        Misconception(
            _rule(lambda s, r, w: np.maximum(r - s, 0)),
            "before rank 0 stands the last rank: take the remainder, and do not stop at 0.",
        ),
        Misconception(
            _rule(lambda s, r, w: (s - r) % w),
            "rows are steps and columns ranks; so row 0 is 0, 1, 2, …: each its own keys.",
        ),
        Misconception(
            _rule(lambda s, r, w: (r - s - 1) % w),
            "a step too early: at step 0 each rank works on its own keys.",
        ),
        Misconception(
            _rule(lambda s, r, w: (r - s + 1) % w),
            "a step too late: at step 0 each rank works on its own keys.",
        ),
        Misconception(
            _rule(lambda s, r, w: (r + s + 1) % w),
            "the ring turns the other way, and at step 0 each rank works on its own keys.",
        ),
        Misconception(
            _rule(lambda s, r, w: r), "the blocks stay where they are: each step moves them on."
        ),
        Misconception(
            _rule(lambda s, r, w: s),
            "at each step all ranks work on the same keys, which one of them would have to send "
            "to all: here everyone sends to the next.",
        ),
        Misconception(_rule(lambda s, r, w: (r - s) % w + 1), "ranks are counted from 0."),
        Misconception(
            _rule(lambda s, r, w: (r - s) % 4),
            "the number of ranks is n_ranks, not always 4: take the remainder by it.",
        ),
        Misconception(
            _rule(lambda s, r, w: (r - s) % (w + 1)),
            "n_ranks ranks are numbered from 0: the remainder is by n_ranks.",
        ),
        Misconception(
            lambda n_ranks: solutions.whose(n_ranks)[1:],
            "the first row is missing: at step 0 each rank works on its own keys.",
        ),
        Misconception(
            lambda n_ranks: solutions.whose(n_ranks)[:-1],
            "the last row is missing: w blocks take w steps, of which w - 1 send.",
        ),
        Misconception(
            lambda n_ranks: solutions.whose(n_ranks).astype(float),
            "these are floats; the number of a rank is an integer.",
        ),
    ),
    notice="Every row and every column holds each rank once: nobody waits for a block in use.",
    cases=(
        case(n_ranks=2),
        case(n_ranks=1),
        case(n_ranks=3),
        case(n_ranks=4),
        case(n_ranks=5),
        stress(n_ranks=32),
        stress(n_ranks=257),
    ),
)
