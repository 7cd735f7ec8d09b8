"""Exercises of the chapter on training."""

EXERCISES = (
    "first_loss",
    "clipped_apart",
    "targets_of",
    "rate",
    "micro_batches",
    "min_p",
)
