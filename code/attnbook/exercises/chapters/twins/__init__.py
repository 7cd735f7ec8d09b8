"""Exercises of the chapter on twins."""

EXERCISES = "lse_gradient", "distance", "five_zeros", "softmax", "causal_mask"
