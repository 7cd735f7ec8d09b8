"""Exercises of the chapter on the scale of the dot product."""

EXERCISES = "spread", "overflow", "cosine_scores", "value_width"
