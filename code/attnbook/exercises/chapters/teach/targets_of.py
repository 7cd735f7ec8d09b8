"""Targets, with a stop for padding · medium · 10 min

Hints
1. The target of position i is token i + 1, and the last position has none.
2. A position is asked if its text has not stopped yet: if there is no stop up to here, this position
   included.
3. `(texts == stop).cumsum(dim=1)` counts the stops up to each position.

Why
Up to the first stop each token has a next one that counts, the stop itself among them. From there
on nothing follows that the text has said: what stands there is padding, although it looks like a
stop.

Notice
Who leaves out every target that equals the padding leaves out the first stop as well, and then
nothing teaches the model to end.
"""

import functools

import numpy as np
import torch

from attnbook.exercises.chapters.teach._first import first_as_tensor
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.sandbox import Unfit


def targets_of(texts, stop):
    """The token after each, or −100 where none is asked for."""
    targets = torch.full_like(texts, -100)
    going_on = (texts == stop).cumsum(dim=1) == 0
    targets[:, :-1] = torch.where(going_on[:, :-1], texts[:, 1:], -100)
    return targets


def token_by_token(texts, stop):
    targets = np.full_like(texts, -100)
    for row, text in enumerate(texts.tolist()):
        for i in range(len(text) - 1):
            if text[i] == stop:
                break
            targets[row, i] = text[i + 1]
    return targets


def with_its_dtype(function):
    """For `through`: the dtype of the targets counts, too."""

    @functools.wraps(function)
    def call(texts, stop):
        targets = first_as_tensor(function)(texts, stop)
        if targets.dtype.kind in "iu" and targets.dtype != texts.dtype:
            raise Unfit(f"the dtype is {targets.dtype}; expected {texts.dtype}, that of `texts`")
        return targets

    return call


rng = np.random.default_rng(5)


def rows(*texts):
    return np.array(texts)


def drawn(batch, n, stop):
    """Texts of any length, each filled up with stops, the longest without any."""
    texts = rng.integers(0, 6, (batch, n))
    texts[texts == stop] = 6
    lens = rng.integers(1, n + 1, (batch, 1))
    return {"texts": np.where(np.arange(n) < lens, texts, stop), "stop": stop}


CASES = (
    case(texts=rows([5, 7]), stop=9, gives=rows([7, -100])),
    case(texts=rows([5, 9]), stop=9, gives=rows([9, -100])),
    case(texts=rows([5, 9, 9]), stop=9, gives=rows([9, -100, -100])),
    case(texts=rows([5, 6, 7, 9]), stop=9, gives=rows([6, 7, 9, -100])),
    case(texts=rows([1, 0, 0, 0], [2, 3, 4, 0]), stop=0),
    case(texts=rows([1, 2, 3], [4, 9, 9], [5, 6, 7]), stop=9),
    case(**drawn(3, 5, 2)),
    case(**drawn(6, 8, 0)),
    stress(texts=rows([5], [9]), stop=9, gives=rows([-100], [-100])),
    stress(texts=rows([9, 9, 9]), stop=9, gives=rows([-100, -100, -100])),
    stress(texts=rows([5, 9, 6, 9]), stop=9, gives=rows([9, -100, -100, -100])),
)

MISTAKES = """
the first stop has to be learned, too: only what follows it is not asked for.
    texts[:, 1:], -100) → texts[:, 1:], -100) ; return targets → return torch.where(targets == stop, -100, targets)
after the first `stop` nothing is asked for: the other stops are padding.
    going_on = (texts == stop).cumsum(dim=1) == 0 → going_on = texts == texts
the position of the first stop is asked for nothing either: its target would be padding.
    .cumsum(dim=1) == 0 → .cumsum(dim=1) <= 1
    (texts == stop).cumsum(dim=1) == 0 → (texts == stop).cumsum(dim=1) - (texts == stop).int() == 0
the stops of each text are its own, and those of the first text say nothing about the others.
    (texts == stop).cumsum(dim=1) == 0 → ((texts == stop).cumsum(dim=1) == 0)[:1].expand_as(texts)
the stop is the token `stop` alone, and larger tokens are words.
    (texts == stop) → (texts >= stop)
nothing is asked for after the first stop, whatever stands there: padding, or another token.
    (texts == stop).cumsum(dim=1) == 0 → texts != stop
these are the tokens themselves: the target of a position is the token after it.
    targets[:, :-1] = torch.where(going_on[:, :-1], texts[:, 1:], -100) → targets = torch.where(going_on, texts, -100)
    targets[:, :-1] = torch.where(going_on[:, :-1], texts[:, 1:], -100) → targets[:, :-1] = torch.where(going_on[:, :-1], texts[:, :-1], -100)
these are the tokens before each position: the target is the one after it.
    targets[:, :-1] = torch.where(going_on[:, :-1], texts[:, 1:], -100) → targets[:, 1:] = torch.where(going_on[:, 1:], texts[:, :-1], -100)
this is shifted twice: the target is the next token, not the one after it.
    targets[:, :-1] = torch.where(going_on[:, :-1], texts[:, 1:], -100) → targets[:, :-2] = torch.where(going_on[:, :-2], texts[:, 2:], -100)
the result has as many columns as the texts: the last position has −100.
    return targets → return targets[:, :-1]
the last position has no next token, and must not get the first one.
    targets[:, :-1] = torch.where(going_on[:, :-1], texts[:, 1:], -100) → targets = torch.where(going_on, texts.roll(-1, dims=1), -100)
a text without a stop is asked to its end; `argmax` has 0 for it, as for a stop that comes first.
    (texts == stop).cumsum(dim=1) == 0 → torch.arange(texts.shape[1]) < (texts == stop).int().argmax(dim=1)[:, None]
`stop` says which token the stop is, and it is not the same in every call.
    (texts == stop) → (texts == 9) || (texts == 0) || (texts == texts[0, -1]) || (texts == texts[-1, -1])
the stops are counted along each text, dim=1.
    cumsum(dim=1) → cumsum(dim=0)
what is not asked for is −100 here, which cross_entropy leaves out; 0 is a token.
    torch.full_like(texts, -100) → torch.zeros_like(texts) ; texts[:, 1:], -100) → texts[:, 1:], 0)
    torch.full_like(texts, -100) → torch.full_like(texts, -1) ; texts[:, 1:], -100) → texts[:, 1:], -1)
"""

exercise = write(targets_of, CASES, MISTAKES, oracle=token_by_token, through=with_its_dtype)
