"""Words to reverse and sums: every answer is right, and only the answer is asked for."""

import pytest
import torch

from attnbook import models
from attnbook.models import tasks


def drawn(draw, signs, n=300, **options):
    texts = draw(n, torch.Generator().manual_seed(3), **options)
    return ["".join(signs[token] for token in text) for text in texts]


def wrong_words(texts):
    """The texts that are no word, equals sign, word in reverse, stop and padding."""
    parts = [text.rstrip("_").partition("=") for text in texts]
    return [word for word, _, answer in parts if answer != word[::-1] + "." or not word.isalpha()]


def test_every_word_is_reversed_and_every_length_occurs():
    texts = drawn(models.reversals, models.WORD_SIGNS)
    assert wrong_words(texts) == []
    assert {text.index("=") for text in texts} == set(range(5, 13))
    assert {len(text) for text in texts} == {26}


def test_a_word_that_is_repeated_instead_is_found():
    texts = [text.replace("=", "=x", 1)[:-1] for text in drawn(models.reversals, models.WORD_SIGNS)]
    assert len(wrong_words(texts)) == len(texts)


def wrong_sums(texts):
    parts = [text.rstrip(".").replace("=", "+").split("+") for text in texts]
    return [(a, b) for a, b, answer in parts if int(a[::-1]) + int(b[::-1]) != int(answer[::-1])]


def test_every_sum_is_right():
    assert wrong_sums(drawn(models.sums, models.SUM_SIGNS)) == []


def test_a_sum_without_a_carry_is_found(monkeypatch):
    real = tasks._digits
    monkeypatch.setattr(tasks, "_digits", lambda x, n: real(x - 10 * (n == 4), n))
    assert wrong_sums(drawn(models.sums, models.SUM_SIGNS))


def test_no_sum_that_is_asked_was_trained_on():
    known, held_out = tasks.pairs_of_numbers()
    assert len(known) == 990_000 and len(held_out) == 10_000
    assert torch.equal(torch.cat([known, held_out]).sort().values, torch.arange(1_000_000))
    asked = set(drawn(models.sums, models.SUM_SIGNS, held_out=True))
    named = {
        f"{pair // 1000:03}"[::-1] + "+" + f"{pair % 1000:03}"[::-1] for pair in held_out.tolist()
    }
    assert {text.partition("=")[0] for text in asked} <= named


def test_held_out_sums_end_in_every_digit():
    """A hold-out by a formula, such as every hundredth sum, would leave some of them out."""
    ends = {text[8] for text in drawn(models.sums, models.SUM_SIGNS, held_out=True)}
    assert ends == set("0123456789")


def asked_for(texts, targets):
    return ["".join(models.WORD_SIGNS[t] for t in row if t >= 0) for row in targets]


def targets_of(texts):
    return models.answer_targets(texts, 26, padding=28)


def test_the_answer_is_asked_for_and_nothing_else():
    texts = models.reversals(50, torch.Generator().manual_seed(1))
    words = ["".join(models.WORD_SIGNS[t] for t in row).rstrip("_") for row in texts]
    answers = [word.partition("=")[2] for word in words]
    assert asked_for(texts, targets_of(texts)) == answers
    assert asked_for(texts, models.answer_targets(texts, 26)) != answers  # padding asked for, too


def test_a_target_stands_under_the_token_before_it():
    texts = torch.tensor([[4, 26, 4, 27, 28]])
    assert targets_of(texts).tolist() == [[-100, 4, 27, -100]]


class Sure:
    """A model that guesses what it was told, whatever it reads."""

    def __init__(self, targets):
        self.logits = torch.nn.functional.one_hot(targets.clamp(min=0), 29).double()

    def __call__(self, tokens):
        return self.logits


def test_an_answer_counts_only_if_all_of_it_is_right():
    texts = models.reversals(40, torch.Generator().manual_seed(1))
    targets = targets_of(texts)
    wrong = targets.clone()
    wrong[:10][targets[:10] == 27] = 0  # ten texts without their stop
    assert models.exact_match(Sure(targets), texts, targets) == 1.0
    assert models.exact_match(Sure(wrong), texts, targets) == 0.75


def test_what_is_not_asked_for_may_be_wrong():
    texts = models.reversals(40, torch.Generator().manual_seed(1))
    targets = targets_of(texts)
    strange = torch.where(targets < 0, 5, targets)
    assert models.exact_match(Sure(strange), texts, targets) == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g: models.reversals(0, g), "n is 0; expected 1 or more"),
        (lambda g: models.reversals(2, g, 0, 3), "shortest is 0; expected 1 or more"),
        (lambda g: models.reversals(2, g, 4, 3), "shortest is 4; expected at most longest = 3"),
        (lambda g: models.sums(0, g), "n is 0; expected 1 or more"),
    ],
)
def test_what_makes_no_texts_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(torch.Generator())
