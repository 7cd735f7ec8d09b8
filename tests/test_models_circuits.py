"""A Transformer by heads: the parts add up to the whole, and one can be replaced."""

import pytest
import torch

from attnbook.models import SelfAttention, Transformer, head_matrices, heads_of, logits_with
from attnbook.pytorch import causal_mask

N = 5
MASK = causal_mask(N, N)


def made(d_hidden=0, max_length=None, n_heads=2):
    torch.manual_seed(0)
    return Transformer(7, 8, 2, n_heads, d_hidden, max_length).double().requires_grad_(False)


def tokens():
    return torch.randint(7, (3, N), generator=torch.Generator().manual_seed(2))


def drawn(*shape):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def close(actual, expected):
    """The same sums of numbers near 1 in another order, through a few layers, in float64."""
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-12)


def add_up(attention_class):
    attention = attention_class(8, 2).double()
    for positions in (None, torch.arange(N)):
        given = drawn(3, N, 8), MASK, positions
        close(attention.written(*given).sum(dim=1), attention(*given))


def test_what_the_heads_write_adds_up_to_attention():
    torch.manual_seed(0)
    add_up(SelfAttention)


class OtherRows(SelfAttention):
    """Each head with the rows of W_o that belong to the other."""

    def written(self, x, mask=None, positions=None):
        found = self._found(x, mask, positions)
        return found @ self.w_o.weight.mT.unflatten(0, (self.n_heads, -1)).flip(0)


class Whole(SelfAttention):
    """Every head writes what all of them write."""

    def written(self, x, mask=None, positions=None):
        return self(x, mask, positions)[:, None].expand(-1, self.n_heads, -1, -1)


@pytest.mark.parametrize("wrong", [OtherRows, Whole])
def test_parts_that_do_not_add_up_are_rejected(wrong):
    with pytest.raises(AssertionError):
        add_up(wrong)


def is_the_head(matrices):
    """W_Q, W_K, W_V and W_O by the equation of one head, without positions."""
    attention, x = SelfAttention(8, 2).double(), drawn(3, N, 8)
    for head in range(2):
        w_q, w_k, w_v, w_o = matrices(attention, head)
        scores = (x @ w_q) @ (x @ w_k).mT / 2  # the root of d_head = 4
        weights = torch.softmax(scores.masked_fill(~MASK, -torch.inf), dim=-1)
        close(weights @ (x @ w_v) @ w_o, attention.written(x, MASK)[:, head])


def test_the_matrices_of_a_head_give_what_it_writes():
    torch.manual_seed(0)
    is_the_head(head_matrices)


WRONG = {
    "queries and keys exchanged": lambda a, h: [head_matrices(a, h)[n] for n in (1, 0, 2, 3)],
    "the other head": lambda a, h: head_matrices(a, 1 - h),
    "as PyTorch keeps them": lambda a, h: [
        *(w.weight[4 * h : 4 * h + 4] for w in (a.w_q, a.w_k, a.w_v)),
        a.w_o.weight[:, 4 * h : 4 * h + 4],
    ],
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_other_matrices_are_rejected(wrong):
    torch.manual_seed(0)
    with pytest.raises((AssertionError, RuntimeError)):
        is_the_head(wrong)


@pytest.mark.parametrize("max_length", [None, 6])
@pytest.mark.parametrize("d_hidden", [None, 0])
def test_with_nothing_replaced_the_model_is_what_it_was(d_hidden, max_length):
    model, text = made(d_hidden, max_length), tokens()
    close(logits_with(model, text, {}), model(text))
    kept = heads_of(model, text)
    assert kept.shape == (2, 3, 2, N, 8)
    own = {(layer, head): kept[layer, :, head] for layer in range(2) for head in range(2)}
    close(logits_with(model, text, own), model(text))


@pytest.mark.parametrize("d_hidden", [None, 0])
def test_an_attention_only_stream_is_the_embedding_and_the_heads(d_hidden):
    model, text = made(d_hidden), tokens()
    stream = model.embedding(text) + heads_of(model, text).sum(dim=(0, 2))
    found = model.logits(model.norm(stream))
    if d_hidden == 0:
        close(found, model(text))
    else:  # dense layers add as well, so that the sum above is wrong
        assert (found - model(text)).abs().max() > 0.01


def silences_one(function):
    """Zeros for a head are the model whose W_o has zeros for it, and another model than before."""
    for layer in range(2):
        model, text = made(), tokens()
        before = model(text)
        silenced = function(model, text, {(layer, 1): torch.zeros(())})
        model.blocks[layer].attention.w_o.weight[:, 4:] = 0
        close(silenced, model(text))
        assert (silenced - before).abs().max() > 0.01


def test_a_head_that_adds_nothing_is_one_with_an_empty_w_o():
    silences_one(logits_with)


def without_stream(model, text, replaced):
    """The head's layer adds what is given, and no other head of it."""
    x, mask, positions = model.start(text)
    for layer, block in enumerate(model.blocks):
        found = block.attention(block.norm_attention(x), mask, positions)
        x = x + (0 if any(at == layer for at, _ in replaced) else found)
    return model.logits(model.norm(x))


def stale(model, text, replaced):
    """Later heads write what they wrote before the change."""
    kept = heads_of(model, text).clone()
    for (layer, head), other in replaced.items():
        kept[layer, :, head] = other
    return model.logits(model.norm(model.embedding(text) + kept.sum(dim=(0, 2))))


@pytest.mark.parametrize("wrong", [without_stream, stale, lambda model, text, _: model(text)])
def test_another_ablation_is_rejected(wrong):
    with pytest.raises(AssertionError):
        silences_one(wrong)


def test_a_patch_of_all_heads_in_front_of_a_position_is_seen_behind_it_alone():
    model, text = made(), tokens()
    other = heads_of(model, text.flip(1))[0, :, 0]
    other[:, :3] = heads_of(model, text)[0, :, 0, :3]
    moved = (logits_with(model, text, {(0, 0): other}) - model(text)).abs().amax(dim=(0, 2))
    assert (moved > 1e-9).tolist() == [False] * 3 + [True] * 2


def test_what_was_replaced_is_what_is_returned():
    model, text = made(), tokens()
    mean = heads_of(model, text)[0, :, 1].mean(dim=(0, 1))
    assert (heads_of(model, text, {(0, 1): mean})[0, :, 1] == mean).all()


def test_gradients_reach_what_is_put_in_a_heads_place():
    model, text = made(), tokens()
    other = drawn(3, N, 8).requires_grad_()
    logits_with(model, text, {(0, 1): other}).square().sum().backward()
    assert (other.grad.abs() > 0).any(dim=-1).all()


def test_what_does_not_fit_is_refused_by_name():
    model, text = made(), tokens()
    with pytest.raises(ValueError, match="layer is 2; expected 0 to 1"):
        logits_with(model, text, {(2, 0): torch.zeros(())})
    with pytest.raises(ValueError, match="head is -1; expected 0 to 1"):
        heads_of(model, text, {(0, -1): torch.zeros(())})
    with pytest.raises(ValueError, match="head is 2; expected 0 to 1"):
        head_matrices(model.blocks[0].attention, 2)
