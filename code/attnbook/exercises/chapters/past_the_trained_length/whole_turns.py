"""Whole turns · easy · 6 min

Hints
1. With 16 pairs, θ_m is the base to the power −m/16. For the base 10,000 that is 10^(−m/4).
2. 512 θ_m ≥ 2π means θ_m ≥ 0.01227, the 81.5th part of 1. Up to which m is 10^(m/4) at most 81.5?
3. In the second case the text is four times as long and each frequency a quarter.

Why
Within 512 words pair 0 makes 512/2π = 81.5 turns, and pair m makes 81.5 · 10^(−m/4): 1.45 for m = 7
and 0.81 for m = 8. So pairs 0 to 7 make a whole turn, 8 pairs. In the second case four times as
many words meet a quarter of each frequency, so every angle is what it was: 8 again. With the base
1,000,000 the turns are 81.5 · 10^(−3m/8): 1.09 for m = 5 and 0.46 for m = 6, so 6 pairs.

Notice
Interpolation keeps every pair within the angles of training, and a larger base sends fewer pairs
round. Neither teaches a pair an angle that it has never seen.
"""

from attnbook.exercises.engine import predict


def whole_turns():
    """Pairs 0 to 7; the same, since interpolation keeps the angles; and pairs 0 to 5."""
    return [8, 8, 6]


MISTAKES = """
in the first case the last pair to make a whole turn is pair 7, and pairs are counted from 0.
    at 0: 7
in the first case pair 8 makes only 0.81 of a turn.
    at 0: 9
within 256 words seven pairs make a whole turn; here the text has 512.
    [7, 7, 6]
in the first case a whole turn is 2π radians, not 1.
    at 0: 11
in the second case the text is four times as long, but every frequency is a quarter of what it was.
    at 1: 10
    at 1: 11
    at 1: 12
in the second case the frequencies are divided by 4, but the text is four times as long, too.
    at 1: 5
    at 1: 6
in the third case the last pair to make a whole turn is pair 5, and pairs are counted from 0.
    at 2: 5
in the third case a larger base makes every pair but the first slower, so fewer make a whole turn.
    at 2: 8
    at 2: 12
in the third case pair 6 makes only 0.46 of a turn.
    at 2: 7
"""

exercise = predict(whole_turns, MISTAKES, stated=[8, 8, 6])
