"""A change of the score for FlexAttention: ALiBi."""

import functools
import math

import torch

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case
from attnbook.exercises.fused.places import called, with_an_array
from attnbook.exercises.solutions import fused as solutions


def as_change(function):
    """What becomes of scores 0, 1/8, 2/8, … of two sequences, as a function of their sizes."""

    @functools.wraps(function)
    def call(n_heads, n_q, n_k):
        sizes = 2, n_heads, n_q, n_k
        scores = torch.arange(math.prod(sizes), dtype=torch.float32).reshape(sizes) / 8
        out = called(function, (n_heads, n_q, n_k), sizes, (scores,))
        # A slope of float64 is as right as one of float32, which is off by some 1e-8.
        return out.astype("float32") if out.dtype == "float64" else out

    return call


def slopes(slope, distance=None):
    """A wrong change from its slope, or from its distance."""

    def sloped(n_heads, n_q, n_k):
        def change(s, b, h, i, j):
            steps = torch.abs(j - (i + n_k - n_q))
            steps = steps if distance is None else distance(i, j, n_q, n_k)
            return s - slope(h, n_heads) * steps

        return change

    return sloped


def right_slope(h, n_heads):
    return 2.0 ** (-8 * (h + 1) / n_heads)


def added(n_heads, n_q, n_k):
    return lambda s, b, h, i, j: s + right_slope(h, n_heads) * torch.abs(j - (i + n_k - n_q))


def alone(n_heads, n_q, n_k):
    return lambda s, b, h, i, j: -right_slope(h, n_heads) * torch.abs(j - (i + n_k - n_q))


def not_subtracted(n_heads, n_q, n_k):
    return lambda s, b, h, i, j: right_slope(h, n_heads) * torch.abs(j - (i + n_k - n_q))


def of_the_sequence(n_heads, n_q, n_k):
    return lambda s, b, h, i, j: s - right_slope(b, n_heads) * torch.abs(j - (i + n_k - n_q))


def causal_too(n_heads, n_q, n_k):
    right = solutions.sloped(n_heads, n_q, n_k)

    def change(s, b, h, i, j):
        return torch.where(j <= i + n_k - n_q, right(s, b, h, i, j), -torch.inf)

    return change


def multiplied(n_heads, n_q, n_k):
    return lambda s, b, h, i, j: s * -right_slope(h, n_heads) * torch.abs(j - (i + n_k - n_q))


sloped = Write(
    name="fused.sloped",
    title="ALiBi as a change of the score",
    level="medium",
    minutes=8,
    solution_of=solutions.sloped,
    through=as_change,
    refused=with_an_array(lambda f, n: functools.partial(f(1, n, n), torch.tensor(0.0))),
    hints=(
        "Return a function of s, b, h, i, j that returns the new score.",
        "Heads are counted from 0 here, and the equation has h + 1.",
        "The distance is that of key j from the query's own place, i + n_k − n_q.",
    ),
    explanation=(
        "A score_mod sees one score and its four places. What a bias stores, n_q · n_k numbers for "
        "each head, it computes where it is needed."
    ),
    misconceptions=(
        Misconception(
            slopes(lambda h, n: 2.0 ** (-8 * h / n)),
            "head 0 got the slope 1, that of no head: the exponent has h + 1.",
        ),
        Misconception(
            slopes(lambda h, n: 2.0 ** (-(h + 1.0))),
            "the exponent does not know the number of heads: it is −8 (h + 1) / n_heads.",
        ),
        Misconception(
            slopes(lambda h, n: 2.0 ** (8 * (h + 1) / n)),
            "the slopes grow with the head: the exponent is negative.",
        ),
        Misconception(
            slopes(right_slope, lambda i, j, n_q, n_k: torch.abs(j - i)),
            "the distance is taken from key i; query i stands at key i + n_k − n_q.",
        ),
        Misconception(
            slopes(right_slope, lambda i, j, n_q, n_k: i + n_k - n_q - j),
            "keys ahead of the query are favoured: the distance has no sign.",
        ),
        Misconception(
            slopes(right_slope, lambda i, j, n_q, n_k: j - (i + n_k - n_q)),
            "keys behind the query are favoured: the distance has no sign.",
        ),
        Misconception(
            slopes(right_slope, lambda i, j, n_q, n_k: torch.clamp(i + n_k - n_q - j, min=0)),
            "keys ahead of the query are left as they are: the distance has no sign.",
        ),
        Misconception(
            slopes(lambda h, n: 2.0 ** (-8 * h + 1 / n)),
            "the exponent became −8 h + 1/n_heads: h + 1 needs its brackets.",
        ),
        Misconception(
            slopes(lambda h, n: 2.0 ** (-8 * (h + 1) // n)),
            "the exponent is rounded to a whole number: divide with `/`.",
        ),
        Misconception(
            slopes(lambda h, n: torch.exp(-8 * (h + 1) / n)), "the base of the slope is 2, not e."
        ),
        Misconception(
            slopes(lambda h, n: right_slope(n - 1 - h, n)),
            "the slopes stand in reverse: head 0 has the steepest.",
        ),
        Misconception(
            slopes(lambda h, n: right_slope(0, n)), "every head got the slope of head 0."
        ),
        Misconception(
            slopes(lambda h, n: 2 ** (-8 * (h + 1) // n)),
            "the exponent is rounded to a whole number: divide with `/`.",
        ),
        Misconception(
            slopes(lambda h, n: 2.0 ** (-(h + 1) / n)), "the 8 is missing: −8 (h + 1) / n_heads."
        ),
        Misconception(
            slopes(lambda h, n: 2.0**-8 * (h + 1) / n),
            "only −8 became the exponent: `**` binds before `*`, so all of it needs brackets.",
        ),
        Misconception(
            slopes(lambda h, n: 2.0 ** (-8 * (h + 1)) / n),
            "the slope is divided by n_heads, and the exponent should be: move the bracket.",
        ),
        Misconception(
            slopes(right_slope, lambda i, j, n_q, n_k: torch.abs(j - i + n_k - n_q)),
            "the offset is turned round: j − (i + n_k − n_q) is j − i − n_k + n_q.",
        ),
        Misconception(
            slopes(right_slope, lambda i, j, n_q, n_k: (j - (i + n_k - n_q)) ** 2),
            "that is the square of the distance: ALiBi takes the distance itself.",
        ),
        Misconception(of_the_sequence, "the slope is that of head h; b is the sequence."),
        Misconception(causal_too, "the future is hidden as well: here it only loses score."),
        Misconception(not_subtracted, "the score itself is lost, and the sign: s minus the bias."),
        Misconception(added, "far keys are favoured: the bias is subtracted."),
        Misconception(alone, "the score itself is lost: a score_mod returns the new score."),
        Misconception(multiplied, "the bias is added to the score, not multiplied with it."),
    ),
    notice="No array of n_q · n_k numbers is ever made: the bias costs a few operations a score.",
    cases=(
        case(n_heads=1, n_q=1, n_k=2),
        case(n_heads=2, n_q=2, n_k=2),
        case(n_heads=2, n_q=2, n_k=3),
        case(n_heads=3, n_q=2, n_k=3),
        case(n_heads=4, n_q=3, n_k=3),
        case(n_heads=8, n_q=4, n_k=6),
        case(n_heads=4, n_q=5, n_k=2),
    ),
)
