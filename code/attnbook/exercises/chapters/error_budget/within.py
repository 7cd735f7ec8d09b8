"""A test that is not fooled · medium · 10 min

Hints
1. The budget of an entry is u |exact| + inside: every entry has its own.
2. What is NaN <= 1, and what is NaN > 1? Try both.
3. Ask whether all entries are within, and not whether any is beyond.

Why
Each error is compared with the budget of its own entry. Every comparison with NaN is false, so that
`all(error <= budget)` refuses a NaN by itself, and so does it refuse ∞.

Notice
`not any(error > budget)` looks like the same test, and accepts an output of nothing but NaN. Such a
test had better be tried on one.
"""

import math
from fractions import Fraction

import numpy as np

from attnbook.exercises.engine import case, stress, write


def within(out, exact, u, inside):
    """Whether |out − exact| ≤ u |exact| + inside everywhere."""
    error = np.abs(out - exact)
    return bool(np.all(error <= u * np.abs(exact) + inside))


def nothing_beyond(out, exact, u, inside):
    error = np.abs(out - exact)
    return not np.any(error > u * np.abs(exact) + inside)


def entry_by_entry(out, exact, u, inside):
    """The same in fractions, where nothing is rounded."""
    for got, want in zip(out.ravel().tolist(), exact.ravel().tolist(), strict=True):
        if not math.isfinite(got):
            return False
        budget = Fraction(u) * abs(Fraction(want)) + Fraction(inside)
        if abs(Fraction(got) - Fraction(want)) > budget:
            return False
    return True


def one(out, exact, u, inside, gives):
    arrays = {"out": np.array(out, float), "exact": np.array(exact, float)}
    return arrays | {"u": u, "inside": inside, "gives": gives}


NAN, INF = np.nan, np.inf

CASES = (
    case(**one([4.0], [4.0], 0.25, 0.5, True)),
    case(**one([6.0], [4.0], 0.25, 0.5, False)),
    case(**one([4.9], [4.0], 0.25, 0.5, True)),
    case(**one([5.05], [4.0], 0.25, 0.5, True)),
    case(**one([2.8], [4.0], 0.25, 0.5, True)),
    case(**one([0.3], [0.0], 0.25, 0.5, True)),
    case(**one([5.5], [4.0], 0.25, 0.5, True)),
    case(**one([2.5, -5.5], [4.0, -4.0], 0.25, 0.5, True)),
    case(**one([5.4, 1.0], [4.0, 0.0], 0.25, 0.5, False)),
    case(**one([4.0, -0.5], [4.0, 0.5], 0.25, 0.5, False)),
    case(**one([[0.5, 8.0], [4.0, 2.0]], [[0.0, 8.0], [4.0, 2.0]], 0.25, 0.5, True)),
    case(**one([[0.5, 8.0], [4.0, 3.1]], [[0.0, 8.0], [4.0, 2.0]], 0.25, 0.5, False)),
    case(**one([5.25, 8.0], [4.0, 8.0], 0.25, 0.0, False)),
    case(**one([4.75], [4.0], 0.0, 0.5, False)),
    stress(**one([NAN], [4.0], 0.25, 0.5, False)),
    stress(**one([4.0, NAN], [4.0, 4.0], 0.25, 0.5, False)),
    stress(**one([INF], [4.0], 0.25, 0.5, False)),
    stress(**one([-INF, 4.0], [4.0, 4.0], 0.25, 0.5, False)),
)

MISTAKES = """
a NaN is accepted: every comparison with NaN is false, so nothing is beyond the budget. Ask whether
all entries are within.
    = nothing_beyond(out, exact, u, inside)
    = bool(np.nanmax(np.abs(out - exact) - u * np.abs(exact) - inside) <= 0)
    = bool(np.all(np.nan_to_num(np.abs(out - exact)) <= u * np.abs(exact) + inside))
one entry within its budget is enough here; every entry has to be.
    np.all → np.any
the sign of the error counts here, so that a result which is too small always passes.
    np.abs(out - exact) → out - exact
the sign of the exact output counts here: the budget of a negative entry is too small.
    u * np.abs(exact) → u * exact
an entry that uses up its budget exactly is accepted: ≤, not <.
    error <= u → error < u
the largest error is compared with the largest budget; every entry has a budget of its own.
    = bool(np.max(np.abs(out - exact)) <= u * np.max(np.abs(exact)) + inside)
    = bool(np.max(np.abs(out - exact)) <= np.max(u * np.abs(exact) + inside))
this is an average over the entries, in which a good entry makes up for a bad one.
    = bool(np.mean(np.abs(out - exact)) <= np.mean(u * np.abs(exact) + inside))
the last rounding is missing: u |exact| belongs to the budget.
    u * np.abs(exact) + inside → inside
what is lost inside is missing: the number `inside` belongs to every entry's budget.
    u * np.abs(exact) + inside → u * np.abs(exact)
the larger of the two parts is taken; both may be used up, so they are added.
    u * np.abs(exact) + inside → np.maximum(u * np.abs(exact), inside)
the budget is made of what is judged; a wrong output makes itself a budget that fits.
    u * np.abs(exact) → u * np.abs(out)
here u counts for the error inside, too: it belongs to |exact| alone.
    u * np.abs(exact) + inside → u * (np.abs(exact) + inside)
"""

exercise = write(within, CASES, MISTAKES, drafts=(nothing_beyond,), oracle=entry_by_entry)
