"""What goes with the weights to `torch.nn.MultiheadAttention` and back, and what is refused."""

import pytest
import torch
from torch import nn

from attnbook import pytorch

HIDDEN = torch.tensor([[False, True, True], [False, False, True]])


def test_each_mask_may_be_missing():
    assert pytorch.from_torch_mask() is None
    assert torch.equal(pytorch.from_torch_mask(HIDDEN), ~HIDDEN)
    alone = pytorch.from_torch_mask(key_padding_mask=HIDDEN)
    assert torch.equal(alone, ~HIDDEN[:, None])


@pytest.mark.parametrize("option", ["add_bias_kv", "add_zero_attn", "kdim", "vdim"])
def test_a_module_with_more_than_ours_is_refused(option):
    with pytest.raises(ValueError, match="expected one without"):
        pytorch.from_multihead(nn.MultiheadAttention(8, 2, batch_first=True, **{option: True}))


@pytest.mark.parametrize("training", [True, False])
def test_rate_of_dropout_dtype_and_mode_are_kept_both_ways(training):
    theirs = nn.MultiheadAttention(8, 2, dropout=0.25, batch_first=True, dtype=torch.float64).train(
        training
    )
    ours = pytorch.from_multihead(theirs)
    again = pytorch.to_multihead(ours)
    assert ours.dropout.p == again.dropout == 0.25
    assert ours.training == again.training == training
    assert ours.w_q.weight.dtype == again.in_proj_weight.dtype == torch.float64


def test_weights_are_copied_and_not_shared():
    theirs = nn.MultiheadAttention(8, 2, batch_first=True)
    ours = pytorch.from_multihead(theirs)
    before = ours.w_o.weight.clone()
    nn.init.zeros_(theirs.out_proj.weight)
    assert torch.equal(ours.w_o.weight, before)


def test_a_module_with_its_batch_second_is_refused():
    with pytest.raises(ValueError, match="from_multihead: batch_first is False; expected"):
        pytorch.from_multihead(nn.MultiheadAttention(8, 2))


def by_head(rows):
    generator = torch.Generator().manual_seed(0)
    return torch.rand(2, 2, rows, 4, generator=generator) < 0.7


MASKS = {
    "padding": pytorch.padding_mask(torch.tensor([2, 4]), 4),
    "one row": torch.tensor([[True, True, False, True]]),
    "for each head": by_head(4) | torch.eye(4, dtype=torch.bool),
    "for all heads": pytorch.causal_mask(4, 4)[None, None].expand(2, 1, 4, 4),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_each_mask_that_ours_takes_is_one_that_theirs_takes(mask):
    x = torch.randn(2, 4, 8, generator=torch.Generator().manual_seed(1))
    ours = pytorch.MultiHeadAttention(8, 2).eval()
    theirs = pytorch.to_multihead(ours)
    hidden = pytorch.to_torch_mask(mask, 2)
    out = theirs(x, x, x, attn_mask=hidden, need_weights=False)[0]
    torch.testing.assert_close(ours(x, x, x, mask=mask), out)


def test_a_padding_mask_has_a_row_for_each_of_the_queries():
    assert pytorch.to_torch_mask(MASKS["padding"], 2, n_q=3).shape == (4, 3, 4)
