"""Attention one block at a time: no matrix of all the weights, forward or backward."""

from attnbook.online.blocks import (
    attention_blockwise,
    attention_blockwise_backward,
    attention_with_lse,
    merge,
    visible_blocks,
)

__all__ = [
    "attention_blockwise",
    "attention_blockwise_backward",
    "attention_with_lse",
    "merge",
    "visible_blocks",
]
