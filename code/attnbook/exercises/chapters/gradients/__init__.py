"""Exercises of the chapter on gradients by hand."""

EXERCISES = (
    "another_row",
    "soft_cap_backward",
    "rejected",
    "gaussian_scores_backward",
    "unseen",
    "bias_backward",
    "judge",
    "rotated_backward",
    "trains_anyway",
)
