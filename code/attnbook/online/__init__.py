"""Attention one block at a time: no matrix of all the weights, forward or backward."""

from attnbook.online.blocks import (
    attention_blockwise,
    attention_blockwise_backward,
    attention_with_lse,
    merge,
    visible_blocks,
)
from attnbook.online.tiles import (
    attention_tiled,
    causal_attention_tiled,
    padded_attention_tiled,
    sliding_window_attention_tiled,
)
from attnbook.online.tiles_backward import attention_tiled_backward

__all__ = [
    "attention_blockwise",
    "attention_blockwise_backward",
    "attention_tiled",
    "attention_tiled_backward",
    "attention_with_lse",
    "causal_attention_tiled",
    "merge",
    "padded_attention_tiled",
    "sliding_window_attention_tiled",
    "visible_blocks",
]
