"""Exercises of the chapter on twins."""

EXERCISES = "lse_gradient", "five_zeros", "softmax", "distance", "causal_mask"
