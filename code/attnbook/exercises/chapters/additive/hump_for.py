r"""A hump for any signs · medium · 10 min

Hints
1. One unit, times its number in w_v, has to climb with the key's position, and the other has to
   fall. How can a unit whose number is negative climb all the same?
2. tanh(−u) = −tanh u. So a negative number does no harm if everything that pushes its unit changes
   sign, too: the query, the key's position and the key's 1.
3. For w_v = (4, −4) the chapter has a solution. For (4, 4) write tanh(1 − z) instead of
   −tanh(z − 1), and read off what x, y and the 1 are multiplied by. The other signs follow from
   these with the help of np.sign(w_v).

Why
With $z = y - x$ and the absolute value $c$ of both numbers, the score can be
$c \tanh(1 + z) + c \tanh(1 - z)$. The key pushes the two units by $1 + y$ and $1 - y$, and the query
by $-x$ and $x$; where a number in $w_v$ is negative, all the pushes on its unit change sign, and
so does its tanh.

Notice
No number in w_v has to be negative to bring a score down: what falls with the key's position can be
made in W_q and W_k as well. So the signs of w_v say nothing about what a score can do.
"""

import numpy as np

from attnbook.exercises.engine import Unfit, case, describe, write
from attnbook.reference import additive_scores


def hump_for(w_v):
    """Unit 0 brings the score up, and unit 1 brings it down again, whatever their signs in w_v."""
    sign = np.sign(w_v)
    slopes = sign * [1.0, -1.0]
    return -slopes[None], np.stack([slopes, sign])


MARGIN = 0.01
AT = np.arange(-2.0, 3.0)
KEYS = np.stack([AT, np.ones(5)], axis=1)


def preferred(function):
    """For `through`: the position that each query prefers, NaN where no key leads by the margin."""

    def call(w_v):
        w_q, w_k = two_matrices(function(w_v))
        scores = additive_scores(AT[:, None], KEYS, w_q, w_k, w_v)
        second, first = np.sort(scores, axis=-1)[:, -2:].T
        return np.where(first - second > MARGIN, AT[scores.argmax(axis=-1)], np.nan)

    return call


def two_matrices(out):
    if out is None:
        raise Unfit("nothing was returned: is a `return` missing?")
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise Unfit(f"{describe(out)} was returned; expected two matrices, W_q and W_k")
    for name, matrix, shape in zip(("W_q", "W_k"), out, ((1, 2), (2, 2)), strict=True):
        try:
            array = np.asarray(matrix, dtype=float)
        except (TypeError, ValueError):
            raise Unfit(f"{name} is {describe(matrix)}; expected numbers") from None
        if array.shape != shape:
            raise Unfit(f"{name} has the shape {array.shape}; expected {shape}")
        if not np.isfinite(array).all():
            raise Unfit(f"{name} holds infinity or NaN; expected finite numbers")
        yield array


def of_size(*w_v):
    return case(w_v=np.array(w_v), gives=AT)


CASES = (
    of_size(4.0, -4.0),
    of_size(4.0, 4.0),
    of_size(-4.0, 4.0),
    of_size(-4.0, -4.0),
    of_size(1.0, 1.0),
    of_size(0.5, -0.5),
    of_size(-100.0, -100.0),
    of_size(100.0, -100.0),
)

MISTAKES = """
two things: the signs in w_v count, and a query and the key at its position should cancel.
    np.sign(w_v) → np.ones(2) ; -slopes → slopes
    np.sign(w_v) → np.array([1.0, -1.0]) ; -slopes → slopes
two things: the signs in w_v count, and the query needs a say.
    np.sign(w_v) → np.ones(2) ; -slopes → 0 * slopes
    np.sign(w_v) → np.array([1.0, -1.0]) ; -slopes → 0 * slopes
two things: this is a valley and not a hump, and it stands at minus the query's position.
    sign]) → -sign]) ; -slopes → slopes
these matrices do not depend on the signs in w_v: they suit some of them, and not the others.
    np.sign(w_v) → np.ones(2) || -np.ones(2) || np.array([1.0, -1.0]) || np.array([-1.0, 1.0])
    np.sign(w_v) → np.abs(w_v)
the sign of one number in w_v is used for both; they may differ.
    np.sign(w_v) → np.full(2, np.sign(w_v[0])) || np.full(2, np.sign(w_v[1]))
where both signs are equal, both units bring the score up from key to key. (A unit has a column of
W_k, not a row.)
    np.sign(w_v) → np.sign(w_v[0]) * np.array([1.0, -1.0])
    np.stack([slopes, sign]) → np.stack([slopes, sign]).T
where both signs are equal, both units bring the score down from key to key.
    np.sign(w_v) → np.sign(w_v[1]) * np.array([-1.0, 1.0])
what counts is each sign, not whether the two are equal.
    np.sign(w_v) → np.array([1.0, np.sign(w_v[0] * w_v[1])])
    np.sign(w_v) → np.array([np.sign(w_v[0] * w_v[1]), 1.0])
W_q is 0, or too small: the query has no say, and all queries prefer the same key.
    -slopes → 0 * slopes || -0.01 * slopes || 0.01 * slopes
there is a hump, but it stands at minus the query's position.
    -slopes → slopes
the hump does not keep step with the query: it moves too far, or not far enough.
    -slopes → -2 * slopes || -3 * slopes || -0.5 * slopes || -0.4 * slopes || -4 * slopes
    -slopes[None] → -w_v[None] * [1, -1]
W_q pushes both units the same way; but where the position of a key pushes them opposite ways, so
must that of a query.
    -slopes[None] → -np.ones((1, 2)) || np.ones((1, 2))
W_q has to undo what a key's position adds to each unit, and so it goes with the first row of W_k.
    -slopes → -sign || sign || -np.array([1.0, -1.0]) || np.array([1.0, -1.0])
no key leads by 0.01: the two units cancel, are saturated, or are hardly pushed.
    sign]) → 0 * sign]) || slopes]) || -slopes]) || 12 * sign]) || 30 * sign])
    return -slopes[None], np.stack([slopes, → return -1e-6 * slopes[None], np.stack([1e-6 * slopes,
where w_v is small, no key leads by 0.01: the units are saturated or hardly pushed.
    sign]) → 3.5 * sign]) || 4 * sign]) || 5 * sign])
    return -slopes[None], np.stack([slopes, → return -0.1 * slopes[None], np.stack([0.1 * slopes,
    return -slopes[None], np.stack([slopes, sign]) → return -0.1 * slopes[None], 0.1 * np.stack([slopes, sign])
    return -slopes[None], np.stack([slopes, sign]) → return -0.2 * slopes[None], 0.2 * np.stack([slopes, sign])
    np.sign(w_v) → np.sign(np.round(w_v))
where w_v is large, all keys get the same score: both units are saturated.
    sign]) → w_v])
the key at the query's position gets the smallest score of all: this is a valley and not a hump.
    sign]) → -sign])
    sign]) → -2 * sign])
every query prefers the key at 2: from key to key the score only rises. (In W_k the first row meets
the position, and the second the 1.)
    [1.0, -1.0] → [1.0, 1.0] || [1.0, 0.0]
    [1.0, -1.0] → [1.0, 1.0] ; sign]) → sign * [1.0, -1.0]])
    [slopes, sign] → [sign, slopes]
every query prefers the key at −2: from key to key the score only falls.
    [1.0, -1.0] → [-1.0, -1.0] || [0.0, -1.0]
    [1.0, -1.0] → [-1.0, -1.0] ; sign]) → sign * [1.0, -1.0]])
a negative number in w_v turns its unit over: the bias was adapted, the push of the position not.
    sign * [1.0, -1.0] → np.array([1.0, -1.0])
a negative number in w_v turns its unit over: the push of the position was adapted, the bias not.
    sign]) → np.ones(2)]) || -np.ones(2)]) || np.sign(w_v[[0, 0]])]) || np.sign(w_v[[1, 1]])])
the hump stands beside the query, or between two keys: its climb and its fall are not equally far
away from the query.
    sign]) → sign * [1.0, 0.0]]) || sign * [0.0, 1.0]]) || sign * [2.0, 0.0]]) || sign * [0.0, 2.0]])
    sign]) → sign * [2.0, 1.0]]) || sign * [1.0, 2.0]]) || sign * [3.0, 1.0]]) || sign * [1.0, 3.0]])
"""

exercise = write(hump_for, CASES, MISTAKES, through=preferred)
