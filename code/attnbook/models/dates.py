"""Days as people write them in five languages, each with its ISO date: 7 mars 1988, 1988-03-07.

A text becomes one number for each letter, 1 to n, and 0 is padding. An ISO date becomes ten numbers
from 0 to 10, the places of its symbols in `SYMBOLS`.
"""

import datetime
from functools import cache

import numpy as np
import torch
from torch import Tensor

SYMBOLS = "0123456789-"
FIRST, NUMBER = datetime.date(1900, 1, 1), 73_049  # to 31 December 2099
MONTHS = {
    "English": "January February March April May June July August September October November "
    "December",
    "German": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "French": "janvier février mars avril mai juin juillet août septembre octobre novembre "
    "décembre",
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "Italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre "
    "novembre dicembre",
}
FORMATS = (
    ("English", "{month} {day.day}, {day.year}"),
    ("English", "{day.day} {month} {day.year}"),
    ("English", "{day.year} {month} {day.day}"),
    ("German", "{day.day}. {month} {day.year}"),
    ("German", "{day.day}.{day.month}.{day.year}"),
    ("German", "{day:%d.%m.%Y}"),
    ("French", "{day.day} {month} {day.year}"),
    ("French", "le {day.day} {month} {day.year}"),
    ("Spanish", "{day.day} de {month} de {day.year}"),
    ("Italian", "{day.day} {month} {day.year}"),
)
LETTERS = sorted(set("".join([*MONTHS.values(), "0123456789 .,", "le", "de"])))
PLACES = {letter: n for n, letter in enumerate(LETTERS, start=1)}


def day_split(held_out: float = 0.1, seed: int = 0):
    """Two arrays of days, as numbers counted from 1 January 1900: to train on, and held out.

    No day is in both. Raises ValueError if the fraction that is held out is not between 0 and 1.
    """
    if not 0 < held_out < 1:
        raise ValueError(f"held_out is {held_out}; expected a fraction between 0 and 1")
    days = np.random.default_rng(seed).permutation(NUMBER)
    return np.split(days, [NUMBER - round(held_out * NUMBER)])


def date_pairs(days, n: int, seed: int = 0) -> list[tuple[str, str]]:
    """`n` pairs of a text and its ISO date, of days and formats that are drawn at random."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(days, n), rng.integers(len(FORMATS), size=n)
    return [_pair(int(day), FORMATS[form]) for day, form in zip(*chosen, strict=True)]


def _pair(number, form):
    language, pattern = form
    day = FIRST + datetime.timedelta(days=number)
    month = MONTHS[language].split()[day.month - 1]
    return pattern.format(day=day, month=month), day.isoformat()


def other_digit(text: str, j: int) -> str:
    """The text with the next larger digit at j (0 follows 9) that leaves the text of some day.

    The text stays as it is where no digit does, as in the first two of a year, or j has no digit.

    >>> other_digit("28 février 1923", 1), other_digit("28 février 1923", 11)
    ('20 février 1923', '28 février 1923')
    """
    if text[j] not in SYMBOLS[:10]:
        return text
    tries = (str((int(text[j]) + k) % 10) for k in range(1, 10))
    others = (text[:j] + digit + text[j + 1 :] for digit in tries)
    return next((other for other in others if other in _texts()), text)


@cache
def _texts():
    return {_pair(number, form)[0] for number in range(NUMBER) for form in FORMATS}


def letters_of(texts: list[str]) -> tuple[Tensor, Tensor]:
    """The texts as numbers, (n, longest), with 0 behind their ends, and their lengths, (n,).

    Raises ValueError if a letter occurs in no date of ours, or a text is empty.
    """
    for text in texts:
        if strange := [letter for letter in text if letter not in PLACES]:
            raise ValueError(f"a text has {strange[0]!r}; expected letters of {''.join(LETTERS)!r}")
        if not text:
            raise ValueError("a text is empty; expected one letter or more")
    lens = torch.tensor([len(text) for text in texts])
    letters = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.int64)
    for row, text in zip(letters, texts, strict=True):
        row[: len(text)] = torch.tensor([PLACES[letter] for letter in text])
    return letters, lens


def symbols_of(isos: list[str]) -> Tensor:
    """ISO dates as numbers, (n, 10)."""
    return torch.tensor([[SYMBOLS.index(symbol) for symbol in iso] for iso in isos])


def text_of(symbols: Tensor) -> str:
    """One row of numbers as symbols again.

    >>> text_of(symbols_of(["1988-03-07"])[0])
    '1988-03-07'
    """
    return "".join(SYMBOLS[int(n)] for n in symbols)
