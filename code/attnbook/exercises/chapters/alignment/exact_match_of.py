"""Exact match for texts of any length · medium · 10 min

Hints
1. `found == wanted` says of each symbol whether it is right. Which of these may not count?
2. torch.arange(n) < lens[:, None] is True where a symbol counts.
3. A symbol is fine if it is right or doesn't count. Then ask for all of a row, and average the
   rows.

Why
Behind the length everything counts as right, so `all` asks only for the symbols that count, and of
none it is True. The mean of booleans as float64 is the fraction of rows.

Notice
A mask of padding again, in a metric this time: who forgets it there punishes short texts for what
nobody reads.
"""

import numpy as np
import torch

from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import on_tensors


def exact_match_of(found, wanted, lens):
    """The fraction of rows that are right in their first lens symbols."""
    counts = torch.arange(found.shape[1]) < lens[:, None]
    fine = (found == wanted) | ~counts
    return fine.all(dim=1).double().mean()


def in_loops(found, wanted, lens):
    """Row by row, as far as each row counts."""
    rows = zip(found, wanted, lens, strict=True)
    return np.array(np.mean([f[:n].tolist() == w[:n].tolist() for f, w, n in rows]))


rng = np.random.default_rng(3)


def drawn(rows, n, most):
    """Rows of few kinds of symbols, so that some are right, wrong, and wrong behind their end."""
    wanted = rng.integers(0, 3, (rows, n))
    found = np.where(rng.random((rows, n)) < 0.25, (wanted + 1) % 3, wanted)
    return {"found": found, "wanted": wanted, "lens": rng.integers(1, most + 1, rows)}


def whole(*rows):
    return np.array(rows)


LONG = np.arange(200)[None]
ONE_WRONG = np.where(LONG == 150, 0, LONG)
CASES = (
    case(found=whole([1, 2]), wanted=whole([1, 2]), lens=whole(2), gives=np.array(1.0)),
    case(found=whole([1, 2]), wanted=whole([1, 0]), lens=whole(2), gives=np.array(0.0)),
    case(found=whole([1, 2]), wanted=whole([1, 0]), lens=whole(1), gives=np.array(1.0)),
    case(
        found=whole([1, 2, 3], [1, 2, 3], [0, 0, 0], [5, 6, 7]),
        wanted=whole([1, 2, 0], [0, 2, 3], [0, 0, 0], [5, 0, 7]),
        lens=whole(2, 3, 3, 2),
        gives=np.array(0.5),
    ),
    case(
        found=whole([2, 1], [0, 3], [1, 4], [1, 2]),
        wanted=whole([1, 2], [1, 2], [2, 2], [1, 2]),
        lens=whole(2, 2, 2, 2),
        gives=np.array(0.25),
    ),
    case(found=whole([0, 2]), wanted=whole([1, 2]), lens=whole(2), gives=np.array(0.0)),
    case(found=whole([1, 23]), wanted=whole([12, 3]), lens=whole(2), gives=np.array(0.0)),
    case(
        found=whole([5, 1], [1, 2], [256, 3], [100_000, 4], [2**24 + 1, 5]),
        wanted=whole([5, 1], [3, 4], [0, 3], [100_001, 4], [2**24, 5]),
        lens=whole(2, 2, 2, 2, 2),
        gives=np.array(0.2),
    ),
    case(**drawn(8, 4, 4)),
    case(**{name: np.asfortranarray(x) for name, x in drawn(6, 4, 4).items()}),
    case(**drawn(5, 7, 3)),
    case(**drawn(40, 3, 3)),
    stress(found=whole([1, 2]), wanted=whole([0, 0]), lens=whole(0), gives=np.array(1.0)),
    stress(found=whole([9, 0], [1, 1]), wanted=whole([0, 9], [1, 1]), lens=whole(0, 2)),
    stress(found=LONG, wanted=ONE_WRONG, lens=whole(200), gives=np.array(0.0)),
)

MISTAKES = """
that is the fraction of symbols; a row is right only if all its symbols are.
    fine.all(dim=1).double().mean() → fine.double().mean()
    fine.all(dim=1).double().mean() → (fine & counts).sum().double() / counts.sum()
    fine.all(dim=1).double().mean() → ((fine & counts).sum(dim=1).double() / lens).mean()
    fine.all(dim=1).double().mean() → ((fine & counts).sum(dim=1).double() / lens.clamp(min=1)).mean()
what stands behind the length of a row doesn't count, and must not make it wrong.
    fine = (found == wanted) | ~counts → fine = found == wanted
    fine = (found == wanted) | ~counts → fine = (found == wanted) & counts
    fine.all(dim=1) → ((found == wanted).sum(dim=1) == lens)
a right symbol behind the end of a row makes up for no wrong one in it.
    fine.all(dim=1) → ((found == wanted).sum(dim=1) >= lens)
0 is a symbol like any other: which symbols count is for lens alone to say.
    torch.arange(found.shape[1]) < lens[:, None] → wanted != 0
    (found == wanted) | ~counts → (found == wanted) | ~counts | (wanted == 0)
    (found == wanted) | ~counts → (found == wanted) | ~counts | (found == 0)
    fine = (found == wanted) | ~counts → fine = (found == wanted) | (wanted == 0)
a row of length 0 has no symbol that could be wrong, so it is right.
    fine.all(dim=1) → (fine.all(dim=1) & (lens > 0)) || fine.all(dim=1)[lens > 0]
two differences can cancel in a sum: compare symbol by symbol.
    fine.all(dim=1) → (((found - wanted) * counts).sum(dim=1) == 0)
    fine.all(dim=1) → ((found * counts).sum(dim=1) == (wanted * counts).sum(dim=1))
the right symbols in another order are not right: compare them as they stand.
    (found == wanted) | ~counts → found.masked_fill(~counts, 99).sort(dim=1)[0] == wanted.masked_fill(~counts, 99).sort(dim=1)[0]
one right symbol doesn't make a row right: it needs all that count.
    fine.all(dim=1) → (fine & counts).any(dim=1)
symbol number lens stands behind the end already: compare with <.
    < lens → <= lens
the last symbol that counts is number lens − 1: compare with < lens.
    < lens[:, None] → < lens[:, None] - 1
the rows are counted, not averaged.
    .mean() → .sum()
that is in percent; the fraction lies between 0 and 1.
    .mean() → .mean() * 100
each row has the same weight in the mean, however long it is.
    return fine.all(dim=1).double().mean() → return (fine.all(dim=1) * lens).sum().double() / lens.sum()
a row counts from its beginning: what doesn't count stands at the end.
    torch.arange(found.shape[1]) < lens[:, None] → torch.arange(found.shape[1]) >= found.shape[1] - lens[:, None]
the last symbol alone doesn't make a row right: it needs all that count.
    fine.all(dim=1) → (found == wanted).gather(1, (lens - 1).clamp(min=0)[:, None])
symbols are numbers, and equal only if they are the same: compare with ==.
    (found == wanted) → torch.isclose(found.double(), wanted.double(), rtol=1e-2)
    (found == wanted) → torch.isclose(found.double(), wanted.double())
    (found == wanted) → (found.float() == wanted.float())
dim=0 goes down the rows: ask for all symbols of a row, with dim=1.
    all(dim=1) → all(dim=0)
all rows have to be right here: it is the fraction of rows that is asked for.
    fine.all(dim=1) → fine.all()
the lengths are each row's own.
    lens[:, None] → lens.max()
    lens[:, None] → lens.min()
    lens[:, None] → lens[0]
"""

exercise = write(exact_match_of, CASES, MISTAKES, oracle=in_loops, through=on_tensors)
