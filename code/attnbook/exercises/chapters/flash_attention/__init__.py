"""Exercises of the chapter on FlashAttention."""
