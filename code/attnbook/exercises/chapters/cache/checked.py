r"""Check one guess · medium · 12 min

Hints
1. u < min(1, p/q) is u < p/q, since u is below 1. Without a division: u · q < p.
2. What p has above q is np.maximum(p - q, 0). It is a distribution once it is divided by its sum.
3. np.cumsum adds up from the left. You want the first word at which the sum is above w.
4. np.argmax of booleans is the place of the first True.

Why
The guess x is written with the probability q(x) · min(1, p(x)/q(x)) = min(p(x), q(x)), and every
other way leads through a rejection, which has the probability Σ max(p − q, 0). With that the
residual is multiplied, and what comes out is max(p(x) − q(x), 0): together p(x).

Notice
A random number below 1 and a running sum are all that it takes to draw from any distribution. But if
the residual is divided first, its running sum may end a rounding below 1, and below w; w times the
last sum never exceeds it.
"""

from fractions import Fraction

import numpy as np

from attnbook.exercises.engine import case, stress, write


def checked(p, q, guess, u, w):
    """The guess with probability min(1, p/q); else a word from the normalised max(p - q, 0)."""
    if u * q[guess] < p[guess]:
        return guess
    running = np.cumsum(np.maximum(p - q, 0))
    return int(np.argmax(running > w * running[-1]))


def divided(p, q, guess, u, w):
    if u < min(1, p[guess] / q[guess]):
        return guess
    excess = np.maximum(p - q, 0)
    running = np.cumsum(excess)
    return int(np.argmax(running / running[-1] > w))


def sorted_in(p, q, guess, u, w):
    if u < p[guess] / q[guess]:
        return guess
    excess = np.maximum(p - q, 0)
    running = np.cumsum(excess)
    return int(np.searchsorted(running / running[-1], w, side="right"))


def running_residual(p, q):
    excess = np.maximum(p - q, 0)
    return np.cumsum(excess / excess.sum())


def first_or_word_0(p, q, guess, u, w):
    return guess if u * q[guess] < p[guess] else int(np.argmax(running_residual(p, q) > w))


def first_or_word_n(p, q, guess, u, w):
    return guess if u * q[guess] < p[guess] else int(np.sum(running_residual(p, q) <= w))


def first_or_last_word(p, q, guess, u, w):
    return min(first_or_word_n(p, q, guess, u, w), len(p) - 1)


def word_by_word(p, q, guess, u, w):
    """In fractions, from the left, each word taking its part of the line from 0 to 1."""
    exact = lambda x: Fraction(float(x))  # noqa: E731
    if exact(u) < exact(p[guess]) / exact(q[guess]):
        return guess
    missing = [max(exact(x) - exact(y), Fraction(0)) for x, y in zip(p, q, strict=True)]
    left = exact(w) * sum(missing)
    for word, part in enumerate(missing):
        if left < part:
            return word
        left -= part
    raise ValueError(f"w is {w}; expected a number below 1")


P, Q = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.1, 0.5])
EIGHTHS, OTHERS = np.array([1, 3, 0, 4]) / 8, np.array([4, 1, 1, 2]) / 8
LONG = np.array([1, 5, 2, 0, 3, 4, 0, 1]) / 16, np.array([2, 2, 2, 2, 2, 2, 2, 2]) / 16


# Divided by its sum, the residual adds up to a rounding less than 1, and w is the float below 1.
ROUNDED_P = [0.0, 0.17046548480414195, 0.5145224067842147, 0.0871384640355515, 0.22787364437609184]
ROUNDED_Q = [0.22185441358023095, 0.3394628593498926, 0.22733495690462793, 0.00510154761933351]
ROUNDED_Q = [*ROUNDED_Q, 0.2062462225459151]
ROUNDED = np.array(ROUNDED_P), np.array(ROUNDED_Q)
WITH_A_WORD_OF_NONE = np.array([*ROUNDED_P, 0.0]), np.array([*ROUNDED_Q, 0.0])
BELOW_1 = 1 - 2.0**-53


def given(p, q, guess, u, w):
    return {"p": p, "q": q, "guess": guess, "u": u, "w": w}


CASES = (
    case(**given(P, Q, 0, 0.9, 0.5), gives=0),
    case(**given(P, Q, 2, 0.3, 0.9), gives=2),
    case(**given(P, Q, 0, 0.3, 0.5), gives=0),
    case(**given(P, Q, 2, 0.45, 0.2), gives=0),
    case(**given(P, Q, 2, 0.45, 0.5), gives=1),
    case(**given(P, Q, 2, 0.9, 0.9), gives=1),
    case(**given(P, Q, 1, 0.5, 0.1), gives=1),
    case(**given(EIGHTHS, OTHERS, 0, 0.5, 0.0), gives=1),
    case(**given(EIGHTHS, OTHERS, 0, 0.2, 0.9), gives=0),
    case(**given(EIGHTHS, OTHERS, 0, 0.3, 0.7), gives=3),
    case(**given(EIGHTHS, OTHERS, 2, 0.0, 0.25), gives=1),
    case(**given(EIGHTHS, OTHERS, 0, 0.25, 0.25), gives=1),
    case(**given(EIGHTHS, OTHERS, 0, 0.9, 0.5), gives=3),
    case(**given(EIGHTHS, OTHERS, 3, 0.99, 0.5), gives=3),
    case(**given(*LONG, 0, 0.75, 0.45)),
    case(**given(*LONG, 3, 0.0, 0.55)),
    case(**given(*LONG, 7, 0.75, 0.95)),
    case(**given(*LONG, 6, 0.5, 0.99)),
    stress(**given(LONG[0].astype(np.float32), LONG[1].astype(np.float32), 3, 0.5, 0.75)),
    stress(**given(*ROUNDED, 0, 0.5, BELOW_1), gives=4),
    stress(**given(*WITH_A_WORD_OF_NONE, 0, 0.5, BELOW_1), gives=4),
    stress(**given(EIGHTHS, EIGHTHS, 3, 0.9, 0.5), gives=3),
    stress(**given(np.array([0.0, 1.0]), np.array([1.0, 0.0]), 0, 0.0, 0.0), gives=1),
)

MISTAKES = """
accepted by q/p: a word that the draft proposes too often, with q above p, must be rejected at times.
    u * q[guess] < p[guess] → u * p[guess] < q[guess]
every guess is accepted: then the draft is what writes.
    if u * q[guess] < p[guess]: → if True:
no guess is ever accepted: keep it if u is below p/q, and replace it only otherwise.
    if u * q[guess] < p[guess]: → if False:
a guess is accepted only where p is above q: a word with p below q is kept, too, in p/q of the cases.
    u * q[guess] < p[guess] → q[guess] <= p[guess]
accepted only if it is the word that the target likes best: a guess is kept in p/q of the cases.
    u * q[guess] < p[guess] → guess == np.argmax(p)
accepted with the probability p, whatever the draft's was: divide by q.
    u * q[guess] < p[guess] → u < p[guess]
with u = 0 a word that the target never writes is accepted: u must be below p/q, not equal to it.
    u * q[guess] < p[guess] → u * q[guess] <= p[guess]
accepted and rejected are exchanged.
    u * q[guess] < p[guess] → u * q[guess] >= p[guess]
the replacement is drawn from p: a word that was rejected for being too frequent gets a second chance.
    np.maximum(p - q, 0) → p
the residual has the sum of what p has above q: divide by that, or compare with w times the sum.
    running > w * running[-1] → running > w || running > w * (1 - p[guess] / q[guess])
the residual is what p has above q, and not p without the guess.
    np.maximum(p - q, 0) → np.where(np.arange(len(p)) == guess, 0, p)
the replacement is drawn from q here: what is missing is what p has above q.
    np.maximum(p - q, 0) → q
what lies below q counts as nothing, not as a negative number: np.maximum(…, 0).
    np.maximum(p - q, 0) → p - q
the difference the other way round, or without its sign: what is missing is what p has above q.
    np.maximum(p - q, 0) → np.maximum(q - p, 0) || np.abs(p - q)
the replacement is the likeliest word, and not a draw: w decides where it falls on the running sum.
    return int(np.argmax(running > w * running[-1])) → return int(np.argmax(p - q))
w falls on equal parts of the line here; a word's part is what the residual has for it.
    return int(np.argmax(running > w * running[-1])) → return int(w * len(p))
rounding may leave the last sum at or below w, and then no sum is above it: the last word that has a
residual is due, as it is if you compare with w times the last sum.
    is first_or_word_0
    is first_or_word_n
    is first_or_last_word
these are all words at which the sum is above w: the first of them is asked for.
    return int(np.argmax(running > w * running[-1])) → return np.where(running > w * running[-1])[0]
at a sum that is equal to w the next word begins: the running sum must be above w.
    running > w * running[-1] → running >= w * running[-1]
u has done its work when it rejected the guess: the replacement is drawn with w.
    running > w * running[-1] → running > u * running[-1]
"""

exercise = write(checked, CASES, MISTAKES, drafts=(divided, sorted_in), oracle=word_by_word)
