"""Exercises of the chapter on attention as modules."""

EXERCISES = (
    "parameters",
    "dropout",
    "whose_mask",
    "split_joint",
    "self_attention",
    "gated",
    "train_on",
    "through_a_file",
)
