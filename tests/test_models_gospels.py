"""The text that characters are learned from, and the bits that a model pays for them."""

import hashlib
import math

import pytest
import torch

from attnbook import models

SHA256 = "15abe7be320880285f8e50e8f7bc3a2c0684456496f53f84eae4cbcb9199a857"


def test_it_is_the_text_that_the_record_was_made_of():
    text = models.gospels()
    assert hashlib.sha256(text.encode()).hexdigest() == SHA256
    assert len(text) == 436_247 and len(set(text)) == 61
    verses = text.splitlines()
    assert len(verses) == 1071 + 678 + 1151 + 879  # Matthew, Mark, Luke and John
    assert verses[0].startswith("The book of the generation") and verses[-1].endswith("Amen.")


def test_tokens_are_places_and_strangers_are_refused():
    assert models.tokens_of("baa", "ab").tolist() == [1, 0, 0]
    with pytest.raises(ValueError, match="text has 'é'; expected characters of 'ab'"):
        models.tokens_of("bé", "ab")


def test_windows_begin_anywhere_and_stay_inside():
    text = torch.arange(10)
    found = models.windows(text, 4, 500, torch.Generator().manual_seed(0))
    assert found.shape == (500, 4)
    assert torch.equal(found, found[:, :1] + torch.arange(4))
    assert set(found[:, 0].tolist()) == set(range(7))
    with pytest.raises(ValueError, match="tokens has the length 3; expected 4 or more"):
        models.windows(text[:3], 4, 1, torch.Generator())


def seen_by(context, n=200):
    """How many tokens before it a model had for each that counts, and the bits it pays."""
    seen = []

    class Watched:
        def __call__(self, tokens):
            seen.append(tokens)
            return torch.zeros(*tokens.shape, 8)

    bits = models.bits_per_token(Watched(), torch.arange(n) % 8, context)
    return torch.cat(seen), bits


@pytest.mark.parametrize("context", [2, 3, 8, 96])
def test_who_knows_nothing_of_eight_tokens_pays_three_bits(context):
    pieces, bits = seen_by(context)
    assert pieces.shape[1] == context
    assert math.isclose(bits, 3.0, rel_tol=1e-6)  # a mean of float32 numbers that are equal


class Copies:
    """Is sure that each token comes again: pays nearly nothing if so, and 20 nats if not."""

    def __call__(self, tokens):
        return 20.0 * torch.nn.functional.one_hot(tokens, 8)


def test_it_pays_for_the_token_that_comes_next_and_not_for_the_one_it_reads():
    same, changing = torch.full((50,), 5), torch.arange(50) % 8
    assert models.bits_per_token(Copies(), same, 8) < 1e-4
    assert abs(models.bits_per_token(Copies(), changing, 8) - 20 / math.log(2)) < 1e-4


def test_every_token_that_counts_counts_once():
    """One dear token, anywhere behind the first half piece, makes the sum dearer by the same."""
    n, context = 49, 8
    costs = []
    for place in range(n):
        tokens = torch.zeros(n, dtype=torch.int64)
        tokens[place] = 1

        class Zeros:
            def __call__(self, tokens):
                logits = torch.zeros(*tokens.shape, 2)
                logits[..., 0] = 5.0
                return logits

        costs.append(models.bits_per_token(Zeros(), tokens, context))
    dear = [place for place in range(n) if costs[place] > min(costs) + 1e-6]
    assert dear == list(range(context // 2 + 1, n))
    assert max(costs) - min(costs[p] for p in dear) < 1e-6  # all alike up to float32's rounding


@pytest.mark.parametrize(
    ("n", "context", "words"),
    [
        (50, 1, "context is 1; expected 2 or more"),
        (8, 8, "tokens has the length 8; expected 9 or more"),
    ],
)
def test_too_little_text_is_refused(n, context, words):
    with pytest.raises(ValueError, match=words):
        models.bits_per_token(Copies(), torch.zeros(n, dtype=torch.int64), context)
