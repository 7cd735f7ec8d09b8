"""Exercises of the chapter on what the weights tell."""

EXERCISES = (
    "same_output",
    "redundant",
    "not_renormalised",
    "jensen_shannon",
    "left_out",
    "effective_weights",
)
