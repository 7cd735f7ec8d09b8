"""A rule of places for FlexAttention: a window with padding."""

import functools

import numpy as np
import torch

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.fused.places import called, with_an_array
from attnbook.exercises.solutions import fused as solutions


def as_rule(function):
    """What a rule shows, (batch, n_q, n_k), as a function of the arrays that it is made with."""

    @functools.wraps(function)
    def call(valid_lens, n_q, n_k, left):
        lens = torch.from_numpy(valid_lens)
        out = called(function, (lens, n_q, n_k, left), (len(lens), 1, n_q, n_k))
        if lens._version and not valid_lens.flags.writeable:
            raise ValueError("the tensor is read-only")
        return out[:, 0]

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


def from_the_length(valid_lens, n_q, n_k, left):
    def rule(b, h, i, j):
        back = i + valid_lens[b] - n_q - j
        return (back >= 0) & (back <= left) & (j < valid_lens[b])

    return rule


def turned(valid_lens, n_q, n_k, left):
    def rule(b, h, i, j):
        back = i + n_q - n_k - j
        return (back >= 0) & (back <= left) & (j < valid_lens[b])

    return rule


def left_padding(valid_lens, n_q, n_k, left):
    return other_lens(lambda lens, b, i, j: j >= n_k - lens[b])(valid_lens, n_q, n_k, left)


def keys_for_queries(valid_lens, n_q, n_k, left):
    right = solutions.window_rule(valid_lens, n_q, n_k, left)
    return lambda b, h, i, j: right(b, h, j, i)


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
    refused=with_an_array(lambda f, n: f(torch.tensor([n]), n, n, 1)),
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
            of_back(lambda back, top, left: back >= 0, padding=False),
            "only the future is hidden: is each comparison in brackets? `&` binds before `>=`.",
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
            "every sequence got the length of the first: look up that of number b, and not of h.",
        ),
        Misconception(
            other_lens(lambda lens, b, i, j: j < lens.max()),
            "every sequence got the longest length: look up that of number b.",
        ),
        Misconception(
            other_lens(lambda lens, b, i, j: j >= lens[b]),
            "only the padding is seen: True = may look, in a mask_mod too.",
        ),
        Misconception(
            of_back(lambda back, top, left: (back >= 0) & (back <= left + 1)),
            "the window is one key too long: a query sees its own key and `left` before it.",
        ),
        Misconception(
            of_back(lambda back, top, left: (back >= 0) & (top <= left)),
            "the window ends at the query's key and begins at the top left: both at i + n_k − n_q.",
        ),
        Misconception(
            of_back(lambda back, top, left: (top >= 0) & (back <= left)),
            "the future begins at the top left, and the window does not: both at i + n_k − n_q.",
        ),
        Misconception(turned, "the offset is turned round: query i stands at key i + n_k − n_q."),
        Misconception(
            other_lens(lambda lens, b, i, j: (j < lens[b]) & (i < lens[b])),
            "queries are hidden as well: only keys are padded, and their number is j.",
        ),
        Misconception(
            other_lens(lambda lens, b, i, j: j < lens.min()),
            "every sequence got the shortest length: look up that of number b.",
        ),
        Misconception(left_padding, "the padding stands at the end, and not in front."),
        Misconception(
            keys_for_queries, "i and j are exchanged: i is the query's number, j the key's."
        ),
        Misconception(
            from_the_length,
            "the window hangs on the length: the last query stands at the last of n_k keys, "
            "padding or not.",
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
