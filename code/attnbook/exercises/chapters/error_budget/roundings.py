"""How many roundings? · medium · 6 min

Hints
1. A weighted average of numbers, each wrong by at most e, is wrong by at most e.
2. What is stored gets one more rounding.
3. If parts are merged one after another, how often is what came from the first one stored again?

Why
A merge is a weighted average, so its error is at most the largest error that goes in, and storing
it adds one u. Parts that are merged at once cost 1 + 1, however many they are. One after another,
each merge adds one u to what came in, so the first part's u and seven merges make 8.

Notice
This is why a running output is kept in float32, and rounded when all is merged.
"""

from attnbook.exercises.engine import predict


def roundings():
    """By how many u the last of some stored outputs can be wrong, in four schemes."""
    in_turn = 1
    for _ in range(7):
        in_turn = max(in_turn, 1) + 1  # an average of both, rounded
    return [1, max(1, 1) + 1, max([1] * 8) + 1, in_turn]


MISTAKES = """
errors are averaged, not added, and each merge adds one u.
    [1, 3, 9, 15] || [1, 3, 9, 8] || [1, 2, 9, 8] || [1, 3, 3, 8] || [1, 2, 2, 15]
merging all parts at once costs one rounding more, and not three or seven.
    [1, 2, 8, 8] || [1, 2, 4, 8]
the parts are stored as well, before they are merged: each has an error of its own.
    [1, 1, 1, 1] || [1, 1, 1, 8]
the running output is stored seven times, and the first part was stored once before: 1 + 7.
    [1, 2, 2, 2] || [1, 2, 2, 4] || [1, 2, 2, 7] || [1, 2, 2, 9]
sums in float32 count as exact here: only what is stored is rounded.
    [2, 3, 3, 9]
what is stored last, and the first output, is rounded too.
    [1, 1, 1, 7] || [0, 1, 1, 7]
"""

exercise = predict(roundings, MISTAKES, stated=[1, 2, 2, 8])
