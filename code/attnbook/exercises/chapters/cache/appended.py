"""Project, step 3: write by the table · hard · 20 min

Hints
1. Begin with copies. How many pages are missing? Step 1 knows, since the table has no page too many.
2. The table grows by the first pages of `free`, and `free` loses them.
3. The new words are numbers length to length + n - 1 of the text. On which pages do they lie, and in
   which rows? np.divmod has both.
4. pool[page, :, row] with two arrays has a row for each word, (n, n_kv_heads, d): `new` has its heads
   in front.

Why
First the table is made long enough, then each new word has a page, table[p // size], and a row,
p mod size. Two arrays as indices pick one row for each word, in all heads; NumPy puts the axis of
the words in front, so that `new` has to be turned.

Notice
Nothing of the old words was moved, wherever the new pages lie.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def appended(pool, table, length, free, new):
    """Take the missing pages from the front of free, and write a row for each word."""
    size, n = pool.shape[2], new.shape[1]
    pool = pool.copy()
    missing = -(-(length + n) // size) - len(table)
    table = np.concatenate([table, free[:missing]])
    page, row = np.divmod(np.arange(length, length + n), size)
    pool[table[page], :, row] = new.swapaxes(0, 1)
    return pool, table, free[missing:]


def one_by_one(pool, table, length, free, new):
    pool, table, free = pool.copy(), list(table), list(free)
    for n in range(new.shape[1]):
        place = length + n
        if place == len(table) * pool.shape[2]:
            table.append(free.pop(0))
        for head in range(pool.shape[1]):
            pool[table[place // pool.shape[2]], head, place % pool.shape[2]] = new[head, n]
    return pool, np.array(table, dtype=np.int64), np.array(free, dtype=np.int64)


rng = np.random.default_rng(4)


def drawn(heads, size, d, table, length, free, n, dtype=np.float64):
    n_pages = len(table) + len(free) + 1
    return {
        "pool": rng.standard_normal((n_pages, heads, size, d)).astype(dtype),
        "table": np.array(table, dtype=np.int64),
        "length": length,
        "free": np.array(free, dtype=np.int64),
        "new": 10 + rng.standard_normal((heads, n, d)).astype(dtype),
    }


def beside_nan(heads, size, d, table, length, free, n):
    """NaN and infinity wherever no word lies."""
    case = drawn(heads, size, d, table, length, free, n)
    pages, rows = np.divmod(np.arange(length), size)
    pool = np.full_like(case["pool"], np.nan)
    pool[:, :, -1] = np.inf
    own = case["table"][pages], slice(None), rows
    pool[own] = case["pool"][own]
    return case | {"pool": pool}


CASES = (
    case(
        pool=np.zeros((2, 1, 2, 1)),
        table=np.array([], dtype=np.int64),
        length=0,
        free=np.array([1, 0]),
        new=np.array([[[5.0]]]),
        gives=(np.array([[[[0.0], [0.0]]], [[[5.0], [0.0]]]]), np.array([1]), np.array([0])),
    ),
    case(**drawn(1, 2, 1, [1], 1, [0], 1)),
    case(**drawn(1, 2, 1, [1], 2, [2, 4, 0], 1)),
    case(**drawn(1, 2, 2, [3, 1], 3, [2, 0, 4], 3)),
    case(**drawn(2, 3, 2, [4, 0], 4, [2, 5, 1], 6)),
    case(**drawn(2, 2, 3, [], 0, [3, 1, 2, 0], 5)),
    case(**drawn(3, 4, 2, [2, 0], 8, [1, 3], 4)),
    case(**drawn(2, 4, 2, [2, 0], 5, [1, 3], 2)),
    case(**drawn(2, 2, 2, [1], 1, [0, 2], 0)),
    case(**drawn(2, 2, 2, [2], 2, [0, 1], 0)),
    case(**drawn(1, 1, 2, [2], 1, [1, 0], 2)),
    case(**beside_nan(2, 3, 2, [2, 0], 4, [3, 1], 4)),
    stress(**drawn(2, 3, 2, [4, 0], 4, [2, 5, 1], 6, np.float32)),
)

MISTAKES = """
the words are written from the first page on: the new ones stand behind the old, from `length` on.
    np.arange(length, length + n) → np.arange(n)
a new word begins on a new page, though the last page has a free row.
    pool = pool.copy() → pool, length = pool.copy(), len(table) * size
too few pages are taken, or too many: the text has ⌈(length + n) / size⌉ pages in all.
    missing = -(-(length + n) // size) - len(table) → missing = -(-n // size)
    missing = -(-(length + n) // size) - len(table) → missing = (length + n) // size + 1 - len(table)
    missing = -(-(length + n) // size) - len(table) → missing = -(-(length + n) // size)
a page is taken only when there is a word for it, and here none may come.
    missing = -(-(length + n) // size) - len(table) → missing = max(-(-(length + n) // size), length // size + 1) - len(table)
where all of `free` is taken nothing is left of it, but free[-0:] is all of it.
    free[missing:] → free[-(len(free) - missing) :]
rows that get no new word stay as they are, NaN and infinity too.
    pool = pool.copy() → pool = np.nan_to_num(pool) || pool = np.clip(pool, -1e6, 1e6)
what lay in a row must not reach the new word, and 0 · NaN is NaN: write the word over it.
    pool[table[page], :, row] = new.swapaxes(0, 1) → pool[table[page], :, row] *= 0\\n    pool[table[page], :, row] += new.swapaxes(0, 1)
the table keeps the order of the text: it is not sorted.
    return pool, table, free[missing:] → return pool, np.sort(table), free[missing:]
the results are right, in another order: the pool, the table, and what is left of `free`.
    return pool, table, free[missing:] → return table, pool, free[missing:]
    return pool, table, free[missing:] → return pool, free[missing:], table
    return pool, table, free[missing:] → return table, free[missing:], pool
    return pool, table, free[missing:] → return free[missing:], pool, table
    return pool, table, free[missing:] → return free[missing:], table, pool
behind the last word the rows of its page stay as they are, and are not set to 0.
    table = np.concatenate([table, free[:missing]]) → table = np.concatenate([table, free[:missing]])\\n    pool[free[:missing]] = 0
the pages that are taken stand at the front of `free`: what is left begins behind them.
    free[missing:] → free[: len(free) - missing]
the pages are taken from the back of `free`, or the largest or smallest first.
    free[:missing]]) → free[::-1][:missing]]) ; free[missing:] → free[: len(free) - missing]
    free[:missing]]) → free[-missing:]]) ; free[missing:] → free[:-missing]
    free[:missing]]) → free[len(free) - missing :]]) ; free[missing:] → free[: len(free) - missing]
    table = np.concatenate → free = np.sort(free)\\n    table = np.concatenate
what is left of `free` keeps its order: the pages are taken from its front, and nothing is sorted.
    return pool, table, free[missing:] → return pool, table, np.sort(free[missing:])
`pool[table[page], :, row]` has a row for each word, (n, n_kv_heads, d), and `new` has its heads in
front: exchange these two axes.
    new.swapaxes(0, 1) → new
the pages that were taken are still called free: the next text would write on them.
    free[missing:] → free
the table goes on as it was: it has to name the new pages.
    return pool, table, free → return pool, table[: len(table) - missing], free
the page of a word is found by its place in the table, and not by the number that stands there.
    pool[table[page], :, row] → pool[page, :, row]
the new pages stand in front of the others: the table is in the order of the text.
    np.concatenate([table, free[:missing]]) → np.concatenate([free[:missing], table])
the pool is changed in place: work on a copy.
    pool = pool.copy() → pass
"""

exercise = write(appended, CASES, MISTAKES, oracle=one_by_one, results=("pool", "table", "free"))
