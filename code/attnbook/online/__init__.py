"""Attention one block at a time: no matrix of all the weights, forward or backward."""

from attnbook.online.blocks import (
    attention_by_blocks,
    attention_by_blocks_backward,
    attention_with_lse,
    merge,
    visible_blocks,
)
from attnbook.online.tiles import (
    attention_in_blocks,
    causal_attention_in_blocks,
    padded_attention_in_blocks,
    sliding_window_attention_in_blocks,
)
from attnbook.online.tiles_backward import attention_in_blocks_backward

__all__ = [
    "attention_by_blocks",
    "attention_by_blocks_backward",
    "attention_in_blocks",
    "attention_in_blocks_backward",
    "attention_with_lse",
    "causal_attention_in_blocks",
    "merge",
    "padded_attention_in_blocks",
    "sliding_window_attention_in_blocks",
    "visible_blocks",
]
