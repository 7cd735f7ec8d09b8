"""The translator of dates: padding reaches nothing, and each symbol knows only what came before."""

import pytest
import torch
from torch import nn

from attnbook import models
from attnbook.models import translator
from attnbook.pytorch import AdditiveAttention, DotProductAttention

TEXTS, ISOS = (
    ["7 mars 1988", "28 de septiembre de 1988", "1.2.1934"],
    ["1988-03-07", "1988-09-28", "1934-02-01"],
)
START, HIDDEN = 11, 8
ATTENTIONS = {
    "additive": lambda: AdditiveAttention(HIDDEN, HIDDEN, HIDDEN),
    "dot product": DotProductAttention,
    "none": lambda: None,
}


def made(name="additive"):
    torch.manual_seed(0)
    return models.Translator(48, 11, HIDDEN, ATTENTIONS[name]()).double()


def batch():
    return *models.letters_of(TEXTS), models.shifted(models.symbols_of(ISOS), START)


def padding_counts(model):
    """Whether what is said of a text depends on how much padding there is, or on what is in it."""
    letters, lens, given = batch()
    together, other = model(letters, lens, given), letters.clone()
    for row, n in zip(other, lens, strict=True):
        row[n:] = 5
    if not torch.allclose(model(other, lens, given), together, atol=1e-12):
        return True
    alone = [
        model(x[None, :n], n[None], y[None]) for x, n, y in zip(letters, lens, given, strict=True)
    ]
    return not torch.allclose(torch.cat(alone), together, atol=1e-12)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_padding_is_masked(name):
    assert not padding_counts(made(name))


class Unmasked(nn.Module):
    """Attention that is told no lengths."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, q, k, v, lens):
        return self.attention(q, k, v)


@pytest.mark.parametrize("name", ["additive", "dot product"])
def test_attention_without_a_mask_is_found(name):
    model = made(name)
    model.attention = Unmasked(model.attention)
    assert padding_counts(model)


def test_a_reader_that_walks_over_the_padding_is_found(monkeypatch):
    longest = lambda x, lens, **given: nn.utils.rnn.pack_padded_sequence(  # noqa: E731
        x, torch.full_like(lens, x.shape[1]), **given
    )
    monkeypatch.setattr(translator, "pack_padded_sequence", longest)
    assert padding_counts(made("none"))


@pytest.mark.parametrize("name", ["additive", "dot product"])
def test_weights_are_those_of_the_output_and_padding_has_none(name):
    model, (letters, lens, given) = made(name), batch()
    weights = model.weights(letters, lens, given)
    assert torch.allclose(weights.sum(dim=-1), torch.ones(3, 10, dtype=torch.float64))
    assert all((row[:, n:] == 0).all() for row, n in zip(weights, lens, strict=True))
    states, last = model.reader(letters, lens)
    written, _ = model.gru(model.vectors(given), last)
    logits = model.out(torch.cat([written, weights @ states], dim=-1))
    assert torch.allclose(logits, model(letters, lens, given), atol=1e-12)


def sees_ahead(model):
    """Whether a symbol depends on one that is written later."""
    letters, lens, given = batch()
    later = given.clone()
    later[:, 6:] = 4
    return not torch.equal(model(letters, lens, given)[:, :6], model(letters, lens, later)[:, :6])


@pytest.mark.parametrize("name", ATTENTIONS)
def test_a_symbol_knows_nothing_of_those_behind_it(name):
    assert not sees_ahead(made(name))


def test_a_writer_that_reads_ahead_is_found():
    model = made("none")
    model.gru = nn.GRU(translator.WIDTH, HIDDEN // 2, batch_first=True, bidirectional=True).double()
    forward = model.gru.forward
    model.gru.forward = lambda x, last: forward(
        x, last.unflatten(-1, (2, -1))[0].movedim(1, 0).contiguous()
    )
    assert sees_ahead(model)


def test_the_state_of_a_letter_knows_both_sides():
    letters, lens = models.letters_of(["7 mars 1988"])
    reader, other = made().reader, letters.clone()
    other[0, 5] = 3
    before, after = reader(letters, lens)[0], reader(other, lens)[0]
    assert (before != after).any(dim=-1).all()


def test_translating_is_what_the_logits_say_symbol_by_symbol():
    model, (letters, lens, _) = made(), batch()
    symbols = models.translate(model, letters, lens, 10, START)
    best = model(letters, lens, models.shifted(symbols, START)).argmax(dim=-1)
    assert torch.equal(symbols, best)
    assert not torch.equal(symbols, model(letters, lens, symbols).argmax(dim=-1))  # not shifted


def test_what_was_written_before_begins_with_the_start():
    assert models.shifted(torch.tensor([[4, 5, 6]]), 9).tolist() == [[9, 4, 5]]


def test_without_attention_there_are_no_weights():
    with pytest.raises(ValueError, match="attention is None; expected a module, which has weights"):
        made("none").weights(*batch())


def test_a_text_of_other_axes_is_refused():
    letters, lens, given = batch()
    with pytest.raises(TypeError, match="lens"):
        made()(letters, lens[:, None], given)
