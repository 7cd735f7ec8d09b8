"""Exercises of the chapter on the scale of the dot product."""

EXERCISES = "spread", "gradient_lengths", "overflow", "cosine_scores", "value_width"
