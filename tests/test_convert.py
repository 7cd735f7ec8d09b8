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
        pytorch.from_multihead(nn.MultiheadAttention(8, 2, **{option: True}))


@pytest.mark.parametrize("training", [True, False])
def test_rate_of_dropout_dtype_and_mode_are_kept_both_ways(training):
    theirs = nn.MultiheadAttention(8, 2, dropout=0.25, dtype=torch.float64).train(training)
    ours = pytorch.from_multihead(theirs)
    again = pytorch.to_multihead(ours)
    assert ours.dropout.p == again.dropout == 0.25
    assert ours.training == again.training == training
    assert ours.w_q.weight.dtype == again.in_proj_weight.dtype == torch.float64


def test_weights_are_copied_and_not_shared():
    theirs = nn.MultiheadAttention(8, 2)
    ours = pytorch.from_multihead(theirs)
    before = ours.w_o.weight.clone()
    nn.init.zeros_(theirs.out_proj.weight)
    assert torch.equal(ours.w_o.weight, before)
