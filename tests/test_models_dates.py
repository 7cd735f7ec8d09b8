"""Dates and their texts: the right day in every format, and no day on both sides."""

import datetime
import re

import pytest
import torch

from attnbook import models
from attnbook.models import dates

MONTH = {
    name: n for names in dates.MONTHS.values() for n, name in enumerate(names.split(), start=1)
}


def read_back(text):
    """The ISO date of a text, found by another way: words and numbers alone."""
    numbers = re.findall(r"\d+", text)
    year = next(n for n in numbers if len(n) == 4)
    others = [int(n) for n in numbers if len(n) < 4]
    named = [MONTH[word] for word in re.findall(r"[^\W\d]+", text) if word in MONTH]
    day, month = others if len(others) == 2 else (*others, *named)
    return datetime.date(int(year), month, day).isoformat()


def pairs():
    return models.date_pairs(models.day_split()[0], 3000, seed=5)


def test_every_text_says_its_day():
    assert [iso for text, iso in pairs() if read_back(text) != iso] == []


def test_a_month_that_is_off_by_one_is_found(monkeypatch):
    turned = {
        key: " ".join(names.split()[1:] + names.split()[:1]) for key, names in dates.MONTHS.items()
    }
    monkeypatch.setattr(dates, "MONTHS", turned)
    assert any(read_back(text) != iso for text, iso in pairs())


def test_every_format_of_every_language_occurs():
    texts = [text for text, _ in pairs()]
    for part in ("le ", " de ", ". ", ", ", "."):
        assert any(part in text for text in texts)
    words = {word for text in texts for word in re.findall(r"[^\W\d]+", text)} & set(MONTH)
    assert words == set(MONTH)


def test_no_day_is_on_both_sides_and_none_is_lost():
    seen, unseen = models.day_split(0.1)
    assert len(seen) + len(unseen) == len({*seen, *unseen}) == dates.NUMBER
    assert len(unseen) == 7305
    last = dates.FIRST + datetime.timedelta(days=dates.NUMBER - 1)
    assert last == datetime.date(2099, 12, 31)
    assert unseen.tolist() != models.day_split(0.1, seed=1)[1].tolist()


def test_a_seed_draws_the_same_pairs():
    days = models.day_split()[1]
    assert models.date_pairs(days, 5) == models.date_pairs(days, 5)
    assert models.date_pairs(days, 5) != models.date_pairs(days, 5, seed=1)


def test_letters_are_numbered_from_1_and_padded_with_0():
    letters, lens = models.letters_of(["7 mai", "7"])
    assert lens.tolist() == [5, 1]
    assert (letters > 0).tolist() == [[True] * 5, [True] + [False] * 4]
    assert "".join(dates.LETTERS[n - 1] for n in letters[0]) == "7 mai"


def test_symbols_come_back():
    isos = [iso for _, iso in pairs()[:50]]
    assert [models.text_of(row) for row in models.symbols_of(isos)] == isos
    assert models.symbols_of(isos).shape == (50, 10) and torch.is_tensor(models.symbols_of(isos))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: models.letters_of(["7 мая 1988"]), "a text has 'м'; expected letters of"),
        (lambda: models.letters_of([""]), "a text is empty"),
        (lambda: models.day_split(1.0), "held_out is 1.0; expected a fraction between 0 and 1"),
    ],
)
def test_what_does_not_fit_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_another_digit_leaves_the_text_of_a_day():
    changed = 0
    for text, _ in pairs()[:100]:
        for j, letter in enumerate(text):
            other = models.other_digit(text, j)
            day = datetime.date.fromisoformat(read_back(other))
            assert 1900 <= day.year <= 2099
            same = [a == b for a, b in zip(text, other, strict=True)]
            assert same.count(False) <= letter.isdigit() and all(same[:j] + same[j + 1 :])
            changed += not all(same)
    assert changed > 300


@pytest.mark.parametrize(
    ("text", "j", "other"),
    [
        ("14 July 1923", 1, "15 July 1923"),
        ("19 July 1923", 1, "10 July 1923"),
        ("31 mars 2083", 0, "11 mars 2083"),  # no text of ours begins with 01 mars
        ("31.12.2083", 0, "01.12.2083"),
        ("29 February 2000", 15, "29 February 2004"),
        ("14 July 1923", 8, "14 July 1923"),
        ("14 July 1923", 9, "14 July 1923"),
        ("14 July 1923", 3, "14 July 1923"),
    ],
)
def test_the_next_digit_that_leaves_a_day_is_taken(text, j, other):
    assert models.other_digit(text, j) == other
