"""A rule of places for FlexAttention, and a change of the score."""

import functools
import math

import numpy as np
import torch

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import fused as solutions
from attnbook.exercises.surroundings import Unfit
from attnbook.exercises.twins.settings import plain_settings
from attnbook.exercises.write import Write, case, stress

OF = ("b", "h", "i", "j")


def _over_places(rule, sizes, score=()):
    """Call a rule at every place, as FlexAttention does: by vmap, one axis after the other."""
    for axis in reversed(range(4)):
        own = tuple(0 if n == axis else None for n in range(4))
        rule = torch.vmap(rule, in_dims=(0,) * len(score) + own)
    return rule(*score, *(torch.arange(n) for n in sizes))


def _called(function, arguments, sizes, score=()):
    with plain_settings():
        rule = function(*arguments)
        if rule is None:
            raise Unfit("nothing was returned: is a `return` missing?")
        if not callable(rule) or isinstance(rule, torch.Tensor):
            places = ", ".join(("s",) * len(score) + OF)
            kind = type(rule).__name__
            raise Unfit(f"the result is of type {kind}; expected a function of {places}")
        out = _over_places(rule, sizes, score)
    if not isinstance(out, torch.Tensor):
        raise Unfit(f"your rule returned {type(out).__name__}; expected a tensor")
    return out.detach().numpy()


def as_rule(function):
    """What a rule shows, (batch, n_q, n_k), as a function of the arrays that it is made with."""

    @functools.wraps(function)
    def call(valid_lens, n_q, n_k, left):
        lens = torch.from_numpy(valid_lens)
        out = _called(function, (lens, n_q, n_k, left), (len(lens), 1, n_q, n_k))
        if lens._version and not valid_lens.flags.writeable:
            raise ValueError("the tensor is read-only")
        return out[:, 0]

    return call


def as_change(function):
    """What becomes of scores 0, 1/8, 2/8, … of two sequences, as a function of their sizes."""

    @functools.wraps(function)
    def call(n_heads, n_q, n_k):
        sizes = 2, n_heads, n_q, n_k
        scores = torch.arange(math.prod(sizes), dtype=torch.float64).reshape(sizes) / 8
        return _called(function, (n_heads, n_q, n_k), sizes, (scores,))

    return call


def of_back(seen, padding=True):
    """A wrong rule from what it says of the distance back."""

    def window_rule(valid_lens, n_q, n_k, left):
        def rule(b, h, i, j):
            shown = seen(i + n_k - n_q - j, i - j, left)
            return shown & (j < valid_lens[b]) if padding else shown & (j == j)

        return rule

    return window_rule


def other_lens(shown):
    """A wrong rule from what it says of the length."""

    def window_rule(valid_lens, n_q, n_k, left):
        def rule(b, h, i, j):
            back = i + n_k - n_q - j
            return (back >= 0) & (back <= left) & shown(valid_lens, b, i, j)

        return rule

    return window_rule


def a_mask(valid_lens, n_q, n_k, left):
    back = torch.arange(n_q)[:, None] + n_k - n_q - torch.arange(n_k)
    return (back >= 0) & (back <= left) & (torch.arange(n_k) < valid_lens[:, None, None])


def either(valid_lens, n_q, n_k, left):
    def rule(b, h, i, j):
        back = i + n_k - n_q - j
        return ((back >= 0) & (back <= left)) | (j < valid_lens[b])

    return rule


def _rule(lens, n_q, n_k, left):
    return {"valid_lens": np.array(lens), "n_q": n_q, "n_k": n_k, "left": left}


window_rule = Write(
    name="fused.window_rule",
    title="A window with padding, as a rule",
    level="medium",
    minutes=8,
    solution_of=solutions.window_rule,
    through=as_rule,
    hints=(
        "Return a function: `def rule(b, h, i, j): ...` inside yours, then `return rule`.",
        "Query i stands at key i + n_k − n_q. How far back from there is key j?",
        "i, j and b are tensors: join conditions with `&`, each in brackets.",
    ),
    explanation=(
        "`back` counts the steps from key j to the query's own place: 0 is its own key, `left` the "
        "last one that it sees, and below 0 lies the future. The length of sequence b is looked up "
        "by its number."
    ),
    misconceptions=(
        Misconception(
            of_back(lambda back, top, left: (top >= 0) & (top <= left)),
            "the window is anchored at the top left: query i stands at key i + n_k − n_q.",
        ),
        Misconception(
            of_back(lambda back, top, left: (back >= 0) & (back < left)),
            "the window is one key short: a query sees its own key and `left` before it.",
        ),
        Misconception(
            of_back(lambda back, top, left: back.abs() <= left),
            "the window reaches into the future: keys after the query's own are hidden.",
        ),
        Misconception(
            of_back(lambda back, top, left: (back > 0) & (back <= left)),
            "a query does not see its own key.",
        ),
        Misconception(
            of_back(lambda back, top, left: back >= 0),
            "old keys are still seen: a query sees `left` keys before its own, and no older one.",
        ),
        Misconception(
            of_back(lambda back, top, left: back <= left),
            "the future is seen: a window hides what comes after the query's own key.",
        ),
        Misconception(
            of_back(lambda back, top, left: (back >= 0) & (back <= left), padding=False),
            "the padding is seen: key j is there if j < valid_lens[b].",
        ),
        Misconception(
            other_lens(lambda lens, b, i, j: j <= lens[b]),
            "one key of the padding is seen: the last that is there is number length − 1.",
        ),
        Misconception(
            other_lens(lambda lens, b, i, j: i < lens[b]),
            "the padding hides queries: a padded key is a column, and its number is j.",
        ),
        Misconception(
            other_lens(lambda lens, b, i, j: j < lens[0]),
            "every sequence got the length of the first: look up that of number b.",
        ),
        Misconception(
            other_lens(lambda lens, b, i, j: j < lens.max()),
            "every sequence got the longest length: look up that of number b.",
        ),
        Misconception(
            other_lens(lambda lens, b, i, j: j >= lens[b]),
            "only the padding is seen: True = may look, in a mask_mod too.",
        ),
        Misconception(either, "a key is seen where either allows it: both must, so `&`."),
        Misconception(
            a_mask,
            "the result is of type Tensor; expected a function of b, h, i, j",
        ),
    ),
    notice=(
        "FlexAttention calls the rule once for whole blocks, to know which are empty, and again "
        "within those that are cut."
    ),
    cases=(
        case(**_rule([2], 1, 2, 0)),
        case(**_rule([3], 3, 3, 1)),
        case(**_rule([2, 4], 4, 4, 2)),
        case(**_rule([5, 3], 2, 5, 2)),
        case(**_rule([1, 3, 2], 4, 3, 1)),
        case(**_rule([6, 7, 4], 5, 7, 3)),
        case(**_rule([0, 2, 3], 3, 4, 9)),
        stress(**_rule([4, 0], 1, 4, 100)),
        stress(**_rule([300, 200], 2, 300, 280)),
    ),
)


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


def multiplied(n_heads, n_q, n_k):
    return lambda s, b, h, i, j: s * -right_slope(h, n_heads) * torch.abs(j - (i + n_k - n_q))


sloped = Write(
    name="fused.sloped",
    title="ALiBi as a change of the score",
    level="medium",
    minutes=8,
    solution_of=solutions.sloped,
    through=as_change,
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
            slopes(lambda h, n: right_slope(0, n)), "every head got the slope of head 0."
        ),
        Misconception(added, "far keys are favoured: the bias is subtracted."),
        Misconception(alone, "the score itself is lost: a score_mod returns the new score."),
        Misconception(multiplied, "the bias is added to the score, not multiplied with it."),
    ),
    notice="No array of n_q · n_k numbers is ever made: the bias costs a few operations a score.",
    cases=(
        case(n_heads=1, n_q=1, n_k=2),
        case(n_heads=2, n_q=2, n_k=2),
        case(n_heads=2, n_q=2, n_k=3),
        case(n_heads=4, n_q=3, n_k=3),
        case(n_heads=8, n_q=4, n_k=6),
        case(n_heads=3, n_q=5, n_k=2),
    ),
)
