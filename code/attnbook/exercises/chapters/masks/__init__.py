"""Exercises of the chapter on masks."""

EXERCISES = (
    "middle_hidden",
    "left_padding_mask",
    "causal_mask",
    "added",
    "tree_mask",
    "masked_softmax",
)
