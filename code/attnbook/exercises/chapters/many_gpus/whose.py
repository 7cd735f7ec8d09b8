"""Whose keys are here · easy · 6 min

Hints
1. At step 0 each rank works on its own keys: row 0 is 0, 1, 2, …
2. At step 1 rank 1 has the keys of rank 0. Whose keys does rank 0 have?
3. A column of steps, np.arange(n_ranks)[:, None], and a row of ranks make a table.

Why
Each step moves every block on by one rank. At step s rank r holds what rank r − 1 held one step
before, and so on, back to rank r − s, modulo w, where the block is at home.

Notice
Every row and every column holds each rank once: no two ranks ever need the same block at the same
time.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def whose(n_ranks):
    """At step s rank r works on the keys of the rank that stands s places before it."""
    steps, ranks = np.arange(n_ranks)[:, None], np.arange(n_ranks)
    return (ranks - steps) % n_ranks


def passed_on(n_ranks):
    """Each rank begins with its own block, and at every step hands it to the next."""
    rows = [np.arange(n_ranks)]
    while len(rows) < n_ranks:
        rows.append(np.roll(rows[-1], 1))
    return np.stack(rows)


CASES = (
    case(n_ranks=2, gives=np.array([[0, 1], [1, 0]])),
    case(n_ranks=1),
    case(n_ranks=3, gives=np.array([[0, 1, 2], [2, 0, 1], [1, 2, 0]])),
    case(n_ranks=4),
    stress(n_ranks=257),
)

MISTAKES = """
the ring turns the other way: a rank hears from the rank before it, r - 1, and begins with its own
keys.
    ranks - steps → ranks + steps || ranks + steps + 1
no rank has a negative number: before rank 0 comes the last one, and the remainder, %, says which
that is.
    (ranks - steps) % n_ranks → ranks - steps || np.abs(ranks - steps)
    (ranks - steps) % n_ranks → np.maximum(ranks - steps, 0)
rows are steps and columns are ranks, so row 0 is 0, 1, 2, …, where each rank has its own keys.
    ranks - steps → steps - ranks
that is a step too early, or too late: at step 0 each rank works on its own keys.
    ranks - steps → ranks - steps - 1 || ranks - steps + 1
the blocks stay where they are: each step moves them on.
    (ranks - steps) % n_ranks → ranks + 0 * steps
at each step all ranks work on the same keys, which one of them would have to send to all others: in
a ring each rank sends to the next.
    (ranks - steps) % n_ranks → steps + 0 * ranks
ranks are counted from 0.
    % n_ranks → % n_ranks + 1
divide by the number of ranks, which is n_ranks, and take the remainder.
    % n_ranks → % 4 || % (n_ranks + 1)
an integer of 8 bits ends at 255, or at 127: there may be more ranks than that.
    (ranks - steps) % n_ranks → ((ranks - steps) % n_ranks).astype(np.uint8)
    (ranks - steps) % n_ranks → ((ranks - steps) % n_ranks).astype(np.int8)
    np.arange(n_ranks) ⇒ np.arange(n_ranks).astype(np.int8)
    np.arange(n_ranks) ⇒ np.arange(n_ranks).astype(np.uint8)
there is a row for each of the w steps, and the first has each rank's own keys; only the sendings are
w - 1.
    = whose(n_ranks)[1:] || whose(n_ranks)[:-1]
"""

exercise = write(whose, CASES, MISTAKES, oracle=passed_on)
