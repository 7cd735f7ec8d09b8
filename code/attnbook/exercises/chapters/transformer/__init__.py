"""Exercises of the chapter on a whole Transformer."""

EXERCISES = (
    "counted",
    "alike",
    "missing",
    "forgotten_mean",
    "layer_norm",
    "decoder_block",
    "decoder",
    "write",
)
