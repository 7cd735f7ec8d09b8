r"""What is accepted · easy · 6 min

Hints
1. A proposed word x is kept in min(p(x), q(x)) of all cases. Add that up.
2. What p has above q is 0.2 for the first word and 0.15 for the second: the residual is that,
   divided by its sum.
3. The second guess is looked at only if the first was kept, and so on; one more word comes for free.
4. The first word is written when it was guessed and kept, in q(0) · min(1, p(0)/q(0)) of all cases,
   and when a guess is rejected and p draws it.

Why
Kept are 0.4 + 0.15 + 0.1 = 0.65. The residual is (0.2, 0.15, 0)/0.35. A pass writes
$1 + 0.65 + 0.65^2 + 0.65^3 = 2.347$ words. With replacements from p the first word would be written
in 0.4 + 0.35 · 0.6 = 0.61 of all cases.

Notice
What is accepted and what the residual adds up to before it is divided are 1 together.
"""

import numpy as np

from attnbook.exercises.engine import predict


def accepted():
    """The fraction kept, the residual of word 0, the words of a pass, word 0 if drawn from p."""
    p, q = np.array([0.6, 0.3, 0.1]), np.array([0.4, 0.15, 0.45])
    kept = 1 - np.abs(p - q).sum() / 2
    residual = (p[0] - q[0]) / (1 - kept)
    words = 1 + kept + kept**2 + kept**3
    return [kept, residual, words, q[0] + (1 - kept) * p[0]]


MISTAKES = """
this is the probability that two words drawn on their own, one from p and one from q, are the same:
a guess is kept more often than that.
    at 0: 0.6 * 0.4 + 0.3 * 0.15 + 0.1 * 0.45
this is how often a guess is rejected: the question is how often it is kept.
    at 0: 0.35
the acceptance of each word counts as often as the draft proposes it: weigh it by q.
    at 0: (1 + 1 + 0.1 / 0.45) / 3 || 1 + 1 + 0.1 / 0.45
the parts of p above q have to be divided by their sum, 0.35.
    at 1: 0.2
the residual is what p has above q, not p itself: what was kept is not missing any more.
    at 1: 0.6 || 0.6 / 0.9
the other way round: the residual is what p has above q.
    at 1: 0
the target writes one word more behind the guesses that are kept, or instead of the one that is not.
    at 2: 0.65 + 0.65**2 + 0.65**3 || 3 * 0.65
a guess is looked at only if all before it were kept: its powers are added.
    at 2: 1 + 3 * 0.65
with three guesses the highest power is 3.
    at 2: 1 + 0.65 + 0.65**2 || 1 + 0.65 + 0.65**2 + 0.65**3 + 0.65**4
this is right with the residual, 0.6: here the replacement comes from p.
    at 3: 0.6
a rejected guess is replaced by a draw from p, which is the first word at times: add these cases.
    at 3: 0.4
only what is rejected is drawn from p: 0.35 of all cases.
    at 3: 0.4 + 0.6 || 0.4 + 0.65 * 0.6
"""

exercise = predict(accepted, MISTAKES, stated=[0.65, 0.571, 2.347, 0.61], atol=0.006)
