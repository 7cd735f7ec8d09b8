"""A test that is not fooled · medium · 10 min

Hints
1. A rounded weight costs u times the average of |v|, and the last rounding u |exact|.
2. The outputs of the halves may cancel in the merge. By how much is their weighted average off?
3. What is NaN <= 1, and what is NaN > 1? Try both.

Why
Rounded weights cost u · average. Each half's output is off by u times its own size, which is at
most the average of |v| over that half; the merge averages the two, so they cost u · average again,
even where they cancel. The last rounding costs u |exact|. Every comparison with NaN is false, so
that `all(error <= budget)` refuses a NaN by itself, and so does it refuse ∞.

Notice
Weights and partial outputs cost u · average each where they are stored. And `not any(error >
budget)` looks like the same test, but accepts an output of nothing but NaN.
"""

import math
from fractions import Fraction

import numpy as np

from attnbook.exercises.engine import case, stress, write


def within(out, exact, average, u, inside):
    """Whether |out − exact| ≤ u (|exact| + 2 average) + inside everywhere."""
    budget = u * (np.abs(exact) + 2 * average) + inside
    return bool(np.all(np.abs(out - exact) <= budget))


def nothing_beyond(out, exact, average, u, inside):
    budget = u * (np.abs(exact) + 2 * average) + inside
    return not np.any(np.abs(out - exact) > budget)


def entry_by_entry(out, exact, average, u, inside):
    """The same in fractions, where nothing is rounded."""
    entries = (x.ravel().tolist() for x in (out, exact, average))
    for got, want, mean in zip(*entries, strict=True):
        if not math.isfinite(got):
            return False
        budget = Fraction(u) * (abs(Fraction(want)) + 2 * Fraction(mean)) + Fraction(inside)
        if abs(Fraction(got) - Fraction(want)) > budget:
            return False
    return True


def one(out, exact, average, u, inside, gives):
    each = {"out": out, "exact": exact, "average": average}
    arrays = {name: np.array(x, float) for name, x in each.items()}
    return arrays | {"u": u, "inside": inside, "gives": gives}


NAN, INF = np.nan, np.inf

CASES = (
    case(**one([4.0], [4.0], [6.0], 0.25, 0.5, True)),
    case(**one([9.0], [4.0], [6.0], 0.25, 0.5, False)),
    case(**one([8.4], [4.0], [6.0], 0.25, 0.5, True)),
    case(**one([-0.4], [4.0], [6.0], 0.25, 0.5, True)),
    case(**one([1.9], [0.0], [4.0], 0.25, 0.0, True)),
    case(**one([0.9], [0.0], [4.0], 0.25, 0.0, True)),
    case(**one([2.5], [0.0], [4.0], 0.25, 0.0, False)),
    case(**one([6.9], [4.0], [4.0], 0.25, 0.0, True)),
    case(**one([5.9], [4.0], [4.0], 0.25, 0.0, True)),
    case(**one([7.5], [4.0], [4.0], 0.25, 0.0, False)),
    case(**one([0.4], [0.0], [0.0], 0.25, 0.5, True)),
    case(**one([0.1], [0.0], [0.0], 0.25, 0.5, True)),
    case(**one([8.5], [4.0], [6.0], 0.25, 0.5, True)),
    case(**one([8.4, -8.4], [4.0, -4.0], [6.0, 6.0], 0.25, 0.5, True)),
    case(**one([8.4, 1.5], [4.0, 0.0], [6.0, 1.0], 0.25, 0.5, False)),
    case(**one([4.0, 1.5], [4.0, 0.0], [6.0, 1.0], 0.25, 0.5, False)),
    case(**one([4.0, -1.0], [4.0, 4.0], [6.0, 6.0], 0.25, 0.5, False)),
    case(**one([[0.5], [2.0]], [[0.0], [2.0]], [[1.0], [3.0]], 0.25, 0.5, True)),
    case(**one([[0.5, 8.0], [4.0, 5.0]], [[0, 8], [4, 2]], [[1, 8], [4, 3]], 0.25, 0.5, False)),
    case(**one([8.25, 8.0], [4.0, 8.0], [6.0, 8.0], 0.25, 0.0, False)),
    case(**one([4.75], [4.0], [6.0], 0.0, 0.5, False)),
    stress(**one([NAN], [4.0], [6.0], 0.25, 0.5, False)),
    stress(**one([4.0, NAN], [4.0, 4.0], [6.0, 6.0], 0.25, 0.5, False)),
    stress(**one([INF], [4.0], [6.0], 0.25, 0.5, False)),
    stress(**one([-INF, 4.0], [4.0, 4.0], [6.0, 6.0], 0.25, 0.5, False)),
)

MISTAKES = """
a NaN is accepted: every comparison with NaN is false, so nothing is beyond the budget. Ask whether
all entries are within.
    = nothing_beyond(out, exact, average, u, inside)
    np.all(np.abs(out - exact) <= budget) → np.nanmax(np.abs(out - exact) - budget) <= 0
    np.all(np.abs(out - exact) → np.all(np.nan_to_num(np.abs(out - exact))
one entry within its budget is enough here; every entry has to be.
    np.all → np.any
the sign of the error counts here, so that a result which is too small always passes.
    np.abs(out - exact) → out - exact
the sign of the exact output counts here: the budget of a negative entry is too small.
    np.abs(exact) + 2 → exact + 2
an entry that uses up its budget exactly is accepted: ≤, not <.
    <= budget → < budget
the largest error is compared with the largest budget; every entry has a budget of its own.
    np.all(np.abs(out - exact) <= budget) → np.max(np.abs(out - exact)) <= np.max(budget)
this is an average over the entries, in which a good entry makes up for a bad one.
    np.all(np.abs(out - exact) <= budget) → np.mean(np.abs(out - exact)) <= np.mean(budget)
one of the two roundings before the last is missing: rounded weights cost u · average, and so do the
stored outputs of the halves.
    2 * average → average
the halves' outputs may cancel in the merge, so what their rounding costs isn't bounded by u |exact|.
    np.abs(exact) + 2 * average → 2 * np.abs(exact) + average
    np.abs(exact) + 2 * average → 3 * np.abs(exact)
the last rounding is a fraction of the output itself, and costs u |exact|, not u · average.
    np.abs(exact) + 2 * average → 3 * average
the halves are averaged, so that their errors count once together, and not once each.
    2 * average → 3 * average
the last rounding is missing: u |exact| belongs to the budget.
    np.abs(exact) + 2 * average → 2 * average
the two roundings before the last are missing: this budget allows only for the last.
    np.abs(exact) + 2 * average → np.abs(exact)
what is lost inside is missing: the number `inside` belongs to every entry's budget.
    2 * average) + inside → 2 * average)
the larger of the two parts is taken; both may be used up, so they are added.
    u * (np.abs(exact) + 2 * average) + inside → np.maximum(u * (np.abs(exact) + 2 * average), inside)
the budget is made of what is judged; a wrong output makes itself a budget that fits.
    np.abs(exact) + 2 → np.abs(out) + 2
here u counts for the error inside, too: it belongs to |exact| and the average alone.
    2 * average) + inside → 2 * average + inside)
"""

exercise = write(within, CASES, MISTAKES, drafts=(nothing_beyond,), oracle=entry_by_entry)
