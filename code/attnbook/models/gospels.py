"""A text of 436,247 characters: the four Gospels in the King James Version.

The text is that of Debian's package bible-kjv-text 4.38, in the order of the book, one verse a line
without its number; headings are left out. The file is compressed by bz2. Its copyright has expired,
as that package states.
"""

import bz2
import math
from pathlib import Path

import torch
from jaxtyping import Integer
from torch import Tensor
from torch.nn.functional import cross_entropy

from attnbook.checks import at_least

Tokens = Integer[Tensor, "n"]


def gospels() -> str:
    """The whole text, in 61 different characters."""
    return bz2.decompress(Path(__file__).with_name("gospels.txt.bz2").read_bytes()).decode("ascii")


def tokens_of(text: str, signs: str) -> Tokens:
    """Each character's place in `signs`. Raises ValueError for a character that is not among them.

    >>> tokens_of("cab", "abc").tolist()
    [2, 0, 1]
    """
    places = {sign: n for n, sign in enumerate(signs)}
    if strange := sorted(set(text) - set(places)):
        raise ValueError(f"text has {strange[0]!r}; expected characters of {signs!r}")
    return torch.tensor([places[sign] for sign in text])


def windows(
    tokens: Tokens, length: int, batch: int, generator: torch.Generator
) -> Integer[Tensor, "batch length"]:
    """`batch` pieces of a text, each of `length` tokens, that begin anywhere.

    Raises ValueError if the text is shorter than a piece.
    """
    _refuse_shorter(tokens, length)
    begin = torch.randint(len(tokens) - length + 1, (batch, 1), generator=generator)
    return tokens[begin + torch.arange(length)]


@torch.no_grad()
def bits_per_token(model, tokens: Tokens, context: int) -> float:
    """What the model pays for each token of a text, in bits, the mean of -log2 p.

    The text is read in pieces of `context` tokens that overlap by half. Of each piece the second
    half is counted, so that every token that counts has had context / 2 before it or more. Raises
    ValueError if `context` is below 2, or the text is too short for one piece and its next token.
    """
    at_least(2, context=context)
    _refuse_shorter(tokens, context + 1)
    half, nats, counted = context // 2, 0.0, 0
    for pieces in tokens.unfold(0, context + 1, half).split(64):
        logits, targets = model(pieces[:, :-1])[:, -half:], pieces[:, -half:]
        nats += cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
        counted += targets.numel()
    return nats / counted / math.log(2)


def _refuse_shorter(tokens, least):
    if len(tokens) < least:
        raise ValueError(f"tokens has the length {len(tokens)}; expected {least} or more")
