"""Exercises of the chapter on weighted averages."""

EXERCISES = (
    "by_hand",
    "very_wide",
    "normalise",
    "gaussian_attention",
    "not_a_lookup",
    "leave_one_out",
)
