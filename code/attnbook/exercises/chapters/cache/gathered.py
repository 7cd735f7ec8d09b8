"""Project, step 2: read by the table · medium · 10 min

Hints
1. pool[table] has the pages of the text, in its order: (pages, n_kv_heads, size, d).
2. The heads should come first, and behind them the pages and the rows, side by side.
3. Two axes that stand side by side become one by reshape. What is behind the last word is cut off
   at the end.

Why
Indexing with the table puts the pages in the order of the text. Once the heads stand in front, a
page and its rows are neighbours, and reshape counts them through: word p is row p mod size of
page p // size.

Notice
Without the swap, reshape would put the heads of one page between its words and those of the next.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def gathered(pool, table, length):
    """Pages in the order of the table, heads in front, cut after the last word."""
    pages = pool[table].swapaxes(0, 1)
    rows = pages.reshape(pool.shape[1], len(table) * pool.shape[2], pool.shape[3])
    return rows[:, :length]


def by_words(pool, table, length):
    pages, rows = np.divmod(np.arange(length), pool.shape[2])
    return pool[table[pages], :, rows].swapaxes(0, 1)


def one_by_one(pool, table, length):
    _, heads, size, d = pool.shape
    out = np.empty((heads, length, d), pool.dtype)
    for head, p in np.ndindex(heads, length):
        out[head, p] = pool[table[p // size], head, p % size]
    return out


rng = np.random.default_rng(3)


def drawn(n_pages, heads, size, d, table, length, dtype=np.float64):
    pool = rng.standard_normal((n_pages, heads, size, d)).astype(dtype)
    return {"pool": pool, "table": np.array(table, dtype=np.int64), "length": length}


def numbered(n_pages, heads, size, table, length):
    pool = np.arange(1.0, n_pages * heads * size + 1).reshape(n_pages, heads, size, 1)
    return {"pool": pool, "table": np.array(table), "length": length}


def beside_nan(n_pages, heads, size, d, table, length):
    """An infinite key in the text, and NaN wherever no word of it lies."""
    case = drawn(n_pages, heads, size, d, table, length)
    pages, rows = np.divmod(np.arange(length), size)
    pool = np.full_like(case["pool"], np.nan)
    own = case["table"][pages], slice(None), rows
    pool[own] = case["pool"][own]
    pool[table[0], 0, 0, 0] = np.inf
    return case | {"pool": pool}


def not_contiguous(heads, n_pages, size, d, table, length):
    case = drawn(heads, n_pages, size, d, table, length)
    return case | {"pool": case["pool"].swapaxes(0, 1)}


CASES = (
    case(**numbered(2, 1, 1, [1, 0], 2), gives=np.array([[[2.0], [1.0]]])),
    case(**numbered(2, 1, 2, [1], 1)),
    case(**numbered(3, 1, 2, [2, 0], 3)),
    case(**numbered(3, 2, 2, [2, 0], 4)),
    case(**drawn(5, 2, 3, 2, [4, 1, 2], 7)),
    case(**drawn(5, 3, 2, 4, [0, 4, 2], 5)),
    case(**drawn(4, 2, 4, 3, [3, 1, 0], 5)),
    case(**drawn(6, 1, 1, 2, [5, 3, 1, 0], 4)),
    case(**drawn(4, 2, 3, 2, [2], 0)),
    case(**beside_nan(5, 2, 3, 2, [3, 1], 4)),
    stress(**drawn(5, 2, 3, 2, [4, 1, 2], 7, np.float32)),
    stress(**not_contiguous(3, 5, 2, 2, [4, 1, 2], 5)),
)

MISTAKES = """
the heads stand between the pages and the rows: bring them to the front before the rows of all pages
become one axis.
    pool[table].swapaxes(0, 1) → pool[table]
the text is not cut at its last word: behind it lies what others have left.
    return rows[:, :length] → return rows
    pool[table] → pool[table[: -(-length // pool.shape[2])]] ; len(table) * pool.shape[2] → -1 ; return rows[:, :length] → return rows
the text lies on the pages that its table names, in that order.
    pool[table] → pool[: len(table)] || pool[np.sort(table)] || pool[table[::-1]]
the last words are cut off, or the first: `length` words from the first on are the text.
    rows[:, :length] → rows[:, rows.shape[1] - length :] || rows[:, : length - 1] || rows[:, : length + 1]
pages of others may hold anything, and 0 · NaN is NaN: pick pages by index, not by a product with 0.
    pool[table] → np.tensordot(np.eye(len(pool), dtype=pool.dtype)[table], pool, 1)
a key that is infinite, or NaN, is read as it lies there.
    return rows[:, :length] → return np.nan_to_num(rows[:, :length])
full pages alone are read: the last page counts up to the last word.
    rows[:, :length] → rows[:, : length // pool.shape[2] * pool.shape[2]]
the words of a page are spread over the text: a page has neighbouring words, one after the other.
    pool[table].swapaxes(0, 1) → pool[table].transpose(1, 2, 0, 3)
the result has the words in front of the heads.
    return rows[:, :length] → return rows[:, :length].swapaxes(0, 1)
"""

exercise = write(gathered, CASES, MISTAKES, drafts=(by_words,), oracle=one_by_one)
