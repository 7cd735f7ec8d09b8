"""3. How many roundings? · medium · 6 min

Hints
1. A weighted average of numbers, each wrong by at most e, is wrong by at most e.
2. What is stored gets one more rounding.
3. In turn: how often is the first part's output stored again?

Why
A merge is a weighted average, so its error is at most the largest error that goes in, and storing
it adds one u. Parts side by side cost 1 + 1, however many they are. In turn, each merge adds one to
what came in: 1 and seven merges are 8.

Notice
This is why a running output is kept in float32, and rounded when all is merged.
"""

from attnbook.exercises.engine.module import predict


def roundings():
    """By how many u the last of some stored outputs can be wrong, in four schemes."""
    in_turn = 1
    for _ in range(7):
        in_turn = max(in_turn, 1) + 1  # an average of both, rounded
    return [1, max(1, 1) + 1, max([1] * 8) + 1, in_turn]


MISTAKES = """
errors are averaged, not added, and then one u comes on.
    [1, 3, 9, 15]
a merge averages the errors of its parts: they do not add.
    [1, 3, 9, 8]
eight parts at once are rounded once more, not seven times.
    [1, 2, 8, 8]
eight errors of one u average to at most one u, and 1 more.
    [1, 2, 9, 8]
the parts are stored as well: each has an error of its own.
    [1, 1, 1, 1]
in turn the running output is stored, and rounded, each time.
    [1, 2, 2, 2]
the parts are stored as well, before they are merged.
    [1, 1, 1, 8]
two errors of one u average to at most one u, and 1 more.
    [1, 3, 3, 8]
merged at once is one more rounding, and not three in pairs.
    [1, 2, 4, 8]
in turn means one part after the other, seven times: not in pairs.
    [1, 2, 2, 4]
a merge averages the running error with a part's one u, and adds one u, not two.
    [1, 2, 2, 15]
sums in float32 count as exact here: only what is stored is rounded.
    [2, 3, 3, 9]
the last output is stored too: that is one rounding more.
    [1, 1, 1, 7]
seven merges, and the first part was stored before them: 8.
    [1, 2, 2, 7]
eight parts need seven merges: 1 + 7.
    [1, 2, 2, 9]
storing the first output is a rounding too.
    [0, 1, 1, 7]
"""

exercise = predict(roundings, MISTAKES, stated=[1, 2, 2, 8])
