"""Exercises of the chapter on many GPUs."""

EXERCISES = (
    "bytes_sent",
    "whose",
    "zigzag",
    "skipped",
    "ring_against_exchange",
    "in_hand",
    "shared_heads",
    "forward",
    "backward",
)
