"""The models, against PyTorch's own layers, and by what may influence what."""

import pytest
import torch
from torch import nn

from attnbook import pytorch
from attnbook.models import Block, EncoderDecoder, SelfAttention, Transformer, blocks

EPS = torch.finfo(torch.float64).eps
CAUSAL = pytorch.causal_mask(5, 5)
LENS = torch.tensor([2, 4])


def seeded(made, *given, **settings):
    torch.manual_seed(0)
    return made(*given, **settings).double()


def drawn(*shape):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def tokens(*shape):
    return torch.randint(7, shape, generator=torch.Generator().manual_seed(2))


def close(actual, expected, eps=512 * EPS):
    """Two orders of the same sums of numbers near 1, through a few layers."""
    torch.testing.assert_close(actual, expected, rtol=eps, atol=eps)


def theirs(ours):
    """PyTorch's layer with the parts of a block."""
    kind = nn.TransformerEncoderLayer if ours.cross is None else nn.TransformerDecoderLayer
    layer = kind(8, 2, 32, 0.0, batch_first=True, norm_first=True).double()
    attention = pytorch.MultiHeadAttention(8, 2).double()
    attention.load_state_dict(ours.attention.state_dict())
    layer.self_attn = pytorch.to_multihead(attention)
    layer.linear1, layer.linear2 = ours.dense[0], ours.dense[2]
    norms = [ours.norm_attention, ours.norm_cross, ours.norm_dense]
    if ours.cross is not None:
        layer.multihead_attn = pytorch.to_multihead(ours.cross)
    for n, norm in enumerate(filter(None, norms), start=1):
        setattr(layer, f"norm{n}", norm)
    return layer


def like_pytorch(made=Block):
    ours, x = seeded(made, 8, 2), drawn(2, 5, 8)
    close(ours(x, CAUSAL), theirs(ours)(x, src_mask=~CAUSAL))


def across_like_pytorch(made=Block):
    ours, x, source = seeded(made, 8, 2, cross=True), drawn(2, 5, 8), drawn(2, 4, 8).flip(0)
    hidden = pytorch.to_key_padding_mask(LENS, 4)
    wanted = theirs(ours)(x, source, tgt_mask=~CAUSAL, memory_key_padding_mask=hidden)
    close(ours(x, CAUSAL, source=source, source_lens=LENS), wanted)


def test_a_block_is_pytorchs_layer_with_the_norm_first():
    like_pytorch()


def test_a_block_with_cross_attention_is_pytorchs_decoder_layer():
    across_like_pytorch()


class PostNorm(Block):
    def forward(self, x, mask=None, positions=None, source=None, source_lens=None):
        x = self.norm_attention(x + self.attention(x, mask))
        return self.norm_dense(x + self.dense(x))


class WithoutResiduals(Block):
    def forward(self, x, mask=None, positions=None, source=None, source_lens=None):
        return self.dense(self.norm_dense(self.attention(self.norm_attention(x), mask)))


class Unmasked(Block):
    def forward(self, x, mask=None, *others, **more):
        return super().forward(x, None, *others, **more)


class ReadsItself(Block):
    def forward(self, x, *others, source, source_lens):
        return super().forward(x, *others, source=x[:, :4], source_lens=source_lens)


class PaddingRead(Block):
    def forward(self, x, *others, source, source_lens):
        return super().forward(x, *others, source=source)


@pytest.mark.parametrize("wrong", [PostNorm, WithoutResiduals, Unmasked])
def test_another_block_is_rejected(wrong):
    with pytest.raises(AssertionError):
        like_pytorch(wrong)


@pytest.mark.parametrize("wrong", [ReadsItself, PaddingRead])
def test_another_cross_attention_is_rejected(wrong):
    with pytest.raises(AssertionError):
        across_like_pytorch(wrong)


def only_distances_count(attention):
    x, start = drawn(2, 5, 8), torch.arange(5)
    close(attention(x, CAUSAL, start + 7), attention(x, CAUSAL, start))
    assert not torch.allclose(attention(x, CAUSAL, 2 * start), attention(x, CAUSAL, start))
    q, k, v = attention.heads(x, start)
    plain = attention.heads(x)
    theta = pytorch.frequencies(4)
    for turned, straight in zip((q, k), plain, strict=False):
        close(turned, pytorch.rope(straight, start[None], theta))
    assert torch.equal(v, plain[2])


def test_positions_turn_queries_and_keys_and_only_distances_count():
    only_distances_count(seeded(SelfAttention, 8, 2))


@pytest.mark.parametrize("turned", ["nothing", "the keys alone"])
def test_other_rotations_are_rejected(monkeypatch, turned):
    right, calls = pytorch.rope, []

    def rope(x, positions, pairs):
        calls.append(x)
        straight = turned == "nothing" or len(calls) % 2
        return x if straight else right(x, positions, pairs)

    monkeypatch.setattr(blocks, "rope", rope)
    with pytest.raises(AssertionError):
        only_distances_count(seeded(SelfAttention, 8, 2))


def test_heads_are_what_a_cache_needs():
    """The last query alone, with the keys and values of all, finds what it finds in the text."""
    attention, x = seeded(SelfAttention, 8, 2), drawn(1, 5, 8)
    _, k, v = attention.heads(x[:, :4], torch.arange(4))
    q, last_k, last_v = attention.heads(x[:, 4:], torch.tensor([4]))
    k, v = torch.cat([k, last_k], dim=-2), torch.cat([v, last_v], dim=-2)
    found = attention.w_o(pytorch.merge_heads(pytorch.scaled_dot_product_attention(q, k, v)))
    close(found, attention(x, CAUSAL, torch.arange(5))[:, 4:])


def moved(function, given, at):
    """At which positions the output moves, if the token at a position is another."""
    changed = given.clone()
    changed[:, at] = (changed[:, at] + 1) % 7
    return (function(changed) - function(given)).abs().amax(dim=(0, 2)) > 1e-9


def keeps_from_the_future(model):
    for at in range(5):
        assert moved(model, tokens(2, 5), at).tolist() == [i >= at for i in range(5)]


@pytest.mark.parametrize("max_length", [None, 6])
@pytest.mark.parametrize("d_hidden", [None, 0, 3])
def test_a_decoder_reads_its_past_alone(max_length, d_hidden):
    keeps_from_the_future(seeded(Transformer, 7, 8, 2, 2, d_hidden, max_length))


def test_a_decoder_that_sees_the_future_is_rejected():
    model = seeded(Transformer, 7, 8, 0, 2)
    model.blocks.extend([seeded(Unmasked, 8, 2)])
    with pytest.raises(AssertionError):
        keeps_from_the_future(model)


@pytest.mark.parametrize("max_length", [None, 6])
def test_the_order_of_the_tokens_counts(max_length):
    model = seeded(Transformer, 7, 8, 1, 2, max_length=max_length)
    one, other = torch.tensor([[1, 2, 3]]), torch.tensor([[2, 1, 3]])
    assert (model(one)[:, -1] - model(other)[:, -1]).abs().max() > 1e-3
    model.embedding.weight.data.zero_()
    assert moved(model, one, 1).sum() == 0  # the logits depend on tokens through embeddings alone


def test_the_weights_are_those_with_which_the_values_are_mixed():
    model, text = seeded(Transformer, 7, 8, 2, 2), tokens(3, 5)
    weights = model.weights(text)
    close(weights.sum(dim=-1), torch.ones(2, 3, 2, 5, dtype=torch.float64))
    assert (weights.amax(dim=(0, 1, 2)) > 0).equal(CAUSAL)
    x, positions = model.embedding(text), torch.arange(5)
    for block, layer in zip(model.blocks, weights, strict=True):
        _, _, v = block.attention.heads(block.norm_attention(x), positions)
        found = block.attention.w_o(pytorch.merge_heads(layer @ v))
        x = x + found
        x = x + block.dense(block.norm_dense(x))
    close(model.logits(model.norm(x)), model(text))


def reads_the_source(model):
    source, target = tokens(2, 4), tokens(2, 5)
    memory = moved(lambda given: model.encode(given), source, 3)
    assert memory.all()  # each token of the source reads all of it
    assert moved(lambda given: model(given, target), source, 0).all()
    assert moved(lambda given: model(source, given), target, 2).tolist() == [False] * 2 + [True] * 3
    longer = torch.cat([source, tokens(2, 2)], dim=1)
    lens = torch.tensor([4, 4])
    close(model(longer, target, lens), model(source, target))


def test_an_encoder_decoder_reads_all_of_the_source_and_no_padding():
    reads_the_source(seeded(EncoderDecoder, 7, 7, 8, 2, 2))


@pytest.mark.parametrize("wrong", [ReadsItself, PaddingRead, Unmasked])
def test_an_encoder_decoder_with_another_block_is_rejected(wrong):
    model = seeded(EncoderDecoder, 7, 7, 8, 1, 2)
    model.decoder[0].__class__ = wrong
    with pytest.raises(AssertionError):
        reads_the_source(model)


def stretches(attention):
    """Twice as far apart, and every pair half as fast: nothing has moved."""
    given, positions = drawn(2, 5, 8), torch.arange(5)
    before = attention(given, CAUSAL, positions)
    attention.stretch = 2, "linear"
    close(attention(given, CAUSAL, 2 * positions), before)
    assert (attention(given, CAUSAL, positions) - before).abs().max() > 1e-3
    attention.stretch = 2, "ntk"
    assert (attention(given, CAUSAL, 2 * positions) - before).abs().max() > 1e-3


def test_frequencies_that_are_stretched_move_the_words_together():
    stretches(seeded(SelfAttention, 8, 2))


class Unstretched(SelfAttention):
    def heads(self, x, positions=None):
        self.stretch = 1, "linear"
        return super().heads(x, positions)


def test_a_layer_that_does_not_stretch_is_rejected():
    with pytest.raises(AssertionError):
        stretches(seeded(Unstretched, 8, 2))


def test_parameters_are_those_of_the_formula():
    def count(module):
        return sum(p.numel() for p in module.parameters())

    d, n, v = 8, 3, 20
    block = 12 * d**2 + 9 * d
    assert count(Block(d, 2)) == block
    assert count(Block(d, 2, d_hidden=0)) == 4 * d**2 + 2 * d
    assert count(Transformer(v, d, n, 2)) == n * block + 2 * v * d + 2 * d
    assert count(Transformer(v, d, n, 4, max_length=10)) == n * block + (2 * v + 10) * d + 2 * d
    both = 2 * n * block + n * (4 * d**2 + 2 * d) + 4 * d
    assert count(EncoderDecoder(v, 7, d, n, 2)) == both + (v + 2 * 7) * d


def test_a_state_holds_parameters_alone_and_comes_back():
    model = seeded(Transformer, 7, 8, 2, 2)
    other = Transformer(7, 8, 2, 2).double()
    other.load_state_dict(model.state_dict())
    assert torch.equal(model(tokens(1, 5)), other(tokens(1, 5)))
    assert model.state_dict().keys() == {name for name, _ in model.named_parameters()}


def test_what_does_not_fit_is_refused_by_name():
    model = seeded(Transformer, 7, 8, 1, 2, max_length=4)
    with pytest.raises(ValueError, match="tokens has 7; expected 0 to 6"):
        model(torch.tensor([[1, 7]]))
    with pytest.raises(ValueError, match="tokens has -1; expected 0 to 6"):
        model.weights(torch.tensor([[1, -1]]))
    with pytest.raises(
        ValueError, match="tokens has the length 5; expected at most max_length = 4"
    ):
        model(tokens(1, 5))
    with pytest.raises(ValueError, match="n_heads is 3; expected a divisor of d_model = 8"):
        Transformer(7, 8, 1, 3)
    with pytest.raises(ValueError, match="vocabulary is 0; expected 1 or more"):
        Transformer(0, 8, 1, 2)
    with pytest.raises(ValueError, match="max_length is 0; expected 1 or more"):
        Transformer(7, 8, 1, 2, max_length=0)
    with pytest.raises(ValueError, match="d_hidden is -1; expected 0 or more"):
        Block(8, 2, d_hidden=-1)
    with pytest.raises(ValueError, match="source_vocabulary is 0; expected 1 or more"):
        EncoderDecoder(0, 7, 8, 1, 2)
    with pytest.raises(TypeError, match=r"tokens is .*; expected shape \(batch, n\)"):
        model(torch.tensor([1, 2]))
