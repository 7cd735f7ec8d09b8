"""Exercises of the chapter on FlashAttention."""

EXERCISES = "causal_blocks", "corner", "block_gradient", "forward", "backward"
