"""Texts with a question and an answer, made in any number: words to reverse, and sums.

A text is a question, an equals sign, the answer and a stop. Only the answer can be foreseen, so
only the answer is asked for: elsewhere a target is `IGNORED`, which `cross_entropy` leaves out.
"""

import functools

import torch
from jaxtyping import Integer
from torch import Tensor

from attnbook.checks import at_least, at_most

IGNORED = -100
WORD_SIGNS = "abcdefghijklmnopqrstuvwxyz=._"  # the last one is padding
SUM_SIGNS = "0123456789+=."
DIGITS, HELD_OUT = 3, 10_000


def reversals(
    n: int, generator: torch.Generator, shortest: int = 5, longest: int = 12
) -> Integer[Tensor, "n m"]:
    """`n` random words, each with an equals sign, its letters in reverse, and a stop: live=evil.

    Tokens are places in `WORD_SIGNS`. Words have `shortest` to `longest` letters, equally often,
    and padding fills each text up to the longest. Raises ValueError if that range has no word.
    """
    at_least(1, n=n, shortest=shortest)
    at_most("longest", longest, shortest=shortest)
    lens = torch.randint(shortest, longest + 1, (n, 1), generator=generator)
    words = torch.randint(26, (n, longest), generator=generator)
    at = torch.arange(2 * longest + 2).expand(n, -1)
    mirrored = torch.where(at < lens, at, 2 * lens - at).clamp(0, longest - 1)
    texts = words.gather(1, mirrored)
    for sign, where in {"=": at == lens, ".": at == 2 * lens + 1, "_": at > 2 * lens + 1}.items():
        texts = torch.where(where, WORD_SIGNS.index(sign), texts)
    return texts


def sums(n: int, generator: torch.Generator, held_out: bool = False) -> Integer[Tensor, "n m"]:
    """`n` sums of numbers of three digits, all written from the last digit on: 850+749=5001.

    (That is 58 + 947 = 1005.) Tokens are places in `SUM_SIGNS`. A hundredth of all pairs is held
    out: they are drawn with `held_out`, and never without. Raises ValueError if n is below 1.
    """
    at_least(1, n=n)
    known = pairs_of_numbers()[held_out]
    chosen = known[torch.randint(len(known), (n,), generator=generator)]
    a, b = chosen // 10**DIGITS, chosen % 10**DIGITS
    plus, equals, stop = (torch.full((n, 1), SUM_SIGNS.index(sign)) for sign in "+=.")
    answer = _digits(a + b, DIGITS + 1)
    parts = _digits(a, DIGITS), plus, _digits(b, DIGITS), equals, answer, stop
    return torch.cat(parts, dim=1)


@functools.cache
def pairs_of_numbers():
    """All pairs a, b as 1000 a + b, shuffled: those to train on, and those that are held out."""
    shuffled = torch.randperm(10 ** (2 * DIGITS), generator=torch.Generator().manual_seed(0))
    return shuffled[HELD_OUT:], shuffled[:HELD_OUT]


def _digits(numbers, n):
    """The n digits of each number, the last one first."""
    return numbers[:, None] // 10 ** torch.arange(n) % 10


def answer_targets(
    texts: Integer[Tensor, "n m"], equals: int, padding: int = -1
) -> Integer[Tensor, "n m-1"]:
    """The token after each but the last, and `IGNORED` before the equals sign and for padding."""
    targets = texts[:, 1:]
    answered = (texts[:, :-1] == equals).cumsum(dim=1) > 0
    return torch.where(answered & (targets != padding), targets, IGNORED)


@torch.no_grad()
def exact_match(model, texts: Integer[Tensor, "n m"], targets: Integer[Tensor, "n m-1"]) -> float:
    """The fraction of texts whose answer is right in every token.

    Each token is guessed after the true ones before it. Where all guesses are right these are what
    the model would have written itself, so that the fraction is that of its own writing, too.
    """
    right = model(texts[:, :-1]).argmax(dim=-1) == targets
    return (right | (targets == IGNORED)).all(dim=1).double().mean().item()
