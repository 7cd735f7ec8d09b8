"""Exercises of the chapter on alignment."""

EXERCISES = (
    "in_all_ten",
    "handed_over",
    "unseen_padding",
    "exact_match_of",
    "loss_without_padding",
)
