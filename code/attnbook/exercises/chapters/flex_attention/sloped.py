"""ALiBi as a score_mod · easy · 5 min

Hints
1. Return a function of s, b, h, i, j that returns the new score.
2. `torch.abs` and `2.0 ** x` work on tensors as on numbers, and h, i and j are tensors.
3. With two queries and three keys query 0 stands at key 1. What is subtracted there for key 0, for
   key 1 and for key 2? Does yours?

Why
A score_mod sees one score and its four places. What a bias stores, n_q · n_k numbers for each head,
it computes where it is needed.

Notice
For 4096 queries and keys in 16 heads the bias would take a GiB in float32. The score_mod takes a few
operations a score.
"""

import functools
import math

import numpy as np
import torch

from attnbook.exercises.chapters.flex_attention._places import called, with_an_array
from attnbook.exercises.engine import case, write
from attnbook.fused import flex
from attnbook.positions import alibi_bias


def sloped(n_heads, n_q, n_k):
    """A change of the score by ALiBi's slope of the head, for each step of distance."""

    def change(s, b, h, i, j):
        slope = 2.0 ** (-8 * (h + 1) / n_heads)
        return s - slope * torch.abs(j - (i + n_k - n_q))

    return change


def scores(*sizes):
    """0, 1/8, 2/8, … in two sequences of these sizes."""
    return np.arange(2 * math.prod(sizes), dtype=np.float32).reshape(2, *sizes) / 8


def as_change(function):
    """What becomes of the scores, as a function of their sizes."""

    @functools.wraps(function)
    def call(*sizes):
        given = torch.from_numpy(scores(*sizes))
        out = called(function, sizes, given.shape, (given,))
        # A slope of float64 is as right as one of float32, which is off by some 1e-8.
        return out.astype("float32") if out.dtype == "float64" else out

    return call


def by_bias(*sizes):
    return (scores(*sizes) + alibi_bias(*sizes)).astype(np.float32)


CASES = (
    case(n_heads=1, n_q=1, n_k=2),
    case(n_heads=2, n_q=2, n_k=2),
    case(n_heads=2, n_q=2, n_k=3),
    case(n_heads=3, n_q=2, n_k=3),
    case(n_heads=8, n_q=4, n_k=6),
    case(n_heads=4, n_q=5, n_k=2),
)

MISTAKES = """
two things: heads are counted from 0, so the slope has h + 1; and the distance is that of key j from
i + n_k − n_q, without a sign.
    (h + 1) → h ; (i + n_k - n_q) → i
    (h + 1) → h ; torch.abs( → (
    (h + 1) → h ; torch.abs(j - (i + n_k - n_q)) → (i + n_k - n_q - j)
two things: the exponent is −8 (h + 1) / n_heads; and the distance is that of key j from
i + n_k − n_q, without a sign.
    -8 * → - ; (i + n_k - n_q) → i
    -8 * (h + 1) / n_heads → -(h + 1.0) ; (i + n_k - n_q) → i
the distance has no sign, and is that of key j from i + n_k − n_q, where query i stands.
    torch.abs(j - (i + n_k - n_q)) → (i - j)
    torch.abs(j - (i + n_k - n_q)) → (j - i)
the exponent is −8 (h + 1) / n_heads, all of it in brackets, and h + 1 too.
    (h + 1) → h
    -8 * (h + 1) / n_heads → -(h + 1.0)
    -8 * → 8 *
    (h + 1) → h + 1
    -8 * → -
    (-8 * (h + 1) / n_heads) → -8 * (h + 1) / n_heads
    / n_heads) → ) / n_heads
the distance is that of key j from the query's own key, i + n_k − n_q: j − (i + n_k − n_q).
    (i + n_k - n_q) → i || i + n_k - n_q
the distance has no sign: keys behind the query and keys ahead of it lose alike.
    torch.abs(j - (i + n_k - n_q)) → (i + n_k - n_q - j)
    torch.abs( → (
    torch.abs(j - (i + n_k - n_q)) → torch.clamp(i + n_k - n_q - j, min=0)
the exponent is rounded to a whole number: divide with `/`.
    / n_heads → // n_heads
    / n_heads → // n_heads ; 2.0 → 2
the base of the slope is 2, not e.
    2.0 ** → torch.exp
the slope is that of head h, not of the sequence b, of head 0 or of the heads in reverse.
    (h + 1) → (n_heads - h) || 1 || (b + 1)
that is the square of the distance: ALiBi takes the distance itself.
    torch.abs(j - (i + n_k - n_q)) → (j - (i + n_k - n_q)) ** 2
the future is hidden as well: here it only loses score.
    return s - → return torch.where(j <= i + n_k - n_q, s, -torch.inf) -
a score_mod returns the score with the bias subtracted, s − slope · distance.
    s - slope → slope || -slope || s + slope || s * -slope
"""

exercise = write(
    sloped,
    CASES,
    MISTAKES,
    through=as_change,
    refused=with_an_array(lambda f, n: functools.partial(f(1, n, n), torch.tensor(0.0))),
    oracle=by_bias,
    ours=(flex.alibi,),
)
