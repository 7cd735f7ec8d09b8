"""A test for leaks · hard · 12 min

Hints
1. Copy x, put a random vector in place of word t, and compare the two outputs with `!=`.
2. A row has moved where any of its numbers differs: np.any(..., axis=-1).
3. np.argmax of booleans is the first True, but 0 as well if there is none.

Why
A copy gets another word at t, and both go through the layer. A row has moved if any of its numbers
differs; `!=` asks for the last bit. `argmax` finds the first True, and the number of rows stands
for none. There is no seed: with one, the new word may be the very word that x was made of.

Notice
Run it for every t. A row before t that moves proves a leak; that none moves is evidence, for these
words and this change, and no proof: a layer may hide what they do not show.
"""

import numpy as np

from attnbook.exercises.chapters.three_ways import _layers as layers
from attnbook.exercises.engine import case, stress, write


def first_moved(attention, x, t):
    """The first output row that changes with word t; the number of rows if none does."""
    changed = x.copy()
    changed[t] = np.random.default_rng().standard_normal(x.shape[-1])
    rows = np.any(attention(changed) != attention(x), axis=-1)
    return int(np.argmax(rows)) if rows.any() else len(rows)


def noise(x):
    """A new word, the same each time, from a seed that no reader takes."""
    return np.random.default_rng(98_765).standard_normal(x.shape[-1])


def in_steps(attention, x, t):
    before, changed = attention(x), x.copy()
    changed[t] = noise(x)
    after = attention(changed)
    rows = np.any(after != before, axis=-1)
    first = int(np.argmax(rows)) if any(rows) else len(rows)
    return first


def row_by_row(attention, x, t, number):
    """A loop over a number of rows, which is also the answer for none."""
    before, changed = attention(x), x.copy()
    changed[t] = noise(x)
    for i in range(number):
        if np.any(before[i] != attention(changed)[i]):
            return i
    return number


rng = np.random.default_rng(9)
FOUR = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [2.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
BLANK = FOUR * [[1.0], [1.0], [0.0], [1.0]]
FIVE = rng.standard_normal((5, 3))
PLAIN = np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0], [0.0, 0.0, 1.0], [1.0, -1.0, 1.0]])
EVEN = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.5], [-1.0, 1.0]])
SEEDS = (*range(11), 42, 99, 100, 123, 1234, 12345, 2024, 2025, 2026)
GENERATORS = np.random.default_rng, np.random.RandomState
DRAWN = np.array([generator(s).standard_normal(3) for s in SEEDS for generator in GENERATORS])

CASES = (
    case(attention=layers.causal, x=FOUR, t=2, gives=2),
    case(attention=layers.bidirectional, x=FOUR, t=2, gives=0),
    case(attention=layers.one_word_ahead, x=FOUR, t=2, gives=1),
    case(attention=layers.the_past_only, x=FOUR, t=1, gives=2),
    case(attention=layers.the_past_only, x=FOUR, t=3, gives=4),
    case(attention=layers.causal, x=FOUR, t=0, gives=0),
    case(attention=layers.causal, x=FOUR[:1], t=0, gives=0),
    case(attention=layers.bidirectional, x=FOUR, t=3, gives=0),
    case(attention=layers.two_queries, x=FOUR, t=1, gives=0),
    case(attention=layers.two_queries, x=FOUR, t=3, gives=2),
    case(attention=layers.window, x=FOUR, t=1, gives=1),
    case(attention=layers.running_sums, x=FOUR, t=2, gives=2),
    case(attention=layers.a_faint_leak, x=FOUR + 3, t=3, gives=0),
    case(attention=layers.outputs_near_1e_30, x=FOUR, t=3, gives=0),
    case(attention=layers.causal_and_the_last_word, x=FOUR, t=1, gives=1),
    case(attention=layers.last_feature, x=FOUR, t=2, gives=2),
    case(attention=layers.first_feature, x=FOUR, t=2, gives=2),
    case(attention=layers.middle_feature, x=FOUR, t=2, gives=2),
    *(case(attention=layers.causal, x=PLAIN, t=t, gives=t) for t in range(4)),
    stress(attention=layers.normalised, x=FOUR, t=1, gives=1),
    case(attention=layers.normalised, x=EVEN, t=2, gives=2),
    case(attention=layers.marked_in_front, x=FOUR, t=1, gives=1),
    case(attention=layers.marked_behind, x=FOUR, t=1, gives=1),
    case(attention=layers.causal, x=BLANK, t=2, gives=2),
    case(attention=layers.blank_or_not, x=BLANK, t=2, gives=2),
    case(attention=layers.sums_of_squares, x=BLANK, t=2, gives=2),
    case(attention=layers.minus_sums_of_squares, x=BLANK, t=2, gives=2),
    case(attention=layers.causal, x=np.ones((4, 3)), t=2, gives=2),
    case(attention=layers.causal, x=FIVE, t=3, gives=3),
    case(attention=layers.one_word_ahead, x=np.float32(FIVE), t=2, gives=1),
    *(stress(attention=layers.running_sums, x=DRAWN, t=t, gives=t) for t in range(len(DRAWN))),
    stress(attention=layers.a_leak_in_the_last_bit, x=BLANK, t=2, gives=0),
    stress(attention=layers.a_leak_of_5e_324, x=BLANK, t=2, gives=0),
    stress(attention=layers.running_sums, x=1e20 * FOUR, t=2, gives=2),
    stress(attention=layers.causal, x=np.float16(FIVE), t=2, gives=2),
    stress(attention=layers.one_word_ahead, x=rng.standard_normal((60, 8)), t=40, gives=39),
)

MISTAKES = """
the first row that moves is asked for: not the last, nor all, nor how many, nor whether one leaks.
    return first → return int(np.flatnonzero(rows)[-1]) if any(rows) else len(rows)
    return first → return np.flatnonzero(rows) || return int(rows.sum()) || return first < t
np.argmax is 0 where nothing is True: if no row moves, return the number of rows.
    return first → return int(np.argmax(rows))
if no row moves, return the number of output rows: it can be compared with t, and there may be fewer
than words.
    return first → return first if any(rows) else -1
    else len(rows) → else len(x)
that is t itself: run the layer, and see where its output moves.
    = t
only the rows before t are looked at, or those after them: a leak shows before t, and where there is
none the first row that moves may come after it.
    return first → return first if any(rows[:t]) else t
    return first → return first if any(rows[:t]) else len(rows)
    = row_by_row(attention, x, t, t)
    return first → return max(first, t) if any(rows) else len(rows)
argmax counts through all numbers of all rows here: np.any(..., axis=-1) makes one boolean of each
row.
    return first → return int(np.argmax(after != before))
axis=0 asks each column whether it has moved; axis=-1 asks each row.
    before, axis=-1 → before, axis=0
a leak too faint for a tolerance is a leak: compare to the last bit, with !=.
    after != before → ~np.isclose(after, before) || ~np.isclose(after, before, rtol=1e-15, atol=0)
    after != before → np.abs(after - before) > 1e-20
    after != before → np.abs(after - before) > np.finfo(float).tiny
    after != before → np.float32(after) != np.float32(before)
one number is compared for each row, and the others may move, or changes cancel in a sum or a
length: compare every number.
    after != before → (after != before)[:, :1] || (after != before)[:, -1:]
    np.any(after != before, axis=-1) → after.sum(axis=-1) != before.sum(axis=-1)
    np.any(after != before, axis=-1) → np.linalg.norm(after, axis=-1) != np.linalg.norm(before, axis=-1)
a row counts here if all of its numbers move: one is enough.
    np.any(after → np.all(after
only a change in one direction counts here: compare with !=.
    after != before → after < before || after > before
a layer may not notice this new word: it is like the old one in some way, or may be equal to it. Draw
a random vector, from default_rng() without a seed.
    noise(x) → x[t] + 1e-3 * noise(x) || x[t] + 1e-6 || x[t] + 1e-10 || x[t] + noise(x) || x[t] * 0
    noise(x) → x[t] * noise(x) || np.arange(x.shape[-1]) || np.arange(x.shape[-1]) + 1
    noise(x) → np.eye(x.shape[-1])[-1] || (-1.0) ** np.arange(x.shape[-1])
    noise(x) → np.random.default_rng(0).standard_normal(x.shape[-1])
    noise(x) → np.random.RandomState(42).standard_normal(x.shape[-1]) || x[t] * 0 + 1
    noise(x) → x[t] * 0 + 7 || x[t, ::-1] || np.roll(x[t], 1) || x[t - 1]
    noise(x) → x[t] + np.arange(x.shape[-1]) || x[t] + np.eye(x.shape[-1])[0]
    noise(x) → x[t] + np.eye(x.shape[-1])[1] || x[t] + np.eye(x.shape[-1])[-1]
NaN and infinity are no test: times 0 they are NaN, and so they reach rows that no finite word can
reach.
    noise(x) → x[t] + np.nan
every word from t on is changed: a row may see a later word and not word t.
    changed[t] = noise(x) → changed[t:] = np.random.default_rng(98_765).standard_normal(x[t:].shape)
your function writes into x: change a copy, and `changed = x` is none, but a second name.
    x.copy() → x
"""

exercise = write(first_moved, CASES, MISTAKES, drafts=(in_steps,))
